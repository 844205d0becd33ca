import type { Socket } from "node:net";

/** How long a client may take for its TLS handshake, and how long when others wait for theirs. */
const HANDSHAKE_MS = 10_000;
const HURRIED_MS = 1_000;
/** Handshakes in progress at once: each computes for some tenths of a millisecond, and all may go on at the same moment. */
const AT_ONCE = 100;

interface Handshake {
  readonly timer: NodeJS.Timeout;
  readonly startedMs: number;
}

/** TLS handshakes: a few at once, while others wait. Each ends when it takes too long, and the oldest goes when too many wait. */
export class Handshakes {
  readonly #limit: number;
  readonly #begin: (socket: Socket) => void;
  #waiting: Socket[] = [];
  readonly #inProgress = new Map<Socket, Handshake>();
  #hurry: NodeJS.Timeout | undefined;

  /** At most `limit` sockets are in progress or wait; `begin` starts the handshake of one. */
  constructor(limit: number, begin: (socket: Socket) => void) {
    this.#limit = limit;
    this.#begin = begin;
  }

  /** Has a socket that was accepted shake hands, now or later. */
  add(socket: Socket): void {
    this.#waiting.push(socket);
    if (this.#waiting.length + this.#inProgress.size > this.#limit) this.#giveUpOldest();
    this.#startSome();
  }

  /** The handshake of a socket is done. */
  end(socket: Socket): void {
    clearTimeout(this.#inProgress.get(socket)?.timer);
    if (this.#inProgress.delete(socket)) this.#startSome();
  }

  close(): void {
    clearTimeout(this.#hurry);
    for (const socket of this.#waiting) socket.destroy();
    this.#waiting = [];
  }

  #startSome(): void {
    while (this.#inProgress.size < AT_ONCE) {
      const socket = this.#waiting.shift();
      if (socket === undefined) return;
      if (!socket.destroyed) this.#start(socket);
    }
    if (this.#waiting.length > 0) this.#hurry ??= setTimeout(() => this.#giveUpSlow(), HURRIED_MS).unref();
  }

  #start(socket: Socket): void {
    const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS).unref();
    this.#inProgress.set(socket, { timer, startedMs: performance.now() });
    socket.once("close", () => this.end(socket));
    this.#begin(socket);
  }

  /** Others wait: who had a second has had enough. */
  #giveUpSlow(): void {
    this.#hurry = undefined;
    const beforeMs = performance.now() - HURRIED_MS;
    for (const [socket, { startedMs }] of this.#inProgress) if (startedMs <= beforeMs) socket.destroy();
    this.#startSome();
  }

  #giveUpOldest(): void {
    const [oldest] = this.#inProgress.keys();
    if (oldest === undefined) return;
    clearTimeout(this.#inProgress.get(oldest)?.timer);
    this.#inProgress.delete(oldest);
    oldest.destroy();
  }
}
