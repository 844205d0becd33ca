import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { RecordWriter } from "./record-writer.js";

/** The first byte of every key: what kind of record it names. The numbers are part of the store's format. */
export const Table = Object.freeze({
  body: 2,
  counter: 3,
  duplicate: 4,
  entity: 5,
  message: 6,
  session: 7,
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

/** No key of a table lies before this. */
export function tableStart(table: number): Buffer {
  return Buffer.of(table);
}

/** All keys of a table lie before this. */
export function tableEnd(table: number): Buffer {
  return Buffer.of(table + 1);
}

/** The number that stands in a key behind its table, or the second one. */
export function numberIn(key: Uint8Array, position: 0 | 1): number {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const at = 1 + position * 8;
  return view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4);
}

/** The checksum that stands before a record's payload. It covers the key too, so a record in a wrong place is found out. */
export function checksumOf(key: Uint8Array, payload: Uint8Array): number {
  return crc32(payload, crc32(key));
}
