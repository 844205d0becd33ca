import { connect, createServer, type Socket } from "node:net";

/** A way to a server that can be cut. */
export interface CuttingProxy {
  readonly port: number;
  /** Destroys every connection through it without a word, as a network does that fails. */
  cut(): void;
  close(): void;
}

/** Opens a port of its own on this computer and passes on to another what comes in. */
export async function openCuttingProxy(target: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.pipe(other);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut,
    close() {
      server.close();
      cut();
    },
  };
}
