import { Buffer } from "node:buffer";
import { beginChange, beginValue, endPut } from "../records/change.js";
import { Table, writeNumberKey } from "../records/record-key.js";
import { RecordReader } from "../records/record-reader.js";
import type { RecordWriter } from "../records/record-writer.js";
import { logIdBytes } from "./blocks.js";

/**
 * What the store knows of its log. While `begun` is after `applied`, the store is not complete without the log: the segments from the head
 * `applied + 1` to the head `begun` have what was acknowledged since.
 */
export interface LogState {
  /** Random, for each log anew: one is created with the first change after a store was opened that had been closed. */
  readonly logId: Buffer;
  /** The number of the last group whose changes are all in the store. */
  readonly applied: number;
  /** The number of the head of the newest segment; `applied` if there is none. */
  readonly begun: number;
  /** The number of the last group that the store was brought up to date by: it does not have what this one and those before it delete. */
  readonly needed: number;
  /** Which of the log's files that segment is in. */
  readonly place: number;
}

/** That of a store that never had a log. */
export const noLog: LogState = Object.freeze({
  logId: Buffer.alloc(logIdBytes),
  applied: 0,
  begun: 0,
  needed: 0,
  place: 0,
});

/** Writes the change of the state's record. */
export function writeLogState(writer: RecordWriter, state: LogState): void {
  beginChange(writer);
  writeNumberKey(writer, Table.log, 0);
  const valueAt = beginValue(writer);
  writer.bytes(state.logId);
  writer.u64(state.applied);
  writer.u64(state.begun);
  writer.u64(state.needed);
  writer.u8(state.place);
  endPut(writer, valueAt);
}

/** Throws a `RangeError` for bytes that are not such a record. */
export function readLogState(bytes: Buffer, start: number): LogState {
  const reader = new RecordReader().begin(bytes, start + logIdBytes);
  const state = {
    applied: reader.u64(),
    begun: reader.u64(),
    needed: reader.u64(),
    place: reader.u8(),
  };
  reader.end();
  return { logId: Buffer.from(bytes.subarray(start, start + logIdBytes)), ...state };
}
