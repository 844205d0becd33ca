import { connect, createServer, type Socket } from "node:net";

/** A way to a server on which the client's side of a connection may outlive the server's. */
export interface LingeringProxy {
  readonly port: number;
  close(): void;
}

/**
 * Passes on to a port what comes in. When the server has ended a connection, the client's socket stays for as long as `lingerMs` says
 * then, as it does on the way through load balancers.
 */
export async function openLingeringProxy(target: number, lingerMs: () => number): Promise<LingeringProxy> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.on("error", () => other.destroy());
      socket.pipe(other, { end: false });
    }
    near.on("end", () => far.end());
    near.on("close", () => {
      sockets.delete(near);
      far.destroy();
    });
    far.on("close", () => {
      sockets.delete(far);
      setTimeout(() => near.destroy(), lingerMs());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
