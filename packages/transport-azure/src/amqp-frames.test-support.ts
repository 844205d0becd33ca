import { Transform } from "node:stream";

/** The performatives by their descriptor codes. Source: AMQP 1.0, 2.7. */
const performatives = {
  16: "open",
  17: "begin",
  18: "attach",
  19: "flow",
  20: "transfer",
  21: "disposition",
  22: "detach",
  23: "end",
  24: "close",
} as const;

/** The name of a frame's performative; `other` for protocol headers, SASL and empty frames. */
export type Performative = (typeof performatives)[keyof typeof performatives] | "other";

/** One direction of an AMQP connection: passes whole frames, counts them, and keeps back those that are to be held. */
export class AmqpFrames extends Transform {
  readonly #onFrame: (performative: Performative) => void;
  readonly #isHeld: (performative: Performative) => boolean;
  readonly #held: Buffer[] = [];
  #rest: Buffer = Buffer.alloc(0);

  constructor(
    onFrame: (performative: Performative) => void,
    isHeld: (performative: Performative) => boolean = () => false,
  ) {
    super();
    this.#onFrame = onFrame;
    this.#isHeld = isHeld;
  }

  /** Sends what was kept back, in its order. */
  release(): void {
    for (const frame of this.#held.splice(0)) this.push(frame);
  }

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let size = nextSize(this.#rest); size <= this.#rest.length; size = nextSize(this.#rest)) {
      const frame = this.#rest.subarray(0, size);
      this.#rest = this.#rest.subarray(size);
      const performative = performativeOf(frame);
      this.#onFrame(performative);
      if (this.#isHeld(performative)) this.#held.push(frame);
      else this.push(frame);
    }
    done();
  }
}

/** The size of the first frame or protocol header; infinite if not even that has arrived. */
function nextSize(bytes: Buffer): number {
  if (bytes.length < 8) return Number.POSITIVE_INFINITY;
  return bytes.toString("latin1", 0, 4) === "AMQP" ? 8 : bytes.readUInt32BE(0);
}

function performativeOf(frame: Buffer): Performative {
  const start = 4 * (frame[4] ?? 0);
  const isAmqp = frame.toString("latin1", 0, 4) !== "AMQP" && frame[5] === 0 && frame[start + 1] === 0x53;
  return (isAmqp && performatives[frame[start + 2] as keyof typeof performatives]) || "other";
}
