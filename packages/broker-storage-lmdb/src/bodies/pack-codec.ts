import type { Buffer } from "node:buffer";
import type { RecordWriter } from "../records/record-writer.js";

/** Bodies by their index in a pack; undefined if deleted. Views that must not be changed. */
export type PackedBodies = readonly (Uint8Array | undefined)[];

/** Maximum bodies per pack. Part of the store's format: a body's id is its pack's id times this plus its index. */
export const maxBodiesInPack = 256;
/** Overhead per body in the pack's list of bodies. */
export const bytesPerPackedBody = 5;
const countBytes = 2;

/** Writes adjacent bodies of these lengths, then the list of their indexes and lengths, then their number. */
export function writePack(writer: RecordWriter, bodies: Uint8Array, lengths: readonly number[]): void {
  writer.bytes(bodies);
  for (const [index, length] of lengths.entries()) writeEntry(writer, index, length);
  writer.u16(lengths.length);
}

/** Writes a pack whose deleted bodies are left out. */
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

/** Splits adjacent bodies by their lengths; -1 is a deleted body. */
export function bodiesIn(bytes: Uint8Array, lengths: readonly number[]): PackedBodies {
  let at = 0;
  return lengths.map((length) => {
    if (length < 0) return undefined;
    at += length;
    return bytes.subarray(at - length, at);
  });
}

/** The length of each body, -1 if deleted. Throws a `RangeError` for bytes that are not a pack. */
export function readPackLengths(bytes: Buffer, start: number): number[] {
  const listEnd = bytes.byteLength - countBytes;
  const count = listEnd < start ? Number.POSITIVE_INFINITY : bytes.readUInt16BE(listEnd);
  const listStart = listEnd - count * bytesPerPackedBody;
  if (listStart < start) throw unsound();
  const lengths: number[] = [];
  let left = listStart - start;
  for (let entry = listStart; entry < listEnd; entry += bytesPerPackedBody) {
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

/** Throws a `RangeError` for bytes that are not a pack. */
export function readPack(bytes: Buffer, start: number): PackedBodies {
  return bodiesIn(bytes.subarray(start), readPackLengths(bytes, start));
}

function writeEntry(writer: RecordWriter, index: number, length: number): void {
  writer.u8(index);
  writer.u32(length);
}

function unsound(): RangeError {
  return new RangeError("its list of bodies is damaged");
}
