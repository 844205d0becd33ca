import { Buffer } from "node:buffer";
import { serialize } from "node:v8";
import { ChunkPool } from "./chunk-pool.js";

/** Marks a length of four bytes. */
const longLength = 255;
/** Cannot be encoded in UTF-8. */
const loneSurrogate = /\p{Surrogate}/u;
/** Maximum nesting of values; the reader rejects more. */
export const maxNesting = 100;

/** The type of a value in a record. The numbers are part of the store's format. */
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
  /** Any other value, in V8's structured-clone format. */
  cloned: 12,
});

/**
 * Writes records one after another into large chunks of memory. A finished record is not changed until the pool reuses its chunk, so it may
 * be passed to another thread.
 */
export class RecordWriter {
  readonly #pool: ChunkPool;
  #chunk: Buffer;
  #start = 0;
  #at = 0;

  constructor(pool = new ChunkPool()) {
    this.#pool = pool;
    this.#chunk = pool.take(0);
  }

  /** The chunk of the current record, until more is written. */
  get chunk(): Buffer {
    return this.#chunk;
  }

  /** Offset of the record's start in its chunk. */
  get start(): number {
    return this.#start;
  }

  /** Offset of the record's current end. */
  get end(): number {
    return this.#at;
  }

  /** The bytes of the record written so far, valid until more is written. */
  get begun(): Buffer {
    return this.#chunk.subarray(this.#start, this.#at);
  }

  /** Ends the record, for callers that know its position. */
  next(): void {
    this.#start = this.#at;
  }

  /** Ends the record and returns it. */
  finish(): Buffer {
    const record = this.begun;
    this.next();
    return record;
  }

  /** Begins a record; discards what a failed one left. */
  begin(): void {
    this.#at = this.#start;
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#chunk[this.#at++] = value;
  }

  u16(value: number): void {
    this.#reserve(2);
    this.#chunk[this.#at++] = value >>> 8;
    this.#chunk[this.#at++] = value;
  }

  u32(value: number): void {
    this.#reserve(4);
    this.#chunk[this.#at++] = value >>> 24;
    this.#chunk[this.#at++] = value >>> 16;
    this.#chunk[this.#at++] = value >>> 8;
    this.#chunk[this.#at++] = value;
  }

  /** A non-negative safe integer; sorts like the number. */
  u64(value: number): void {
    this.u32(Math.floor(value / 2 ** 32));
    this.u32(value >>> 0);
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

  /** Any value that the structured clone algorithm supports, with its type. */
  value(value: unknown, depth = 0): void {
    if (typeof value === "string") this.#text(value);
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
    } else if (Array.isArray(value) && depth < maxNesting) this.#array(value, depth + 1);
    else if (isPlain(value) && depth < maxNesting) this.#plainObject(value, depth + 1);
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
      this.#text(name);
      this.value(value, depth);
    }
  }

  #text(text: string): void {
    if (text.length < longLength && this.#ascii(text)) return;
    if (loneSurrogate.test(text)) {
      this.u8(ValueTag.utf16);
      this.#sized(Buffer.from(text, "utf16le"));
    } else {
      this.u8(ValueTag.text);
      this.#sized(Buffer.from(text));
    }
  }

  /** Writes a short ASCII text, the most common kind; returns whether it was one. */
  #ascii(text: string): boolean {
    const { length } = text;
    this.#reserve(2 + length);
    const start = this.#at + 2;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f) return false;
      this.#chunk[start + i] = unit;
    }
    this.#chunk[start - 2] = ValueTag.text;
    this.#chunk[start - 1] = length;
    this.#at = start + length;
    return true;
  }

  #sized(bytes: Uint8Array): void {
    if (bytes.byteLength < longLength) this.u8(bytes.byteLength);
    else {
      this.u8(longLength);
      this.u32(bytes.byteLength);
    }
    this.bytes(bytes);
  }

  #reserve(byteLength: number): void {
    if (this.#at + byteLength <= this.#chunk.byteLength) return;
    const { begun } = this;
    const chunk = this.#pool.take(begun.byteLength + byteLength);
    chunk.set(begun);
    this.#pool.fill(this.#chunk);
    this.#chunk = chunk;
    this.#start = 0;
    this.#at = begun.byteLength;
  }
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
