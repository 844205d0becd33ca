import type { Socket } from "node:net";
import { type Turns, type TurnTaker, Usage } from "./turns.js";

/**
 * How many sockets are dealt with between two looks at all of them. What a new client says, and its end, follow at once and cost more than
 * letting it in: some 5 ms for so many.
 */
const SOCKETS_AT_ONCE = 16;

interface Arrival {
  readonly socket: Socket;
  readonly admit: () => void;
}

/** Sockets that wait for a turn to be dealt with: hundreds may come, or begin to speak, at once. */
export class Arrivals implements TurnTaker {
  readonly usage = new Usage();
  readonly #turns: Turns;
  #waiting: Arrival[] = [];
  #next: NodeJS.Immediate | undefined;

  /** Their time is that of `group`, of clients that nobody knows yet. */
  constructor(turns: Turns, group: Usage) {
    this.usage.group = group;
    this.#turns = turns;
  }

  /** Calls `admit` in a turn, unless the socket is closed by then. */
  add(socket: Socket, admit: () => void): void {
    this.#waiting.push({ socket, admit });
    if (this.#next === undefined) this.#turns.enter(this);
  }

  proceed(): boolean {
    for (let admitted = 0; admitted < SOCKETS_AT_ONCE && !this.#turns.isOver(); ) {
      const arrival = this.#waiting.shift();
      if (arrival === undefined) return false;
      if (arrival.socket.destroyed) continue;
      arrival.admit();
      admitted++;
    }
    this.#next = setImmediate(() => {
      this.#next = undefined;
      this.#turns.enter(this);
    });
    return false;
  }

  /** Lets nobody in any more. */
  close(): void {
    for (const { socket } of this.#waiting) socket.destroy();
    this.#waiting = [];
  }
}
