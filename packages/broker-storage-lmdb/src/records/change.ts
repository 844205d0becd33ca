import type { Buffer } from "node:buffer";
import { checksumBytes, checksumOf } from "./checksum.js";
import type { RecordWriter } from "./record-writer.js";

/**
 * Bytes in front of a change: the lengths of its key and its value. A value is a checksum and a record; a change without a value deletes the
 * record.
 */
export const changeHeaderBytes = 6;

/** A change in some bytes. */
export interface Change {
  readonly keyStart: number;
  readonly valueStart: number;
  readonly end: number;
}

/** Begins a change; its key follows. */
export function beginChange(writer: RecordWriter): void {
  writer.begin();
  writer.u16(0);
  writer.u32(0);
}

/** Begins the value of the key just written; returns how many bytes are before it. */
export function beginValue(writer: RecordWriter): number {
  const valueAt = writer.end - writer.start;
  writer.u32(0);
  return valueAt;
}

/** Completes the change just written with its lengths and its checksum. `valueAt` is what `beginValue` returned. */
export function endPut(writer: RecordWriter, valueAt: number): void {
  const { chunk, start, end } = writer;
  const valueStart = start + valueAt;
  const keyStart = start + changeHeaderBytes;
  chunk.writeUInt32BE(changeChecksum(chunk, keyStart, valueStart, end), valueStart);
  chunk.writeUInt16BE(valueStart - keyStart, start);
  chunk.writeUInt32BE(end - valueStart, start + 2);
}

/** The checksum of a change that puts a record. */
export function changeChecksum(bytes: Buffer, keyStart: number, valueStart: number, end: number): number {
  return checksumOf(bytes, keyStart, valueStart, bytes, valueStart + checksumBytes, end);
}

/** Completes the deletion of the key just written. */
export function endDelete(writer: RecordWriter): void {
  const { chunk, start, end } = writer;
  chunk.writeUInt16BE(end - start - changeHeaderBytes, start);
}

/** The change at a position. Throws a `RangeError` if it does not end with the bytes. */
export function readChange(bytes: Buffer, at: number): Change {
  const keyStart = at + changeHeaderBytes;
  if (keyStart > bytes.byteLength) throw new RangeError("a change ends too early");
  const valueStart = keyStart + bytes.readUInt16BE(at);
  const end = valueStart + bytes.readUInt32BE(at + 2);
  if (end > bytes.byteLength) throw new RangeError("a change ends too early");
  return { keyStart, valueStart, end };
}
