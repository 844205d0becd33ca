import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { RecordWriter } from "./record-writer.js";

/**
 * The first byte of every key: what kind of record it names. The numbers are part of the store's format; loading goes in
 * their order.
 */
export const Table = Object.freeze({
  pack: 1,
  entity: 2,
  counter: 3,
  message: 4,
  session: 5,
  duplicate: 6,
});

/** Longer texts stand in keys as their hash: the store bounds the length of keys. The record itself holds the text. */
const LONGEST_TEXT_IN_KEY = 400;

/** Writes the key of a record that numbers name; keys of one table sort like their numbers. */
export function writeNumberKey(writer: RecordWriter, table: number, first: number, second?: number): void {
  writer.u8(table);
  writer.u64(first);
  if (second !== undefined) writer.u64(second);
}

/** Writes the key of a record that a number and a text name. */
export function writeTextKey(writer: RecordWriter, table: number, owner: number, text: string): void {
  writer.u8(table);
  writer.u64(owner);
  const bytes = Buffer.from(text, "utf16le");
  const isShort = bytes.byteLength <= LONGEST_TEXT_IN_KEY;
  writer.u8(isShort ? 0 : 1);
  writer.bytes(isShort ? bytes : createHash("sha256").update(bytes).digest());
}

/** The number that stands in a key behind its table, or the second one. */
export function numberIn(key: Buffer, position: 0 | 1): number {
  const at = 1 + position * 8;
  return key.readUInt32BE(at) * 2 ** 32 + key.readUInt32BE(at + 4);
}
