import type { Socket } from "node:net";
import { type Turns, type TurnTaker, Usage } from "./turns.js";

/**
 * Sockets accepted between checks of all sockets. A new client's first data, and its end, follow at once and cost more than accepting it:
 * about 5 ms for this number.
 */
const socketsAtOnce = 16;

/** Sockets waiting to be handled in turns: hundreds may arrive, or send their first data, at once. */
export class Arrivals implements TurnTaker {
  readonly usage = new Usage();
  readonly #turns: Turns;
  #waiting: { readonly socket: Socket; readonly admit: () => void }[] = [];
  #next: NodeJS.Immediate | undefined;

  /** Their time counts towards `group`, that of unauthenticated clients. */
  constructor(turns: Turns, group: Usage) {
    this.usage.group = group;
    this.#turns = turns;
  }

  /** Calls `admit` in a turn, unless the socket is closed before. */
  add(socket: Socket, admit: () => void): void {
    this.#waiting.push({ socket, admit });
    if (this.#next === undefined) this.#turns.enter(this);
  }

  proceed(): boolean {
    for (let admitted = 0; admitted < socketsAtOnce && !this.#turns.isOver(); ) {
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

  /** Stops accepting sockets. */
  close(): void {
    for (const { socket } of this.#waiting) socket.destroy();
    this.#waiting = [];
  }
}
