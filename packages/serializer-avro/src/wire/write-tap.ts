import { untransferable } from "@waybill/core/internal";
import type { SerializeContext } from "@waybill/core/serializer";
import { type NativeBuffer, toNativeBuffer } from "./native-buffer.js";
import { costlyExtra, zeroWidthItemsLimit } from "./read-tap.js";

const initialSize = 4096;
/** A scratch buffer that grew beyond this is not kept for the next message. */
const keptSize = 1 << 20;

/** Bodies of more than a quarter of this get memory of their own. */
const slabBytes = 32_768;
/** The memory that smaller bodies share: one allocation, which takes longer than to copy a body, is enough for many of them. */
let slab = new Uint8Array(0);
/** Where the free part of the slab begins. */
let free = 0;

/** Thrown inside a write. Without a text, the serializer searches for the path of the value that does not fit. */
export class InvalidValue extends Error {
  readonly isComplete: boolean;

  constructor(text?: string) {
    super(text ?? "the value does not fit the schema");
    this.isComplete = text !== undefined;
  }
}

const doesNotFit = Object.freeze(new InvalidValue());

/**
 * The writing position. Replaces the tap of avsc: it grows instead of encoding twice, writes any 64-bit long, refuses lone surrogates, and limits
 * depth. `takeWriteTap` lends one; `release` returns its buffer.
 * Source: Avro specification 1.12, "Binary Encoding".
 */
export class WriteTap {
  buf: NativeBuffer;
  /** On the same memory. Engines compile its methods to one instruction, which those of `Buffer` are not. */
  view: DataView;
  pos = 0;
  depth = 0;
  /** Items of arrays and maps. */
  items = 0;
  /** Further items: the fields of records, and the extra count of byte strings. */
  fields = 0;
  readonly maxDepth: number;

  constructor({ buf, view }: Scratch, maxDepth: number) {
    this.buf = buf;
    this.view = view;
    this.maxDepth = maxDepth;
  }

  writeBoolean(value: boolean): void {
    if (this.pos >= this.buf.length) this.#grow(1);
    this.buf[this.pos++] = value ? 1 : 0;
  }

  /** Writes a safe integer. */
  writeLong(value: number): void {
    if (this.pos + 10 > this.buf.length) this.#grow(10);
    const buf = this.buf;
    let rest: number;
    if (value >= -0x40000000 && value < 0x40000000) rest = value >= 0 ? value << 1 : (~value << 1) | 1;
    else {
      const magnitude = value >= 0 ? value : -value - 1;
      let low = (magnitude % 2 ** 27) * 2 + (value < 0 ? 1 : 0);
      for (let index = 0; index < 4; index++, low >>>= 7) buf[this.pos++] = low | 0x80;
      rest = Math.floor(magnitude / 2 ** 27);
    }
    while (rest > 0x7f) {
      buf[this.pos++] = rest | 0x80;
      rest >>>= 7;
    }
    buf[this.pos++] = rest;
  }

