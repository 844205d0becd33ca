import { decodeValue, isDescribed, isTyped } from "@waybill/amqp";

/** One frame, or a protocol header, as it passes by. */
export interface PassingFrame {
  readonly channel: number;
  /** The code of its performative (AMQP 1.0, part 2.7); undefined for headers, SASL and heartbeats. */
  readonly code: number | undefined;
  /** The fields of its performative. */
  fields(): readonly unknown[];
  readonly bytes: Buffer;
}

const headerLength = 8;

/** Cuts a stream of AMQP into frames and passes on those that it lets through. */
export class FrameFilter {
  readonly #passes: (frame: PassingFrame) => boolean;
  #rest: Buffer = Buffer.alloc(0);

  constructor(passes: (frame: PassingFrame) => boolean) {
    this.#passes = passes;
  }

  push(chunk: Buffer): Buffer {
    let rest = Buffer.concat([this.#rest, chunk]);
    const passed: Buffer[] = [];
    for (;;) {
      const length = lengthOf(rest);
      if (length === undefined || rest.length < length) break;
      const bytes = rest.subarray(0, length);
      rest = rest.subarray(length);
      if (this.#passes(frameOf(bytes))) passed.push(bytes);
    }
    this.#rest = rest;
    return Buffer.concat(passed);
  }
}

function lengthOf(bytes: Buffer): number | undefined {
  if (bytes.length < headerLength) return undefined;
  return bytes.toString("latin1", 0, 4) === "AMQP" ? headerLength : bytes.readUInt32BE(0);
}

function frameOf(bytes: Buffer): PassingFrame {
  const isHeader = bytes.toString("latin1", 0, 4) === "AMQP";
  const start = (bytes[4] ?? 0) * 4;
  const isAmqp = !isHeader && bytes[5] === 0 && bytes.length > start;
  return {
    channel: isHeader ? 0 : bytes.readUInt16BE(6),
    // A described type whose descriptor is a small ulong, as everybody writes them.
    code: isAmqp && bytes[start] === 0 && bytes[start + 1] === 0x53 ? bytes[start + 2] : undefined,
    fields: () => fieldsOf(bytes.subarray(start)),
    bytes,
  };
}

function fieldsOf(body: Buffer): readonly unknown[] {
  const performative = decodeValue(body);
  if (!isDescribed(performative) || !Array.isArray(performative.value)) return [];
  return performative.value.map((value) => (isTyped(value) && "value" in value ? value.value : value));
}
