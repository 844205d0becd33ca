import { AmqpDecodeError } from "./decode-error.js";

/**
 * A place in bytes and the end it may not pass. It also carries the two budgets that bound a decode: nesting,
 * and elements that take no bytes (an array of four billion nulls is 11 bytes long).
 */
export class ByteReader {
  readonly buffer: Buffer;
  position: number;
  end: number;
  depth = 0;
  weightless = 4096;
  /** Values that were decoded. */
  items = 0;
  /** As many may be. */
  maxItems = 0x7fffffff;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.buffer = toBuffer(bytes);
    this.position = start;
    this.end = end;
  }

  /** Moves past `size` bytes and returns where they start. Throws `AmqpDecodeError` when they are not there. */
  advance(size: number): number {
    const start = this.position;
    if (size > this.end - start) this.fail("the value is cut off");
    this.position = start + size;
    return start;
  }

  readUint8(): number {
    return this.buffer[this.advance(1)] as number;
  }

  readUint32(): number {
    return this.buffer.readUInt32BE(this.advance(4));
  }

  /** Throws `AmqpDecodeError` with the reason and the present offset. */
  fail(reason: string): never {
    throw new AmqpDecodeError(`${reason} (offset ${this.position})`);
  }
}

/** The same memory as a `Buffer`, without a copy. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
