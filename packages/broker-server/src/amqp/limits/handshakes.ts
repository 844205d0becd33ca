import type { Socket } from "node:net";

/** How long a client may take for its TLS handshake. */
const HANDSHAKE_MS = 10_000;

/** The sockets whose TLS handshake is under way. The oldest goes when there are too many, and each when it takes too long. */
export class Handshakes {
  readonly #limit: number;
  readonly #underWay = new Map<string, { readonly socket: Socket; readonly timer: NodeJS.Timeout }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A socket was accepted. */
  begin(socket: Socket): void {
    // A socket that is closed does not say who it was.
    const name = nameOf(socket);
    const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS).unref();
    this.#underWay.set(name, { socket, timer });
    socket.once("close", () => {
      if (this.#underWay.get(name)?.socket === socket) this.#end(name);
    });
    if (this.#underWay.size > this.#limit) this.#giveUpOldest();
  }

  /** The handshake is done; takes the socket of TLS on top of the one that was accepted. */
  end(socket: Socket): void {
    this.#end(nameOf(socket));
  }

  #end(name: string): void {
    clearTimeout(this.#underWay.get(name)?.timer);
    this.#underWay.delete(name);
  }

  #giveUpOldest(): void {
    const [oldest] = this.#underWay;
    if (oldest === undefined) return;
    const [name, { socket }] = oldest;
    this.#end(name);
    socket.destroy();
  }
}

/** What a socket and that of TLS on top of it have in common. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
