import { connect, createServer, type Socket } from "node:net";
import { listen } from "../run/ports.js";

/** A way to a server on which connections can be cut. */
export interface Relay {
  readonly port: number;
  /** Destroys every connection through it without a word, as a network does that fails. */
  cut(): void;
  close(): void;
}

/**
 * Opens a port of its own on this computer and passes on to another what comes in. When the server has ended a connection, the client's
 * socket stays for as long as `lingerMs` says then, as it does on the way through load balancers. By default it does not stay.
 */
export async function openRelay(target: number, lingerMs: () => number = () => 0): Promise<Relay> {
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
      socket.on("close", () => sockets.delete(socket));
      socket.pipe(other, { end: false });
    }
    near.on("end", () => far.end());
    near.on("close", () => far.destroy());
    far.on("close", () => {
      const ms = lingerMs();
      if (ms > 0) setTimeout(() => near.destroy(), ms);
      else near.destroy();
    });
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: await listen(server),
    cut,
    close() {
      server.close();
      cut();
    },
  };
}
