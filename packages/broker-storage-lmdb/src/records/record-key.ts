import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { RecordWriter } from "./record-writer.js";

/** The first byte of every key: the kind of its record. The numbers are part of the store's format; records are loaded in their order. */
export const Table = Object.freeze({
  log: 0,
  pack: 1,
  entity: 2,
  counter: 3,
  message: 4,
  session: 5,
  duplicate: 6,
});

/** Longer texts are hashed, because the store limits the length of keys. The record itself contains the text. */
const maxTextInKey = 400;

/** Writes a key made of numbers into the record that was begun; keys of one table sort like their numbers. */
export function writeNumberKey(writer: RecordWriter, table: number, first: number, second?: number): void {
  writer.u8(table);
  writer.u64(first);
  if (second !== undefined) writer.u64(second);
}

/** Writes a key made of a number and a text into the record that was begun. */
export function writeTextKey(writer: RecordWriter, table: number, owner: number, text: string): void {
  writer.u8(table);
  writer.u64(owner);
  const bytes = Buffer.from(text, "utf16le");
  const isShort = bytes.byteLength <= maxTextInKey;
  writer.u8(isShort ? 0 : 1);
  writer.bytes(isShort ? bytes : createHash("sha256").update(bytes).digest());
}

/** The first or second number in the key from `start` to `end`. Throws a `RangeError` for a key without it. */
export function numberIn(key: Buffer, start: number, end: number, position: 0 | 1): number {
  const at = start + 1 + position * 8;
  if (at + 8 > end) throw new RangeError("a key is too short");
  return key.readUInt32BE(at) * 2 ** 32 + key.readUInt32BE(at + 4);
}
