import { connect, createServer, type Socket } from "node:net";
import { listen } from "waybill-harness/ports.js";

/** A relay to a server, whose connections can be cut. */
export interface Relay {
  readonly port: number;
  /** Destroys every connection through it without closing it, like a network failure. */
  cut(): void;
  close(): void;
}

/**
 * Opens a port on this computer and forwards its connections to another port. After the server has closed a connection, the client's
 * socket stays open for `lingerMs`, like behind load balancers. Default: it is closed immediately.
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
