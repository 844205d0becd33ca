import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { RecordWriter } from "./record-writer.js";

/**
 * The first byte of every key: what kind of record it names. The numbers are part of the store's format; loading goes in
 * their order. Bodies come first because pages fill better where records are not added at the very end.
 */
export const Table = Object.freeze({
  body: 1,
  entity: 2,
  counter: 3,
  message: 4,
  session: 5,
  duplicate: 6,
});

/** Longer texts stand in keys as their hash: the store bounds the length of keys. The record itself holds the text. */
const LONGEST_TEXT_IN_KEY = 400;

/** The key of a record that numbers name; keys of one table sort like their numbers. */
export function numberKey(writer: RecordWriter, table: number, first: number, second?: number): Buffer {
  writer.u8(table);
  writer.u64(first);
  if (second !== undefined) writer.u64(second);
  return writer.finish();
}

/** The key of a record that a number and a text name. */
export function textKey(writer: RecordWriter, table: number, owner: number, text: string): Buffer {
  writer.u8(table);
  writer.u64(owner);
  const bytes = Buffer.from(text, "utf16le");
  const isShort = bytes.byteLength <= LONGEST_TEXT_IN_KEY;
  writer.u8(isShort ? 0 : 1);
  writer.bytes(isShort ? bytes : createHash("sha256").update(bytes).digest());
  return writer.finish();
}

/** The number that stands in a key behind its table, or the second one. */
export function numberIn(key: Buffer, position: 0 | 1): number {
  const at = 1 + position * 8;
  return key.readUInt32BE(at) * 2 ** 32 + key.readUInt32BE(at + 4);
}

/** The checksum that stands before a record's payload. It covers the key too, so a record in a wrong place is found out. */
export function checksumOf(key: Uint8Array, payload: Uint8Array): number {
  let seed = 0x811c9dc5;
  for (let i = 0; i < key.byteLength; i++) seed = Math.imul(seed ^ key[i]!, 0x01000193);
  return crc32(payload, seed >>> 0);
}
