import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import type { Broker } from "@waybill/broker";
import { ClientConnection, type ClientSocket } from "../amqp/connection/client-connection.js";
import type { ServerContext } from "../amqp/peer.js";
import { createHttpServer } from "../http/server/http-server.js";
import { Admission } from "../limits/admission.js";
import { Arrivals } from "../limits/arrivals.js";
import { Departures } from "../limits/departures.js";
import { Turns } from "../limits/turns.js";
import type { ResolvedServeOptions } from "../options/serve-options.js";

/** Sockets of closed connections whose clients have not yet read the reason. */
export const departingSockets = 100;
/** Timeout of a TLS handshake, in ms. */
const tlsHandshakeMs = 10_000;
/** Timeout of a client's first byte, in ms; AMQP and HTTP have their own timeouts afterwards. */
const firstByteMs = 20_000;
/** The content type of a TLS handshake record (RFC 8446, 5.1), the first byte of every client hello. */
const tlsHandshake = 0x16;
const [letterA, letterZ] = [0x41, 0x5a];
/** The answer to a wrong AMQP header: the right header (2.2). */
const amqpRefusal = Buffer.from("AMQP\x03\x01\x00\x00", "latin1");
/** "Fatal: handshake failure" (RFC 8446, 6), so that a TLS client fails at once if TLS is not served. */
const tlsRefusal = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28]);

/** Passes each new socket to the protocol of its first byte. After that, it costs no more than a dedicated port. */
export class SocketRouter {
  readonly #options: ResolvedServeOptions;
  readonly #context: ServerContext;
  readonly #admission: Admission;
  readonly #departures: Departures;
  readonly #containerId = `${randomBytes(16).toString("hex")}_G0`;
  readonly #connections = new Set<ClientConnection>();
  readonly #http: HttpServer;
  readonly #secureContext: SecureContext | undefined;
  /** New sockets, and those that have sent their first byte. */
  readonly #arrivals: Arrivals;
  readonly #ready: Arrivals;

  constructor(broker: Broker, options: ResolvedServeOptions) {
    this.#options = options;
    this.#context = { broker, limits: options.limits, turns: new Turns() };
    this.#admission = new Admission(options.limits);
    this.#departures = new Departures(departingSockets, options.closeTimeoutMs);
    const unauthenticated = this.#admission.usageOf(undefined);
    this.#arrivals = new Arrivals(this.#context.turns, unauthenticated);
    this.#ready = new Arrivals(this.#context.turns, unauthenticated);
    const { authorization, namespace, pages, onEvent } = options;
    this.#http = createHttpServer({
      ...this.#context,
      authorization,
      namespace,
      pages,
      onEvent,
      admission: this.#admission,
      departures: this.#departures,
      acceptAmqp: (socket) => this.#acceptAmqp(socket),
    });
    const { tls } = options;
    this.#secureContext = tls && createSecureContext({ cert: asPem(tls.cert), key: asPem(tls.key) });
  }

  /** Handles a new socket, in a turn: hundreds may arrive at once. */
  accept(socket: Socket): void {
    // No other listener exists until then.
    socket.on("error", () => socket.destroy());
    this.#arrivals.add(socket, () => this.#accept(socket, false));
  }

  /** Closes all connections properly; idle HTTP connections are dropped. */
  close(): void {
    this.#arrivals.close();
    this.#ready.close();
    for (const connection of this.#connections) connection.close();
    this.#http.close();
  }

  #accept(socket: Socket, isSecure: boolean): void {
    socket.setNoDelay();
    // Clients may disconnect at any time.
    socket.on("error", () => socket.destroy());
    const leave = this.#admit(socket, firstByteMs);
    const onEnd = (): void => void socket.destroy();
    socket.once("end", onEnd);
    socket.once("data", (bytes: Buffer) => {
      socket.off("end", onEnd);
      // The next reader of the socket gets the same bytes again.
      socket.pause();
      socket.unshift(bytes);
      this.#ready.add(socket, () => {
        leave();
        this.#route(socket, bytes.readUInt8(0), isSecure);
      });
    });
  }

  /** Counts a socket as unauthenticated until the returned function is called, for at most `timeoutMs`. */
  #admit(socket: Socket, timeoutMs: number): () => void {
    const drop = (): void => {
      leave();
      socket.destroy();
    };
    const budget = this.#admission.admit(drop);
    const deadline = setTimeout(drop, timeoutMs).unref();
    const leave = (): void => {
      clearTimeout(deadline);
      socket.off("close", leave);
      budget.close();
    };
    socket.once("close", leave);
    return leave;
  }

  #route(socket: Socket, firstByte: number, isSecure: boolean): void {
    const protocol = protocolOf(firstByte);
    if (protocol === "tls" && !isSecure) {
      if (this.#secureContext === undefined) refuse(socket, tlsRefusal);
      else this.#startTls(socket);
      return;
    }
    if (!isSecure && this.#options.tls?.allowPlain === false) socket.destroy();
    else if (protocol === "http") this.#http.emit("connection", socket);
    else if (protocol === "amqp") this.#acceptAmqp(socket);
    else refuse(socket, amqpRefusal);
    socket.resume();
  }

  #startTls(socket: Socket): void {
    const leave = this.#admit(socket, tlsHandshakeMs);
    const secure = new TLSSocket(socket, {
      isServer: true,
      ...(this.#secureContext && { secureContext: this.#secureContext }),
    });
    const onFailure = (): void => void socket.destroy();
    secure.once("error", onFailure);
    secure.once("end", onFailure);
    secure.once("secure", () => {
      secure.off("error", onFailure);
      secure.off("end", onFailure);
      leave();
      this.#accept(secure, true);
    });
  }

  #acceptAmqp(socket: ClientSocket): ClientConnection {
    const connection = new ClientConnection(
      socket,
      this.#containerId,
      this.#context,
      this.#options,
      this.#admission,
      this.#departures,
    );
    this.#connections.add(connection);
    socket.once("close", () => this.#connections.delete(connection));
    return connection;
  }
}

/** The protocol that begins with a byte, if any. No common HTTP method begins with an A, so the first letter of `AMQP` is enough. */
function protocolOf(firstByte: number): "amqp" | "http" | "tls" | undefined {
  if (firstByte === letterA) return "amqp";
  if (firstByte === tlsHandshake) return "tls";
  return firstByte > letterA && firstByte <= letterZ ? "http" : undefined;
}

function refuse(socket: Socket, answer: Buffer): void {
  socket.end(answer, () => socket.destroy());
}

function asPem(text: string | Uint8Array): string | Buffer {
  return typeof text === "string" ? text : Buffer.from(text);
}
