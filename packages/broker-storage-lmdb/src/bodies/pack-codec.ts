import type { Buffer } from "node:buffer";
import type { RecordWriter } from "../records/record-writer.js";

/** Bodies by their index in a pack; there is none where one is gone. Views, not to be changed. */
export type PackedBodies = readonly (Uint8Array | undefined)[];

/** Indexes go up to here. Part of the store's format: a body's id is its pack's times this plus its index. */
export const MOST_BODIES_IN_PACK = 256;
/** What the pack's list of bodies takes for each. */
export const BYTES_PER_PACKED_BODY = 5;
const COUNT_BYTES = 2;

/** Writes bodies of these lengths, which follow one another, then the list of their indexes and lengths, then how many there are. */
export function writePack(writer: RecordWriter, bodies: Uint8Array, lengths: readonly number[]): void {
  writer.bytes(bodies);
  for (const [index, length] of lengths.entries()) writeEntry(writer, index, length);
  writer.u16(lengths.length);
}

/** Writes a pack of which bodies are gone. */
export function writeRepacked(writer: RecordWriter, bodies: PackedBodies): void {
  for (const body of bodies) if (body !== undefined) writer.bytes(body);
  let count = 0;
  for (const [index, body] of bodies.entries()) {
    if (body === undefined) continue;
    writeEntry(writer, index, body.byteLength);
    count++;
  }
  writer.u16(count);
}

/** The bodies of these lengths, which follow one another; -1 is none. */
export function bodiesIn(bytes: Uint8Array, lengths: readonly number[]): PackedBodies {
  let at = 0;
  return lengths.map((length) => {
    if (length < 0) return undefined;
    at += length;
    return bytes.subarray(at - length, at);
  });
}

/** The length of each body, -1 where there is none. Throws a `RangeError` for bytes that are no pack. */
export function readPackLengths(bytes: Buffer, start: number): number[] {
  const listEnd = bytes.byteLength - COUNT_BYTES;
  const count = listEnd < start ? Number.POSITIVE_INFINITY : bytes.readUInt16BE(listEnd);
  const listStart = listEnd - count * BYTES_PER_PACKED_BODY;
  if (listStart < start) throw unsound();
  const lengths: number[] = [];
  let left = listStart - start;
  for (let entry = listStart; entry < listEnd; entry += BYTES_PER_PACKED_BODY) {
    const index = bytes.readUInt8(entry);
    if (index < lengths.length) throw unsound();
    while (lengths.length < index) lengths.push(-1);
    const length = bytes.readUInt32BE(entry + 1);
    lengths.push(length);
    left -= length;
  }
  if (left !== 0) throw unsound();
  return lengths;
}

/** Throws a `RangeError` for bytes that are no pack. */
export function readPack(bytes: Buffer, start: number): PackedBodies {
  return bodiesIn(bytes.subarray(start), readPackLengths(bytes, start));
}

function writeEntry(writer: RecordWriter, index: number, length: number): void {
  writer.u8(index);
  writer.u32(length);
}

function unsound(): RangeError {
  return new RangeError("it holds bodies without a sound list of them");
}
