import { asciiText, type DecodeReason, decodeFailure } from "@waybill/core/serializer";
import { internName } from "./name-cache.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const utf16 = new TextDecoder("utf-16le", { fatal: true, ignoreBOM: true });

/** Up to this length a loop over ASCII is faster than the native decoder. */
const shortText = 48;

/** How many more nodes a byte string counts for than another value. */
const byteStringNodes = 3;

/** Reads little-endian fields from bytes, and checks every declared length against the remaining bytes first. */
export class ByteCursor {
  readonly bytes: Uint8Array;
  #view: DataView | undefined;
  offset = 0;
  #nodesLeft: number;

  /** Refuses more than `maxNodes` elements, attributes, declarations, texts and items of lists. */
  constructor(bytes: Uint8Array, maxNodes: number) {
    this.bytes = bytes;
    this.#nodesLeft = maxNodes;
  }

  /** Counts what is kept in memory. */
  count(nodes: number): void {
    this.#nodesLeft -= nodes;
    if (this.#nodesLeft < 0)
      this.fail("items-exceeded", "more elements and values than the limit on items allows");
  }

  get isAtEnd(): boolean {
    return this.offset === this.bytes.length;
  }

  get left(): number {
    return this.bytes.length - this.offset;
  }

  fail(reason: DecodeReason, what: string, offset = this.offset): never {
    throw decodeFailure(reason, `not .NET binary XML at offset ${offset}: ${what}.`);
  }

  /** Checks that `size` bytes are left, and advances past them; returns where they start. */
  take(size: number): number {
    const start = this.offset;
    if (size > this.bytes.length - start) {
      this.fail("truncated", `needs ${size} bytes, ${this.bytes.length - start} left`, start);
    }
    this.offset = start + size;
    return start;
  }

  uint8(): number {
    const byte = this.bytes[this.offset];
    if (byte === undefined) this.take(1);
    this.offset++;
    return byte as number;
  }

  int8(): number {
    return (this.uint8() << 24) >> 24;
  }

  uint16(): number {
    return this.#fields().getUint16(this.take(2), true);
  }

  int16(): number {
    return this.#fields().getInt16(this.take(2), true);
  }

  uint32(): number {
    return this.#fields().getUint32(this.take(4), true);
  }

  int32(): number {
    return this.#fields().getInt32(this.take(4), true);
  }

  int64(): bigint {
    return this.#fields().getBigInt64(this.take(8), true);
  }

  uint64(): bigint {
    return this.#fields().getBigUint64(this.take(8), true);
  }

  float32(): number {
    return this.#fields().getFloat32(this.take(4), true);
  }

  float64(): number {
    return this.#fields().getFloat64(this.take(8), true);
  }

  /** A length of 31 bits in one to five bytes. Source: [MC-NBFX] 2.1.2. */
  multiByteInt31(): number {
    const start = this.offset;
    const first = this.bytes[start];
    if (first !== undefined && first < 0x80) {
      this.offset = start + 1;
      return first;
    }
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.uint8();
      if (shift === 28 && byte > 0x07) this.fail("malformed", "a length of more than 31 bits", start);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return this.fail("malformed", "a length of more than five bytes", start);
  }

  /** A length of 32 bits whose top bit must not be set. */
  length32(): number {
    const start = this.offset;
    const length = this.int32();
    return length < 0 ? this.fail("malformed", "a negative length", start) : length;
  }

  /** A name, prefix, namespace or comment: its length and UTF-8. */
  name(): string {
    const size = this.multiByteInt31();
    const start = this.take(size);
    return internName(this.bytes, start, this.offset) ?? this.#decode(utf8, start, "utf8-invalid");
  }

  text(size: number): string {
    const start = this.take(size);
    return (
      (size <= shortText ? asciiText(this.bytes, start, this.offset) : undefined) ??
      this.#decode(utf8, start, "utf8-invalid")
    );
  }

  utf16Text(size: number): string {
    if (size % 2 === 1) this.fail("malformed", "UTF-16 text with an odd number of bytes");
    const start = this.take(size);
    return this.#decode(utf16, start, "malformed");
  }

  /** A copy, so that values do not share memory with the message. It takes as much memory as several elements. */
  copy(size: number): Uint8Array {
    this.count(byteStringNodes);
    const start = this.take(size);
    if (size > shortText) return Uint8Array.prototype.slice.call(this.bytes, start, this.offset);
    // Several times as fast for a few bytes.
    const copy = new Uint8Array(size);
    for (let index = 0; index < size; index++) copy[index] = this.bytes[start + index] as number;
    return copy;
  }

  /** Created on first use: bodies of strings and small integers do not need it. */
  #fields(): DataView {
    this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
    return this.#view;
  }

  #decode(decoder: TextDecoder, start: number, reason: DecodeReason): string {
    try {
      return decoder.decode(this.bytes.subarray(start, this.offset));
    } catch {
      return this.fail(reason, "text with an invalid encoding", start);
    }
  }
}