  writeBigLong(value: bigint): void {
    if (this.pos + 10 > this.buf.length) this.#grow(10);
    let rest = value >= 0n ? value << 1n : (~value << 1n) | 1n;
    while (rest > 0x7fn) {
      this.buf[this.pos++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.buf[this.pos++] = Number(rest);
  }

  writeFloat(value: number): void {
    if (Number.isFinite(value) && !Number.isFinite(Math.fround(value))) {
      throw new InvalidValue("a number is beyond the range of a float");
    }
    if (this.pos + 4 > this.buf.length) this.#grow(4);
    this.view.setFloat32(this.pos, value, true);
    this.pos += 4;
  }

  writeDouble(value: number): void {
    if (this.pos + 8 > this.buf.length) this.#grow(8);
    this.view.setFloat64(this.pos, value, true);
    this.pos += 8;
  }

  writeFixed(bytes: Uint8Array): void {
    this.fields += costlyExtra;
    if (this.pos + bytes.length > this.buf.length) this.#grow(bytes.length);
    this.buf.set(bytes, this.pos);
    this.pos += bytes.length;
  }

  writeBytes(bytes: Uint8Array): void {
    this.writeLong(bytes.length);
    this.writeFixed(bytes);
  }

  /** Writes bytes held as a string of code points up to 255, which is how defaults are kept. */
  writeBinary(text: string, length: number): void {
    if (this.pos + length > this.buf.length) this.#grow(length);
    this.buf.write(text, this.pos, length, "latin1");
    this.pos += length;
  }

  writeString(text: string): void {
    const length = text.length;
    if (this.pos + 3 * length + 5 > this.buf.length) this.#grow(3 * length + 5);
    if (length > 24 || !this.#writeShortAscii(text, length)) this.#writeText(text, length);
  }

  /** Writes `C3 01` and the fingerprint in little-endian order. */
  writeSingleObjectHeader(fingerprintLow: number, fingerprintHigh: number): void {
    this.buf[this.pos] = 0xc3;
    this.buf[this.pos + 1] = 0x01;
    this.view.setUint32(this.pos + 2, fingerprintLow, true);
    this.view.setUint32(this.pos + 6, fingerprintHigh, true);
    this.pos += 10;
  }

  /** Writes `00` and the schema id as a big-endian int32. */
  writeConfluentHeader(schemaId: number): void {
    this.buf[this.pos] = 0;
    this.pos = this.buf.writeInt32BE(schemaId, this.pos + 1);
  }

  /** The bytes written, in memory that is never overwritten. */
  copy(): Uint8Array {
    const size = this.pos;
    const written = new Uint8Array(this.buf.buffer, this.buf.byteOffset, size);
    if (size > slabBytes / 4) return written.slice();
    if (size > slab.length - free) {
      slab = untransferable(new Uint8Array(slabBytes));
      free = 0;
    }
    slab.set(written, free);
    const bytes = new Uint8Array(slab.buffer, free, size);
    free += size;
    return bytes;
  }

  /** Refuses values that readers of this package would refuse. */
  finish(maxItemsIn: SerializeContext["maxItemsIn"]): void {
    const maxItems = maxItemsIn?.(this.pos);
    if (maxItems !== undefined && this.items + this.fields > maxItems)
      throw new InvalidValue(`the value holds more than ${maxItems} items`);
    if (this.items > this.pos + zeroWidthItemsLimit)
      throw new InvalidValue(
        `the value holds more than ${zeroWidthItemsLimit} array or map items that take no bytes`,
      );
  }

  failDepth(): never {
    throw new InvalidValue(`the value nests deeper than ${this.maxDepth} arrays, maps and records`);
  }

  /** Throws because a value does not fit its type. One shared error, since it only stops the write. */
  refuse(): never {
    throw doesNotFit;
  }

  // Most strings in messages are short and ASCII; a loop over them is faster than two calls into native code.
  #writeShortAscii(text: string, length: number): boolean {
    const buf = this.buf;
    const start = this.pos;
    buf[start] = length << 1;
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f) return false;
      buf[start + 1 + index] = unit;
    }
    this.pos = start + 1 + length;
    return true;
  }

  #writeText(text: string, length: number): void {
    const start = this.pos;
    this.writeLong(length);
    const bodyStart = this.pos;
    const byteLength = this.buf.utf8Write(text, bodyStart);
    if (byteLength !== length) {
      // Every character beyond ASCII takes more bytes than UTF-16 units; Node would write U+FFFD for a lone surrogate.
      if (!isWellFormed(text)) this.refuse();
      const movedStart = start + lengthOfLength(byteLength);
      if (movedStart !== bodyStart) this.buf.copyWithin(movedStart, bodyStart, bodyStart + byteLength);
      this.pos = start;
      this.writeLong(byteLength);
    }
    this.pos += byteLength;
  }

  #grow(size: number): void {
    const { buf, view } = newScratch(Math.max(this.buf.length * 2, this.pos + size));
    buf.set(this.buf.subarray(0, this.pos));
    this.buf = buf;
    this.view = view;
  }
}

function lengthOfLength(length: number): number {
  let size = 1;
  for (let rest = length >>> 6; rest > 0; rest >>>= 7) size++;
  return size;
}

/** Memory to write to. */
type Scratch = Pick<WriteTap, "buf" | "view">;

/** Memory of at least so many bytes. */
export function newScratch(size: number): Scratch {
  const buf = toNativeBuffer(Buffer.allocUnsafeSlow(size));
  return { buf, view: new DataView(buf.buffer, buf.byteOffset, buf.length) };
}

let spare: Scratch | undefined;

/** Lends a tap on a scratch buffer. A serialization that starts inside another (in a getter) gets its own buffer. */
export function takeWriteTap(maxDepth: number): WriteTap {
  const scratch = spare ?? newScratch(initialSize);
  spare = undefined;
  return new WriteTap(scratch, maxDepth);
}

/** Returns the scratch buffer; the tap must no longer be used. */
export function releaseWriteTap(tap: WriteTap): void {
  if (tap.buf.length <= keptSize) spare = { buf: tap.buf, view: tap.view };
}

/** Whether UTF-8 can represent the text: it has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
