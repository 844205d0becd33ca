import { AmqpDecodeError } from "./decode-error.js";

/**
 * A position in bytes and the end it may not exceed. It also limits a decode: nesting, the number of values, and elements without bytes (an
 * array of four billion nulls is 11 bytes long).
 */
export class ByteReader {
  readonly buffer: Buffer;
  position: number;
  end: number;
  depth = 0;
  emptyElementsLeft = 4096;
  /** Number of decoded values. */
  items = 0;
  /** Maximum of `items`. */
  maxItems = 0x7fffffff;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.buffer = toBuffer(bytes);
    this.position = start;
    this.end = end;
  }

  /** Skips `size` bytes and returns where they start. Throws `AmqpDecodeError` if they are missing. */
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

  /** Throws `AmqpDecodeError` with the reason and the current offset. */
  fail(reason: string): never {
    throw new AmqpDecodeError(`${reason} (offset ${this.position})`);
  }
}

/** The same memory as a `Buffer`, without a copy. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
