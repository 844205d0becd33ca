import type { Socket } from "node:net";
import type { Server } from "node:tls";

/** How long a client may take for its TLS handshake, and how long when others wait for theirs. */
const HANDSHAKE_MS = 10_000;
const HURRIED_MS = 1_000;
/** Handshakes under way at once: each computes for some tenths of a millisecond, and all may go on at the same moment. */
const AT_ONCE = 100;

interface Handshake {
  readonly socket: Socket;
  readonly timer: NodeJS.Timeout;
  readonly startedMs: number;
}

/** TLS handshakes: a few at once, while others wait. Each ends when it takes too long, and who has waited longest goes when too many wait. */
export class Handshakes {
  readonly #tls: Server;
  readonly #limit: number;
  #waiting: Socket[] = [];
  readonly #underWay = new Map<string, Handshake>();
  #hurry: NodeJS.Timeout | undefined;

  /** At most `limit` sockets are under way or wait. */
  constructor(tls: Server, limit: number) {
    this.#tls = tls;
    this.#limit = limit;
  }

  /** Has a socket that was accepted shake hands, now or later. */
  add(socket: Socket): void {
    this.#waiting.push(socket);
    if (this.#waiting.length + this.#underWay.size > this.#limit) this.#giveUpOldest();
    this.#startSome();
  }

  /** The handshake is done; takes the socket of TLS on top of the one that was accepted. */
  end(socket: Socket): void {
    this.#end(nameOf(socket));
  }

  close(): void {
    clearTimeout(this.#hurry);
    for (const socket of this.#waiting) socket.destroy();
    this.#waiting = [];
  }

  #startSome(): void {
    while (this.#underWay.size < AT_ONCE) {
      const socket = this.#waiting.shift();
      if (socket === undefined) return;
      if (!socket.destroyed) this.#start(socket);
    }
    if (this.#waiting.length > 0) this.#hurry ??= setTimeout(() => this.#giveUpSlow(), HURRIED_MS).unref();
  }

  #start(socket: Socket): void {
    // A socket that is closed does not say who it was.
    const name = nameOf(socket);
    const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS).unref();
    this.#underWay.set(name, { socket, timer, startedMs: performance.now() });
    socket.once("close", () => {
      if (this.#underWay.get(name)?.socket === socket) this.#end(name);
    });
    this.#tls.emit("connection", socket);
  }

  #end(name: string): void {
    clearTimeout(this.#underWay.get(name)?.timer);
    if (this.#underWay.delete(name)) this.#startSome();
  }

  /** Others wait: who had a second has had enough. */
  #giveUpSlow(): void {
    this.#hurry = undefined;
    const beforeMs = performance.now() - HURRIED_MS;
    for (const { socket, startedMs } of this.#underWay.values()) if (startedMs <= beforeMs) socket.destroy();
    this.#startSome();
  }

  #giveUpOldest(): void {
    const [oldest] = this.#underWay;
    if (oldest === undefined) return;
    const [name, { socket, timer }] = oldest;
    clearTimeout(timer);
    this.#underWay.delete(name);
    socket.destroy();
  }
}

/** What a socket and that of TLS on top of it have in common. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
