import { connect, createServer, type Socket } from "node:net";
import { FrameFilter, type PassingFrame } from "../run/frame-filter.js";
import { listen } from "../run/ports.js";

/** What can go wrong on the links and connections there are. Those that are made later are in order. */
export type NetworkFault = "swallow credit" | "drop detach" | "half-close" | "half-open";

/** A network between a client and a server on which things go wrong on demand. */
export interface FaultyNetwork {
  readonly port: number;
  inject(fault: NetworkFault): void;
  close(): void;
}

const performatives = { begin: 0x11, attach: 0x12, flow: 0x13, detach: 0x16 } as const;

/** Opens a port of its own that passes frames on to another. */
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
  /** Channels, by the client's numbers, on which an entity's messages come. */
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
      // The server hears of what the client gives up for dead.
      socket.on("end", () => (this.#isDead ? this.close() : other.end()));
      socket.on("close", () => other.destroy());
    }
  }

  inject(fault: NetworkFault): void {
    this.#faults.set(fault, new Set(this.#entityChannels));
    // The server is gone, and has said so; or has not.
    if (fault === "half-close") this.#near.end();
  }

  close(): void {
    this.#near.destroy();
    this.#far.destroy();
  }

  /** Whether nothing passes any more. */
  get #isDead(): boolean {
    return this.#faults.has("half-close") || this.#faults.has("half-open");
  }

  #write(socket: Socket, bytes: Buffer): void {
    if (bytes.length > 0 && !this.#isDead && socket.writable) socket.write(bytes);
  }

  #passesToServer(frame: PassingFrame): boolean {
    const { channel, code } = frame;
    // Another session takes the number of one that has ended.
    if (code === performatives.begin) this.#mend(channel);
    if (code === performatives.attach && isEntityLink(frame)) this.#entityChannels.add(channel);
    if (code === performatives.flow) return !this.#hits("swallow credit", channel);
    return code !== performatives.detach || !this.#hits("drop detach", channel);
  }

  #passesToClient(frame: PassingFrame): boolean {
    const { channel, code } = frame;
    const [remoteChannel] = code === performatives.begin ? frame.fields() : [];
    if (typeof remoteChannel === "number") this.#clientChannels.set(channel, remoteChannel);
    const clientChannel = this.#clientChannels.get(channel) ?? channel;
    return code !== performatives.detach || !this.#hits("drop detach", clientChannel);
  }

  #mend(channel: number): void {
    this.#entityChannels.delete(channel);
    for (const channels of this.#faults.values()) channels.delete(channel);
  }

  #hits(fault: NetworkFault, channel: number): boolean {
    return this.#faults.get(fault)?.has(channel) === true;
  }
}

/** Requests and tokens go on links to nodes whose names begin with a dollar sign. */
function isEntityLink({ bytes }: PassingFrame): boolean {
  return !bytes.includes("$management") && !bytes.includes("$cbs");
}
