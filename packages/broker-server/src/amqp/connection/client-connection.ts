import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type AmqpError, type Connection, createConnection, saslAnonymous, saslPlain } from "@waybill/amqp";
import { saslCbs, saslExternal } from "@waybill/amqp/server";
import { Claims } from "../../authorization/claims.js";
import { ownersIn } from "../../authorization/owner.js";
import { clientOf, quoted } from "../../events/server-event.js";
import type { Admission } from "../../limits/admission.js";
import type { ConnectionBudget } from "../../limits/connection-budget.js";
import type { Departures } from "../../limits/departures.js";
import type { TurnTaker, Usage } from "../../limits/turns.js";
import type { ResolvedServeOptions } from "../../options/serve-options.js";
import { type AmqpRefusal, toAmqpError } from "../../refusals/error.js";
import { attach } from "../links/attach.js";
import { Peer, type ServerContext } from "../peer.js";
import { IdleWatch } from "./idle-watch.js";

/** Maximum frame size: that of the service's Standard tier, and of its usual maximum message. */
const maxFrameSize = 256 * 1024;

/** Host names that error texts may repeat. */
const host = /^[\w.:[\]-]{1,253}$/;

/** The socket of a connection: TCP or TLS, or a WebSocket as a stream. */
export type ClientSocket = Duplex & Pick<Socket, "setNoDelay" | "remoteAddress" | "remotePort">;

/** A client's socket with its AMQP connection. */
export class ClientConnection {
  readonly #socket: ClientSocket;
  readonly #connection: Connection;
  readonly #peer: Peer;
  readonly #budget: ConnectionBudget;
  readonly #context: ServerContext;
  readonly #admission: Admission;
  readonly #departures: Departures;
  #idle: IdleWatch | undefined;
  #timer: NodeJS.Timeout | undefined;
  #acknowledgement: NodeJS.Immediate | undefined;
  #drop: NodeJS.Timeout | undefined;
  /** Whether the client has sent a valid token or secret. */
  isTrusted = false;
  /** If set, the connection is closed with it as soon as it is open. */
  #refusal: AmqpRefusal | undefined;
  /** Runs timers of the connection in a turn: those of thousands may be due at once. */
  readonly #ticker: TurnTaker;
  /** Input waiting for its turn. */
  #input: Uint8Array[] = [];

