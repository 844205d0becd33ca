import { connect, createServer, type Socket } from "node:net";
import { listen } from "waybill-harness/ports.js";
import { FrameFilter, type PassingFrame } from "./frame-filter.js";

/** A network in which the answers to settlements are slow. */
export interface SlowedNetwork {
  readonly port: number;
  /** How many links clients have opened to receive messages. */
  readonly receiverLinks: number;
  close(): void;
}

const performatives = { attach: 0x12, disposition: 0x15 } as const;

/** Opens a port that forwards frames to another. Dispositions of the server arrive late: after frames that it sent later. */
export async function openSlowedNetwork(target: number, delayMs: number): Promise<SlowedNetwork> {
  const sockets = new Set<Socket>();
  let receiverLinks = 0;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(target, "127.0.0.1");
    const fromClient = new FrameFilter((frame) => {
      if (isReceiverLink(frame)) receiverLinks++;
      return true;
    });
    const fromServer = new FrameFilter(({ code, bytes }) => {
      if (code !== performatives.disposition) return true;
      setTimeout(() => near.writable && near.write(bytes), delayMs);
      return false;
    });
    near.on("data", (chunk: Buffer) => far.write(fromClient.push(chunk)));
    far.on("data", (chunk: Buffer) => near.write(fromServer.push(chunk)));
    near.on("end", () => far.end());
    far.on("end", () => near.end());
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  return {
    port: await listen(server),
    get receiverLinks() {
      return receiverLinks;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** An attach has a name, a handle and a role, which is true for receivers; those of `$management` and `$cbs` answer requests. */
function isReceiverLink({ code, bytes, fields }: PassingFrame): boolean {
  if (code !== performatives.attach || bytes.includes("$management") || bytes.includes("$cbs")) return false;
  return fields()[2] === true;
}
