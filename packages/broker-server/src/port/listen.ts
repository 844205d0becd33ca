import { createServer, type Server, type Socket } from "node:net";
import type { Broker } from "@waybill/broker";
import type { ResolvedServeOptions } from "../options/serve-options.js";
import { DEPARTING_SOCKETS, SocketRouter } from "./socket-router.js";

/** Sockets that the system has waiting. It hands over all at once, and nobody else has a turn until each has its object: some 5 ms. */
const BACKLOG = 128;
/** Sockets that are let in only to be refused. */
const SPARE_SOCKETS = 10;

/** The ports of a broker. Each of them takes every protocol. */
export interface Listener {
  /** The main port, then the additional ones in the order in which they were given. */
  readonly ports: readonly number[];
  /** Stops listening, tells every client, and resolves when the last socket is closed. */
  close(): Promise<void>;
}

/** Serves a broker on its ports; resolves when all of them listen and rejects when one cannot. */
export async function listen(broker: Broker, options: ResolvedServeOptions): Promise<Listener> {
  const router = new SocketRouter(broker, options);
  const sockets = new Set<Socket>();
  const { connections, unauthenticated } = options.limits;
  const mostSockets = connections + unauthenticated.connections + BACKLOG + DEPARTING_SOCKETS + SPARE_SOCKETS;
  const accept = (socket: Socket): void => {
    // Never reached: each kind of socket has a limit of its own, at which its oldest has to go.
    if (sockets.size >= mostSockets) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    router.accept(socket);
  };
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    router.close();
    const drop = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, options.closeTimeoutMs);
    await Promise.all(closed);
    clearTimeout(drop);
  };
  try {
    const ports: number[] = [];
    for (const port of [options.port, ...options.additionalPorts]) {
      // Half-open, because an HTTP client may end its side before it has its answer.
      const server = createServer({ allowHalfOpen: true }, accept);
      ports.push(await start(server, options.host, port));
      servers.push(server);
    }
    return { ports, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function start(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off("error", reject);
      // Failures to accept one connection, as for lack of file descriptors, leave the others alone.
      server.on("error", () => {});
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}
