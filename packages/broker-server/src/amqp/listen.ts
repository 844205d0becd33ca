import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Broker } from "@waybill/broker";
import type { ResolvedServeOptions, TlsOptions } from "../serve-options.js";
import { ClientConnection } from "./client-connection.js";
import { Admission } from "./limits/admission.js";
import { Arrivals } from "./limits/arrivals.js";
import { Departures } from "./limits/departures.js";
import { Handshakes } from "./limits/handshakes.js";
import { Turns } from "./limits/turns.js";

/** Sockets of connections that are over, whose clients have yet to read why; and of those that are let in only to be refused. */
const DEPARTING_SOCKETS = 100;
const SPARE_SOCKETS = 10;

/** Sockets that the system has waiting. It hands over all at once, and nobody else has a turn until each has its object: some 5 ms. */
const BACKLOG = 128;

/** A port on which a broker speaks AMQP. */
export interface AmqpListener {
  readonly port: number;
  /** Stops listening, tells every client, and resolves when the last socket is closed. */
  close(): Promise<void>;
}

/** Serves AMQP on a port; resolves when it listens and rejects when it cannot. */
export async function listen(broker: Broker, options: ResolvedServeOptions): Promise<AmqpListener> {
  const connections = new Set<ClientConnection>();
  const context = { broker, limits: options.limits, turns: new Turns() };
  const admission = new Admission(options.limits);
  const departures = new Departures(DEPARTING_SOCKETS, options.closeTimeoutMs);
  const containerId = `${randomBytes(16).toString("hex")}_G0`;

  const serveOn = (socket: Socket): void => {
    const connection = new ClientConnection(socket, containerId, context, options, admission, departures);
    connections.add(connection);
    socket.once("close", () => connections.delete(connection));
  };
  const { tls } = options;
  const { connections: known, unauthenticated } = options.limits;
  const { connections: unknown } = unauthenticated;
  const handshakes = tls && shakeHands(tls, unknown, serveOn);
  const arrivals = new Arrivals(context.turns, admission.usageOf(undefined), (socket) =>
    handshakes ? handshakes.add(socket) : serveOn(socket),
  );
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    arrivals.add(socket);
  });
  // Never reached: each kind of socket has a limit of its own, at which its oldest has to go.
  server.maxConnections = known + unknown * (tls ? 2 : 1) + BACKLOG + DEPARTING_SOCKETS + SPARE_SOCKETS;
  const port = await start(server, options);

  return {
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      arrivals.close();
      handshakes?.close();
      for (const connection of connections) connection.close();
      const drop = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, options.closeTimeoutMs);
      await closed;
      clearTimeout(drop);
    },
  };
}

/** Handshakes of TLS, after which a socket is served. */
function shakeHands({ cert, key }: TlsOptions, limit: number, serveOn: (socket: Socket) => void): Handshakes {
  const server = createTlsServer({ cert: asPem(cert), key: asPem(key) }, (socket) => {
    handshakes.end(socket);
    serveOn(socket);
  });
  // A client that breaks off its handshake is a normal thing to happen.
  server.on("tlsClientError", (_error: Error, socket: Socket) => socket.destroy());
  const handshakes = new Handshakes(server, limit);
  return handshakes;
}

function start(server: Server, { host, port }: ResolvedServeOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off("error", reject);
      // Failures to accept one connection, as for want of file descriptors, leave the others alone.
      server.on("error", () => {});
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function asPem(text: string | Uint8Array): string | Buffer {
  return typeof text === "string" ? text : Buffer.from(text);
}
