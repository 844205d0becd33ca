import type { Socket } from "node:net";
import {
  type Connection,
  createConnection,
  saslAnonymous,
  saslCbs,
  saslExternal,
  saslPlain,
} from "@waybill/amqp";
import { Claims } from "../authorization/claims.js";
import type { ResolvedServeOptions } from "../serve-options.js";
import { toAmqpError } from "./error.js";
import { IdleWatch } from "./idle-watch.js";
import { attach } from "./links/attach.js";
import { Peer, type Seat } from "./peer.js";

/** The largest frame taken: that of the service's Standard tier, and of a message's usual maximum there. */
const MAX_FRAME_SIZE = 256 * 1024;

/** What a host name may look like that error texts repeat. */
const HOST = /^[\w.:[\]-]{1,253}$/;

/** One client's socket with its AMQP connection. */
export class ClientConnection {
  readonly #socket: Socket;
  readonly #connection: Connection;
  readonly #peer: Peer;
  readonly #closeTimeoutMs: number;
  #idle: IdleWatch | undefined;
  #timer: NodeJS.Timeout | undefined;
  #acknowledgement: NodeJS.Immediate | undefined;
  #drop: NodeJS.Timeout | undefined;

  constructor(socket: Socket, containerId: string, seat: Seat, options: ResolvedServeOptions) {
    this.#socket = socket;
    this.#closeTimeoutMs = options.closeTimeoutMs;
    const claims = new Claims(options.authorization, seat.broker.clock, () => this.#peer.dropExpired());
    const peer = new Peer(seat, claims);
    this.#peer = peer;
    this.#connection = createConnection({
      containerId,
      maxFrameSize: MAX_FRAME_SIZE,
      saslMechanisms: [
        saslCbs(),
        saslPlain((name, secret) => claims.putSecret(name, secret)),
        saslAnonymous(),
        saslExternal((authorization) => authorization),
      ],
      handler: {
        onOutput: () => queueMicrotask(() => this.#flush()),
        onOpen: (connection) => {
          const { hostname = "" } = connection.remoteOpen ?? {};
          peer.namespace = HOST.test(hostname) ? hostname : options.host;
          this.#idle = new IdleWatch(options.idleTimeouts, peer, (refusal) => {
            connection.close(toAmqpError(refusal, peer));
            this.#drop = setTimeout(() => socket.destroy(), options.closeTimeoutMs).unref();
          });
        },
        onLink: (link) => {
          attach(peer, link);
          this.#idle?.add(link);
        },
        onClose: () => {
          this.#idle?.close();
          peer.close();
        },
      },
    });
    this.#listen();
  }

  /** Tells the client that the server goes, and closes when it has answered. */
  close(): void {
    this.#connection.close({
      condition: "amqp:connection:forced",
      description: "The server is shutting down.",
    });
    if (this.#connection.isEnded) this.#end();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.setNoDelay();
    socket.on("data", (bytes) => this.#receive(bytes));
    socket.on("drain", () => this.#goOn());
    socket.on("error", () => socket.destroy());
    socket.on("end", () => socket.end());
    socket.on("close", () => {
      clearImmediate(this.#acknowledgement);
      clearTimeout(this.#timer);
      clearTimeout(this.#drop);
      this.#connection.disconnect();
      this.#peer.close();
    });
    this.#tick();
  }

  #receive(bytes: Uint8Array): void {
    try {
      this.#connection.receive(bytes);
    } catch (error) {
      // The connection has closed itself with amqp:internal-error; a defect concerns this client alone.
      process.emitWarning(error instanceof Error ? error : new Error(String(error)));
    }
    this.#acknowledgement ??= setImmediate(() => {
      this.#acknowledgement = undefined;
      this.#connection.acknowledge();
    });
  }

  #flush(): void {
    const socket = this.#socket;
    socket.cork();
    for (const part of this.#connection.takeOutput()) socket.write(part);
    socket.uncork();
    if (this.#connection.isEnded) {
      this.#end();
      return;
    }
    if (socket.writableNeedDrain) {
      this.#peer.isCongested = true;
      socket.pause();
    } else this.#peer.resume();
  }

  /** Lets the socket go, whether the client reads the rest or not. */
  #end(): void {
    this.#socket.end();
    this.#socket.setTimeout(this.#closeTimeoutMs, () => this.#socket.destroy());
  }

  /** The client has read what was written: read on, and let links push again. */
  #goOn(): void {
    this.#peer.isCongested = false;
    this.#socket.resume();
    this.#peer.resume();
  }

  #tick(): void {
    const nowMs = performance.now();
    const nextMs = this.#connection.tick(nowMs);
    // A client that never spoke is given up without a word.
    if (this.#connection.isEnded) this.#flush();
    if (nextMs === undefined || this.#socket.destroyed) return;
    this.#timer = setTimeout(() => this.#tick(), Math.max(nextMs - nowMs, 1));
    this.#timer.unref();
  }
}
