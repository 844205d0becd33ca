import { isUtf8 } from "node:buffer";
import type { WaybillError } from "@waybill/core";
import { type DecodeReason, type DeserializeContext, decodeFailure } from "@waybill/core/serializer";
import { type NativeBuffer, toNativeBuffer } from "./native-buffer.js";
import { shortAsciiReaders } from "./short-ascii.js";

/**
 * Items that may take no bytes at all (nulls, empty records), in all arrays and maps of a body. Every other item takes at least
 * one byte, so a body never holds more items than it has bytes plus this.
 */
export const zeroWidthItemsLimit = 10_000;

/** How many more items a byte string, or a number converted to text, counts for than another value, because it costs more. */
export const costlyExtra = 3;

/** Limits of a body. */
export type ReadLimits = Pick<DeserializeContext, "maxDepth" | "maxItems">;

/**
 * The reading position in a body. Replaces the tap of avsc and adds the checks that avsc lacks: the end of the body, the range of an int, overlong
 * variable-length integers, booleans, UTF-8, counts and depth. Values are copies.
 * Source: Avro specification 1.12, "Binary Encoding".
 */
export class ReadTap {
  readonly buf: NativeBuffer;
  pos: number;
  readonly end: number;
  depth = 0;
  readonly maxDepth: number;
  readonly maxItems: number;
  /** How many more items the body may hold. */
  itemsLeft: number;
  /** Whether the body is only scanned to count its items: then no block is skipped by its size. */
  readonly isCounting: boolean;
  #claimsLeft: number;
  #view: DataView | undefined;
  #countedTo = 0;

  constructor(
    bytes: Uint8Array,
    start: number,
    { maxDepth, maxItems = Number.POSITIVE_INFINITY }: ReadLimits,
    isCounting = false,
  ) {
    this.buf = toNativeBuffer(bytes);
    this.pos = start;
    this.end = bytes.byteLength;
    this.maxDepth = maxDepth;
    this.maxItems = maxItems;
    this.itemsLeft = maxItems;
    this.isCounting = isCounting;
    this.#claimsLeft = bytes.byteLength + zeroWidthItemsLimit;
  }

  readBoolean(): boolean {
    const byte = this.#nextByte();
    if (byte > 1) throw this.failure("malformed", "a boolean is neither 0 nor 1", this.pos - 1);
    return byte === 1;
  }

  readInt(): number {
    const { buf, pos } = this;
    const byte = buf[pos];
    // Undefined after the end.
    if (byte !== undefined && byte < 0x80) {
      this.pos = pos + 1;
      return (byte >>> 1) ^ -(byte & 1);
    }
    return this.#readWideInt();
  }

