import type { Duplex } from "node:stream";

/** Sockets of connections that are over, whose clients have yet to read why. They count against no other limit: so they are few, and soon gone. */
export class Departures {
  readonly #limit: number;
  readonly #timeoutMs: number;
  readonly #sockets = new Set<Duplex>();

  /** At most so many at once, each for so long at most; the oldest goes first. */
  constructor(limit: number, timeoutMs: number) {
    this.#limit = limit;
    this.#timeoutMs = timeoutMs;
  }

  /** Ends a socket once everything is written, or when the client takes too long, whatever it still says. */
  add(socket: Duplex): void {
    if (this.#sockets.has(socket) || socket.destroyed) return;
    this.#sockets.add(socket);
    socket.resume();
    socket.end();
    const timer = setTimeout(() => socket.destroy(), this.#timeoutMs).unref();
    socket.once("close", () => {
      clearTimeout(timer);
      this.#sockets.delete(socket);
    });
    if (this.#sockets.size > this.#limit) this.#destroyOldest();
  }

  #destroyOldest(): void {
    for (const oldest of this.#sockets) {
      this.#sockets.delete(oldest);
      oldest.destroy();
      return;
    }
  }
}
