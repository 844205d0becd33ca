import { createServer, type Server, type Socket } from "node:net";
import type { Broker } from "@waybill/broker";
import type { ResolvedServeOptions } from "../options/serve-options.js";
import { departingSockets, SocketRouter } from "./socket-router.js";

/** Sockets queued by the operating system. It passes all at once, and nothing else runs until each has its object: about 5 ms. */
const backlog = 128;
/** Sockets accepted only to be refused. */
const spareSockets = 10;

/**
 * Serves a broker with every protocol on the main port, then on the additional ones in the given order; resolves when all of them listen,
 * rejects when one cannot.
 */
export async function listen(broker: Broker, options: ResolvedServeOptions) {
  const router = new SocketRouter(broker, options);
  const sockets = new Set<Socket>();
  const { connections, unauthenticated } = options.limits;
  const maxSockets = connections + unauthenticated.connections + backlog + departingSockets + spareSockets;
  const accept = (socket: Socket): void => {
    // Never reached in practice: each kind of socket has its own limit, at which its oldest is closed.
    if (sockets.size >= maxSockets) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    router.accept(socket);
  };
  const servers: Server[] = [];
  /** Stops listening, closes all connections properly, and resolves when the last socket is closed. */
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
      // Half-open, because an HTTP client may end its side before it has the response.
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
    server.listen({ host, port, backlog: backlog }, () => {
      server.off("error", reject);
      // Failing to accept one connection, for example without file descriptors, does not affect others.
      server.on("error", () => {});
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}
