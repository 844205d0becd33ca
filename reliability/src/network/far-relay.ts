import { connect, createServer, type Socket } from "node:net";
import { listen } from "waybill-harness/ports.js";

/** A relay to a server that is far away. */
export interface FarRelay {
  readonly port: number;
  /** How many HTTP requests came by, and the most that waited for their answers at the same time. */
  readonly requests: { total: number; atOnce: number };
  close(): void;
}

/** Opens a port on this computer that forwards to another one; a request and its answer take `roundTripMs` more. */
export async function openFarRelay(target: number, roundTripMs: number): Promise<FarRelay> {
  const sockets = new Set<Socket>();
  const requests = { total: 0, atOnce: 0 };
  let open = 0;
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    const isNext = { request: true };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay();
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        setTimeout(() => to.end(), roundTripMs / 2);
      });
      from.on("data", (chunk) => {
        // Clients of HTTP/1.1 send the next request of a connection after the answer to the last one.
        if (from === near && isNext.request) {
          isNext.request = false;
          requests.total++;
          requests.atOnce = Math.max(requests.atOnce, ++open);
        } else if (from === far && !isNext.request) {
          isNext.request = true;
          open--;
        }
        setTimeout(() => to.write(chunk), roundTripMs / 2);
      });
    }
  });
  return {
    port: await listen(server),
    requests,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
