import type { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";

/** Bytes of the checksum before a record's payload. */
export const CHECKSUM_BYTES = 4;
/** For longer payloads the native function is faster, calling it included. */
const SHORT_BYTES = 256;
const POLYNOMIAL = 0xedb88320;

/** What each byte does to a CRC-32, four places on, three, two and one. */
const TABLES = makeTables();

/** The checksum of a record: the CRC-32 of its payload, begun with its key, so that a record in a wrong place is found out. */
export function checksumOf(
  key: Uint8Array,
  keyStart: number,
  keyEnd: number,
  payload: Buffer,
  start: number,
  end: number,
): number {
  let seed = 0x811c9dc5;
  for (let at = keyStart; at < keyEnd; at++) seed = Math.imul(seed ^ key[at]!, 0x01000193);
  return end - start > SHORT_BYTES
    ? crc32(payload.subarray(start, end), seed >>> 0)
    : shortCrc32(payload, start, end, seed);
}

function shortCrc32(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let crc = ~seed;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      TABLES[768 + (crc & 255)]! ^
      TABLES[512 + ((crc >>> 8) & 255)]! ^
      TABLES[256 + ((crc >>> 16) & 255)]! ^
      TABLES[crc >>> 24]!;
  }
  for (; at < end; at++) crc = TABLES[(crc ^ bytes[at]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

function makeTables(): Int32Array {
  const tables = new Int32Array(4 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables[byte] = crc;
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256]!;
    tables[at] = tables[before & 255]! ^ (before >>> 8);
  }
  return tables;
}