  constructor(
    socket: ClientSocket,
    containerId: string,
    context: ServerContext,
    options: ResolvedServeOptions,
    admission: Admission,
    departures: Departures,
  ) {
    this.#socket = socket;
    this.#context = context;
    this.#departures = departures;
    this.#admission = admission;
    const budget = admission.admit((refusal) => this.#evict(toAmqpError(refusal, this.#peer)));
    this.#budget = budget;
    const client = clientOf(socket);
    const { onEvent } = options;
    const claims = new Claims(options.authorization, context.broker.clock, ownersIn(context.broker), {
      onShown: (key) => this.#trust(key),
      onExpired: () => this.#peer.dropExpired(),
      onRefused: (entity, detail) => onEvent?.({ type: "refused", client, entity, detail }),
    });
    const peer = new Peer(context, claims, budget, () => this.#resumeInput());
    this.#peer = peer;
    this.#ticker = {
      usage: peer.usage,
      proceed: () => {
        this.#tick();
        return false;
      },
    };
    const { limits } = context;
    this.#connection = createConnection({
      containerId,
      maxFrameSize: maxFrameSize,
      maxSessions: limits.sessions,
      maxLinks: limits.links,
      maxNameLength: limits.linkNameLength,
      untrusted: {
        maxFrameSize: Math.min(limits.unauthenticated.frameBytes, maxFrameSize),
        maxSessions: limits.unauthenticated.sessions,
        maxLinks: limits.unauthenticated.links,
        maxNameLength: limits.unauthenticated.linkNameLength,
      },
      budget,
      saslMechanisms: [
        saslCbs(),
        saslPlain((name, secret) => claims.putSecret(name, secret)),
        saslAnonymous(),
        saslExternal((authorization) => authorization),
      ],
      handler: {
        isTurnOver: () => this.#isHeldUp || context.turns.isOver(),
        onOutput: () => queueMicrotask(() => this.#flush()),
        onOpen: (connection) => {
          const { hostname = "", containerId = "" } = connection.remoteOpen ?? {};
          onEvent?.({ type: "connected", client, detail: quoted(containerId) });
          socket.once("close", () => onEvent?.({ type: "disconnected", client }));
          peer.namespace = host.test(hostname) ? hostname : options.host;
          if (this.#refusal !== undefined) connection.close(toAmqpError(this.#refusal, peer));
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
    if (claims.isKnown) this.#trust();
    else peer.usage.group = admission.usageOf(undefined);
    this.#listen();
  }

  /** The server time used by the connection. */
  get usage(): Usage {
    return this.#peer.usage;
  }

  /** Closes the connection with a reason, and the socket after the client has answered. */
  close(): void {
    this.#connection.close({
      condition: "amqp:connection:forced",
      description: "The server is shutting down.",
    });
    if (this.#connection.isEnded) this.#end();
  }

  /** Processes input until the turn is over; returns `true` if some is left. */
  proceed(): boolean {
    try {
      this.#connection.proceed();
      for (let bytes = this.#input.shift(); bytes !== undefined; bytes = this.#input.shift()) {
        this.#connection.receive(bytes);
      }
    } catch (error) {
      // The connection has closed itself with amqp:internal-error; a defect must not affect other clients.
      process.emitWarning(error instanceof Error ? error : new Error(String(error)));
    }
    if (this.#connection.hasUnread) {
      this.#socket.pause();
      return !this.#mustWait;
    }
    if (!this.#peer.isCongested) this.#socket.resume();
    return false;
  }

  /** Whether the client's next frame waits for something other than a turn. */
  get #isHeldUp(): boolean {
    return this.#peer.isPending || this.#peer.isFull(this.#connection);
  }

  /** Whether it waits for the client itself or for the storage: `#resumeInput` is called afterwards. */
  get #mustWait(): boolean {
    return this.#peer.isCongested || this.#peer.isPending;
  }

  /** Gives an authenticated client its full limits, unless its key has too many connections. */
  #trust(key?: string): void {
    this.#peer.usage.group = key === undefined ? undefined : this.#admission.usageOf(key);
    if (this.isTrusted) return;
    this.isTrusted = true;
    this.#refusal = this.#admission.trust(this.#budget);
    if (this.#refusal === undefined) this.#connection.trust();
    // Before the open frame was sent, the connection can only be closed later.
    else this.#connection.close(toAmqpError(this.#refusal, this.#peer));
  }

  #listen(): void {
    const socket = this.#socket;
    socket.setNoDelay();
    socket.on("data", (bytes) => {
      this.#input.push(bytes);
      this.#context.turns.take(this);
      if (this.#input.length > 0) socket.pause();
      this.#acknowledgement ??= setImmediate(() => {
        this.#acknowledgement = undefined;
        this.#connection.acknowledge();
      });
    });
    socket.on("drain", () => {
      this.#peer.isCongested = false;
      this.#countOutput();
      this.#resumeInput();
      this.#peer.resume();
    });
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
    this.#countOutput();
  }

  /** Counts unread output; a client that leaves too much unread is disconnected. */
  #countOutput(): void {
    if (this.#connection.isEnded || this.#budget.setOutput(this.#socket.writableLength)) return;
    this.#evict({
      condition: "amqp:resource-limit-exceeded",
      description: "Too much output waits to be read.",
    });
  }

  /** Ends the connection at once and releases everything it holds. */
  #evict(error: AmqpError): void {
    const connection = this.#connection;
    if (connection.isEnded) return;
    connection.close(error);
    for (const part of connection.takeOutput()) this.#socket.write(part);
    connection.disconnect();
    this.#peer.close();
    this.#end();
  }

  /** Closes the socket, whether or not the client reads the rest. */
  #end(): void {
    this.#input = [];
    this.#departures.add(this.#socket);
  }

  /** Continues with the client's input. */
  #resumeInput(): void {
    if (this.#mustWait) return;
    if (this.#connection.hasUnread || this.#input.length > 0) this.#context.turns.enter(this);
    else this.#socket.resume();
  }

  #tick(): void {
    const nowMs = performance.now();
    const nextMs = this.#connection.tick(nowMs);
    // A client that never sent anything is disconnected silently.
    if (this.#connection.isEnded) this.#flush();
    if (nextMs === undefined || this.#socket.destroyed) return;
    this.#timer = setTimeout(() => this.#context.turns.take(this.#ticker), Math.max(nextMs - nowMs, 1));
    this.#timer.unref();
  }
}
