import type { Socket } from "node:net";
import { type Turns, type TurnTaker, Usage } from "./turns.js";

/** Sockets that were accepted and wait for a turn to be dealt with: hundreds may come at once. */
export class Arrivals implements TurnTaker {
  readonly usage = new Usage();
  readonly #turns: Turns;
  readonly #admit: (socket: Socket) => void;
  #sockets: Socket[] = [];

  /** Their time is that of `group`, of clients that nobody knows yet. */
  constructor(turns: Turns, group: Usage, admit: (socket: Socket) => void) {
    this.usage.group = group;
    this.#turns = turns;
    this.#admit = admit;
  }

  add(socket: Socket): void {
    // Nobody else listens for it until then.
    socket.on("error", () => socket.destroy());
    this.#sockets.push(socket);
    this.#turns.take(this);
  }

  proceed(): boolean {
    for (let socket = this.#sockets.shift(); socket !== undefined; socket = this.#sockets.shift()) {
      if (!socket.destroyed) this.#admit(socket);
      if (this.#turns.isOver()) break;
    }
    return this.#sockets.length > 0;
  }

  /** Lets nobody in any more. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets = [];
  }
}
