import { Buffer } from "node:buffer";
import { serialize } from "node:v8";

const CHUNK_BYTES = 64 * 1024;
/** Texts up to this many UTF-16 units take less than 255 bytes in UTF-8, so their length fits one byte. */
const SHORT_TEXT_UNITS = 84;
/** Stands before a length of four bytes. */
const LONG_LENGTH = 255;
/** What UTF-8 cannot hold. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Values nest no deeper than this; the reader refuses more. */
export const DEEPEST_VALUE = 100;

/** What a value in a record is. The numbers are part of the store's format. */
export const ValueTag = Object.freeze({
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  number: 4,
  text: 5,
  utf16: 6,
  bigint: 7,
  date: 8,
  bytes: 9,
  array: 10,
  object: 11,
  /** Any other value, in the structured-clone format of V8. */
  cloned: 12,
});

/**
 * Writes records one after another into large chunks of memory. A finished record is a view that is never written again, so it
 * may be handed to another thread; its chunk lives as long as any of its records.
 */
export class RecordWriter {
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #start = 0;
  #at = 0;

  /** Ends the record and returns it. */
  finish(): Buffer {
    const record = this.#chunk.subarray(this.#start, this.#at);
    this.#start = this.#at;
    return record;
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#chunk[this.#at++] = value;
  }

  u32(value: number): void {
    this.#reserve(4);
    this.#at = this.#chunk.writeUInt32BE(value, this.#at);
  }

  /** A safe integer that is not negative; sorts like the number. */
  u64(value: number): void {
    this.#reserve(8);
    this.#at = this.#chunk.writeUInt32BE(Math.floor(value / 2 ** 32), this.#at);
    this.#at = this.#chunk.writeUInt32BE(value >>> 0, this.#at);
  }

  f64(value: number): void {
    this.#reserve(8);
    this.#at = this.#chunk.writeDoubleBE(value, this.#at);
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.byteLength);
    this.#chunk.set(value, this.#at);
    this.#at += value.byteLength;
  }

  /** A well-formed text with its length. */
  text(value: string): void {
    if (value.length <= SHORT_TEXT_UNITS) {
      this.#reserve(1 + value.length * 3);
      const written = this.#chunk.write(value, this.#at + 1);
      this.#chunk[this.#at] = written;
      this.#at += 1 + written;
    } else this.#sized(Buffer.from(value));
  }

  /** Any value of the structured clone algorithm, with its type. */
  value(value: unknown, depth = 0): void {
    if (typeof value === "string") this.#anyText(value);
    else if (typeof value === "number") {
      this.u8(ValueTag.number);
      this.f64(value);
    } else if (typeof value === "bigint") {
      this.u8(ValueTag.bigint);
      this.#sized(Buffer.from(value.toString(16)));
    } else if (value === undefined) this.u8(ValueTag.undefined);
    else if (value === null) this.u8(ValueTag.null);
    else if (typeof value === "boolean") this.u8(value ? ValueTag.true : ValueTag.false);
    else this.#object(value, depth);
  }

  #object(value: object, depth: number): void {
    if (value instanceof Date) {
      this.u8(ValueTag.date);
      this.f64(value.getTime());
    } else if (value instanceof Uint8Array) {
      this.u8(ValueTag.bytes);
      this.#sized(value);
    } else if (Array.isArray(value) && depth < DEEPEST_VALUE) this.#array(value, depth + 1);
    else if (isPlain(value) && depth < DEEPEST_VALUE) this.#plainObject(value, depth + 1);
    else {
      this.u8(ValueTag.cloned);
      this.#sized(serialize(value));
    }
  }

  #array(values: readonly unknown[], depth: number): void {
    this.u8(ValueTag.array);
    this.u32(values.length);
    for (const value of values) this.value(value, depth);
  }

  #plainObject(object: object, depth: number): void {
    const entries = Object.entries(object);
    this.u8(ValueTag.object);
    this.u32(entries.length);
    for (const [name, value] of entries) {
      this.#anyText(name);
      this.value(value, depth);
    }
  }

  #anyText(text: string): void {
    if (LONE_SURROGATE.test(text)) {
      this.u8(ValueTag.utf16);
      this.#sized(Buffer.from(text, "utf16le"));
    } else {
      this.u8(ValueTag.text);
      this.text(text);
    }
  }

  #sized(bytes: Uint8Array): void {
    if (bytes.byteLength < LONG_LENGTH) this.u8(bytes.byteLength);
    else {
      this.u8(LONG_LENGTH);
      this.u32(bytes.byteLength);
    }
    this.bytes(bytes);
  }

  #reserve(byteLength: number): void {
    if (this.#at + byteLength <= this.#chunk.byteLength) return;
    const begun = this.#chunk.subarray(this.#start, this.#at);
    const needed = begun.byteLength + byteLength;
    const chunk = Buffer.allocUnsafeSlow(needed > CHUNK_BYTES / 4 ? needed * 2 : CHUNK_BYTES);
    chunk.set(begun);
    this.#chunk = chunk;
    this.#start = 0;
    this.#at = begun.byteLength;
  }
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