  /** Reads a long as a number; beyond 2^53 it is rounded, which is enough for counts, indexes and promotion to floating point. */
  readLong(): number {
    const { buf, pos } = this;
    const byte = buf[pos];
    // Undefined after the end.
    if (byte !== undefined && byte < 0x80) {
      this.pos = pos + 1;
      return (byte >>> 1) ^ -(byte & 1);
    }
    return Number(this.#readWideLong());
  }

  /** Reads a long exactly: a number when it is a safe integer, otherwise a bigint. */
  readExactLong(): number | bigint {
    const { buf, pos } = this;
    const byte = buf[pos];
    // Undefined after the end.
    if (byte !== undefined && byte < 0x80) {
      this.pos = pos + 1;
      return (byte >>> 1) ^ -(byte & 1);
    }
    return this.#readWideLong();
  }

  readFloat(): number {
    return this.#floats().getFloat32(this.#advance(4), true);
  }

  readDouble(): number {
    return this.#floats().getFloat64(this.#advance(8), true);
  }

  readFixed(size: number): Uint8Array {
    this.takeItems(costlyExtra);
    const start = this.#advance(size);
    const copy = new Uint8Array(size);
    copy.set(this.buf.subarray(start, start + size));
    return copy;
  }

  readBytes(): Uint8Array {
    return this.readFixed(this.#readLength());
  }

  readString(): string {
    const length = this.#readLength();
    const start = this.#advance(length);
    const ascii = shortAsciiReaders[length]?.(this.buf, start);
    if (ascii !== undefined) return ascii;
    const text = this.buf.utf8Slice(start, start + length);
    // The decoder writes U+FFFD for invalid bytes; only then the bytes are checked again.
    if (text.includes("\ufffd") && !isUtf8(this.buf.subarray(start, start + length)))
      throw this.failure("utf8-invalid", "a string is not valid UTF-8", start);
    return text;
  }

  /**
   * Reads the count of a block of an array or map; zero ends it, a negative count is followed by a byte size. Items that a resolver reads twice
   * count once.
   */
  readCount(): number {
    const start = this.pos;
    const count = this.readLong();
    if (start >= this.#countedTo) {
      const claimed = Math.abs(count);
      this.#claimsLeft -= claimed;
      this.#countedTo = this.pos;
      if (this.#claimsLeft < 0)
        throw this.failure("count-exceeded", "a block claims more items than the body can hold", start);
      this.takeItems(claimed);
    }
    return count;
  }

  /** Reads the byte size of a block and returns where it must end. */
  readBlockEnd(): number {
    const length = this.#readLength();
    if (length > this.end - this.pos) throw this.#truncated();
    return this.pos + length;
  }

  /** Checks that a block ended at its declared byte size. */
  endBlock(end: number): void {
    if (this.pos !== end)
      throw this.failure("malformed", "a block does not have the size it claims", this.pos);
  }

  skipBoolean(): void {
    this.readBoolean();
  }

  skipInt(): void {
    this.readInt();
  }

  skipLong(): void {
    this.readLong();
  }

  skipFloat(): void {
    this.#advance(4);
  }

  skipDouble(): void {
    this.#advance(8);
  }

  skipFixed(size: number): void {
    this.takeItems(costlyExtra);
    this.#advance(size);
  }

  skipBytes(): void {
    this.skipFixed(this.#readLength());
  }

  skipString(): void {
    this.#advance(this.#readLength());
  }

  /** Refuses a body with bytes after its value. */
  finish(): void {
    if (this.pos !== this.end)
      throw this.failure("trailing-bytes", `${this.end - this.pos} bytes follow the value`, this.pos);
  }

  failDepth(): never {
    throw this.failure(
      "depth-exceeded",
      `the value nests deeper than ${this.maxDepth} arrays, maps and records`,
      this.pos,
    );
  }

  /** Counts items and checks the limit. */
  takeItems(count: number): void {
    this.itemsLeft -= count;
    if (this.itemsLeft < 0)
      throw this.failure("items-exceeded", `the value holds more than ${this.maxItems} items`, this.pos);
  }

  failure(reason: DecodeReason, text: string, offset: number): WaybillError {
    return decodeFailure(reason, `The Avro body is not readable: ${text} (offset ${offset}).`);
  }

  /** Made with the first number: engines compile its methods to one instruction, which those of `Buffer` are not. */
  #floats(): DataView {
    const { buf } = this;
    this.#view ??= new DataView(buf.buffer, buf.byteOffset, buf.length);
    return this.#view;
  }

  #readLength(): number {
    const start = this.pos;
    const length = this.readLong();
    if (length < 0) throw this.failure("malformed", "a length is negative", start);
    return length;
  }

  #advance(size: number): number {
    const start = this.pos;
    if (size > this.end - start) throw this.#truncated();
    this.pos = start + size;
    return start;
  }

  #readWideInt(): number {
    const start = this.pos;
    let bits = 0;
    for (let shift = 0; shift <= 28; shift += 7) {
      const byte = this.#nextByte();
      bits |= (byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if (byte === 0 && shift > 0) throw this.#overlong(start);
      if (shift === 28 && byte > 0x0f) break;
      return (bits >>> 1) ^ -(bits & 1);
    }
    throw this.failure("value-out-of-range", "an int does not fit 32 bits", start);
  }

  #readWideLong(): number | bigint {
    const start = this.pos;
    // Three parts of 28, 28 and 8 bits, because JavaScript's integer arithmetic ends at 32.
    let low = 0;
    let middle = 0;
    let high = 0;
    for (let index = 0; ; index++) {
      const byte = this.#nextByte();
      const bits = byte & 0x7f;
      if (index < 4) low |= bits << (7 * index);
      else if (index < 8) middle |= bits << (7 * (index - 4));
      else high |= bits << (7 * (index - 8));
      if (index === 9 && byte > 1)
        throw this.failure("value-out-of-range", "a long does not fit 64 bits", start);
      if (byte >= 0x80) continue;
      if (byte === 0 && index > 0) throw this.#overlong(start);
      break;
    }
    const isNegative = (low & 1) === 1;
    const magnitude = (low >>> 1) + middle * 2 ** 27 + high * 2 ** 55;
    const value = isNegative ? -magnitude - 1 : magnitude;
    if (Number.isSafeInteger(value)) return value;
    const exact = BigInt(low >>> 1) + (BigInt(middle) << 27n) + (BigInt(high) << 55n);
    return isNegative ? -exact - 1n : exact;
  }

  #nextByte(): number {
    const byte = this.buf[this.pos];
    if (byte === undefined) throw this.#truncated();
    this.pos++;
    return byte;
  }

  #overlong(start: number): WaybillError {
    return this.failure("malformed", "an integer takes more bytes than it needs", start);
  }

  #truncated(): WaybillError {
    return this.failure("truncated", "it ends inside a value", this.end);
  }
}
