import type { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";

/** Size of the checksum in front of a record's payload. */
export const checksumBytes = 4;
/** For longer payloads, the native function is faster despite the call overhead. */
const shortBytes = 256;
const polynomial = 0xedb88320;

/** CRC-32 tables for processing eight bytes at once. */
const byteTables = makeTables();

/** The checksum of a record: CRC-32 of its payload, seeded with its key, so that a misplaced record is detected. */
export function checksumOf(
  key: Uint8Array,
  keyStart: number,
  keyEnd: number,
  payload: Buffer,
  start: number,
  end: number,
): number {
  let seed = 0x811c9dc5;
  for (let at = keyStart; at < keyEnd; at++) seed = Math.imul(seed ^ (key[at] ?? 0), 0x01000193);
  return end - start > shortBytes
    ? crc32(payload.subarray(start, end), seed >>> 0)
    : shortCrc32(payload, start, end, seed);
}

function shortCrc32(bytes: Buffer, start: number, end: number, seed: number): number {
  let crc = ~seed;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    crc ^=
      byteAt(bytes, at) |
      (byteAt(bytes, at + 1) << 8) |
      (byteAt(bytes, at + 2) << 16) |
      (byteAt(bytes, at + 3) << 24);
    crc =
      entryAt(1792 + (crc & 255)) ^
      entryAt(1536 + ((crc >>> 8) & 255)) ^
      entryAt(1280 + ((crc >>> 16) & 255)) ^
      entryAt(1024 + (crc >>> 24)) ^
      entryAt(768 + byteAt(bytes, at + 4)) ^
      entryAt(512 + byteAt(bytes, at + 5)) ^
      entryAt(256 + byteAt(bytes, at + 6)) ^
      entryAt(byteAt(bytes, at + 7));
  }
  for (; at < end; at++) crc = entryAt((crc ^ byteAt(bytes, at)) & 255) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Indexes are always within the payload. */
function byteAt(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}

/** Indexes are always below 2,048. */
function entryAt(index: number): number {
  return byteTables[index] ?? 0;
}

function makeTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    tables[byte] = crc;
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256] ?? 0;
    tables[at] = (tables[before & 255] ?? 0) ^ (before >>> 8);
  }
  return tables;
}
