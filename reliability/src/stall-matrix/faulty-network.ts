import { connect, createServer, type Socket } from "node:net";
import { listen } from "waybill-harness/ports.js";
import { FrameFilter, type PassingFrame } from "../network/frame-filter.js";

/** Faults of the existing links and connections; later ones work. */
export type NetworkFault = "lose credit" | "drop detach" | "half-close" | "half-open";

/** A network between a client and a server, into which faults can be injected. */
export interface FaultyNetwork {
  readonly port: number;
  inject(fault: NetworkFault): void;
  close(): void;
}

const performatives = { begin: 0x11, attach: 0x12, flow: 0x13, detach: 0x16 } as const;

/** Opens a port that forwards frames to another. */
export async function openFaultyNetwork(target: number): Promise<FaultyNetwork> {
  const wires = new Set<Wire>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true });
    const wire = new Wire(near, far);
    wires.add(wire);
    near.once("close", () => wires.delete(wire));
  });
  return {
    port: await listen(server),
    inject(fault) {
      for (const wire of wires) wire.inject(fault);
    },
    close() {
      server.close();
      for (const wire of wires) wire.close();
    },
  };
}

/** One connection. */
class Wire {
  readonly #near: Socket;
  readonly #far: Socket;
  /** The channels, by the client's numbers, that deliver an entity's messages. */
  readonly #entityChannels = new Set<number>();
  /** The client's channel numbers by the server's. */
  readonly #clientChannels = new Map<number, number>();
  readonly #faults = new Map<NetworkFault, Set<number>>();

  constructor(near: Socket, far: Socket) {
    this.#near = near;
    this.#far = far;
    const toServer = new FrameFilter((frame) => this.#passesToServer(frame));
    const toClient = new FrameFilter((frame) => this.#passesToClient(frame));
    near.on("data", (chunk: Buffer) => this.#write(far, toServer.push(chunk)));
    far.on("data", (chunk: Buffer) => this.#write(near, toClient.push(chunk)));
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.setNoDelay();
      socket.on("error", () => {});
      // When the client closes a dead connection, it is closed for the server, too.
      socket.on("end", () => (this.#isDead ? this.close() : other.end()));
      socket.on("close", () => other.destroy());
    }
  }

  inject(fault: NetworkFault): void {
    this.#faults.set(fault, new Set(this.#entityChannels));
    // Half-close: the server has closed its side, and the client gets the end of the stream.
    if (fault === "half-close") this.#near.end();
  }

  close(): void {
    this.#near.destroy();
    this.#far.destroy();
  }

  /** Whether the connection no longer forwards data. */
  get #isDead(): boolean {
    return this.#faults.has("half-close") || this.#faults.has("half-open");
  }

  #write(socket: Socket, bytes: Buffer): void {
    if (bytes.length > 0 && !this.#isDead && socket.writable) socket.write(bytes);
  }

  #passesToServer(frame: PassingFrame): boolean {
    const { channel, code } = frame;
    // A new session uses the channel number of one that has ended.
    if (code === performatives.begin) this.#repair(channel);
    if (code === performatives.attach && isEntityLink(frame)) this.#entityChannels.add(channel);
    if (code === performatives.flow) return !this.#hits("lose credit", channel);
    return code !== performatives.detach || !this.#hits("drop detach", channel);
  }

  #passesToClient(frame: PassingFrame): boolean {
    const { channel, code } = frame;
    const [remoteChannel] = code === performatives.begin ? frame.fields() : [];
    if (typeof remoteChannel === "number") this.#clientChannels.set(channel, remoteChannel);
    const clientChannel = this.#clientChannels.get(channel) ?? channel;
    return code !== performatives.detach || !this.#hits("drop detach", clientChannel);
  }

  #repair(channel: number): void {
    this.#entityChannels.delete(channel);
    for (const channels of this.#faults.values()) channels.delete(channel);
  }

  #hits(fault: NetworkFault, channel: number): boolean {
    return this.#faults.get(fault)?.has(channel) === true;
  }
}

/** Links for requests and tokens have nodes whose names begin with a dollar sign. */
function isEntityLink({ bytes }: PassingFrame): boolean {
  return !bytes.includes("$management") && !bytes.includes("$cbs");
}
