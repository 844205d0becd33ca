import type { Duplex } from "node:stream";

/**
 * Sockets of closed connections whose clients have not yet read the reason. They count towards no other limit, so they are few and closed
 * soon.
 */
export class Departures {
  readonly #limit: number;
  readonly #timeoutMs: number;
  readonly #sockets = new Set<Duplex>();

  /** At most `limit` at once, each for at most `timeoutMs`; the oldest is closed first. */
  constructor(limit: number, timeoutMs: number) {
    this.#limit = limit;
    this.#timeoutMs = timeoutMs;
  }

  /** Closes a socket once everything is written or the timeout is over; ignores its input. */
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
    const [oldest] = this.#sockets;
    if (oldest === undefined || this.#sockets.size <= this.#limit) return;
    this.#sockets.delete(oldest);
    oldest.destroy();
  }
}
