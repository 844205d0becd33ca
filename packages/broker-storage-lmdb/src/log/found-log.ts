import { Buffer } from "node:buffer";
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, readSync } from "node:fs";
import { basename } from "node:path";
import { type Change, readChange } from "../records/change.js";
import { blockBytes, Stamps } from "./blocks.js";
import { headBlocks } from "./log-format.js";
import type { LogState } from "./log-state.js";
import { SegmentChanges } from "./segment-changes.js";
import { type FoundSegment, findHead, hasGroups, scanSegment } from "./segment-scan.js";

/** A segment in one of the files of the log. */
export interface SegmentInFile extends FoundSegment {
  /** Which of the log's files. */
  readonly place: number;
  readonly changes: SegmentChanges;
  /** How many changes it has. */
  readonly count: number;
}

/** The last change of a key. */
export interface LastChange extends Change {
  readonly bytes: Buffer;
  /** Which of the log's files it is in; its positions there are those in `bytes`. */
  readonly place: number;
}

/** What a segment has for each key. */
interface Changes {
  readonly place: number;
  /** The file, without stamps. */
  readonly bytes: Buffer;
  /** The position of the last change, by the key's bytes as a string. */
  readonly positions: Map<string, number>;
}

/**
 * What the log holds beyond the store, read when a store is loaded: the last change of each key, in the order of keys. Nothing is written, so
 * it can be read any number of times.
 */
export class FoundLog {
  /** In the order in which they were written. */
  readonly segments: readonly SegmentInFile[];
  /** The newest segment first. */
  readonly #changes: Changes[] = [];
  readonly #keys: readonly string[];
  #next = 0;

  /** Throws a `RangeError` that names the missing, foreign or damaged file. */
  constructor(paths: readonly string[], state: LogState) {
    this.segments = this.#readSegments(paths, state);
    requireNoOthers(paths, state, this.segments);
    this.#keys = [...new Set(this.#changes.flatMap(({ positions }) => [...positions.keys()]))].sort();
  }

  /** The key of the next change, as a string of its bytes; undefined after the last one. */
  get nextKey(): string | undefined {
    return this.#keys[this.#next];
  }

  /** The next change. */
  take(): LastChange {
    const key = this.#keys[this.#next++] ?? "";
    for (const { place, bytes, positions } of this.#changes) {
      const position = positions.get(key);
      if (position !== undefined) return { ...readChange(bytes, position), bytes, place };
    }
    throw new RangeError("there is no such change");
  }

  /** The segments that the store needs: the newest one, and the one before it unless the store has that. */
  #readSegments(
    paths: readonly string[],
    { logId, applied, begun, needed, place }: LogState,
  ): SegmentInFile[] {
    if (begun === applied) return [];
    const stamps = new Stamps(logId);
    const read = (from: number, head: number, last: number) => {
      const segment = this.#readSegment(paths, from, logId, stamps, head);
      if (segment.last < last) throw isOlder(basename(paths[from] ?? ""));
      return segment;
    };
    const newest = () => read(place, begun, needed);
    return begun === applied + 1 ? [newest()] : [read(1 - place, applied + 1, begun - 1), newest()];
  }

  #readSegment(
    paths: readonly string[],
    place: number,
    logId: Buffer,
    stamps: Stamps,
    head: number,
  ): SegmentInFile {
    const path = paths[place] ?? "";
    if (!existsSync(path)) throw missing(path);
    // What a killed process wrote last may not be synced yet. What follows from it must not be on the disk before.
    syncFile(path);
    const bytes = readFileSync(path);
    requireHead(bytes, basename(path), logId, head);
    const positions = new Map<string, number>();
    this.#changes.unshift({ place, bytes, positions });
    const changes = new SegmentChanges();
    let count = 0;
    try {
      const segment = scanSegment(bytes, stamps, head, (_, keyStart, valueStart, end, position) => {
        positions.set(bytes.toString("latin1", keyStart, valueStart), position);
        if (valueStart < end) changes.put(bytes, keyStart, valueStart, position);
        else changes.delete(bytes, keyStart, valueStart);
        count++;
      });
      return { ...segment, place, changes, count };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new RangeError(`in its file ${basename(path)}, ${error.message}`, { cause: error });
    }
  }
}

function syncFile(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Throws unless a file has the segment with a head. */
function requireHead(file: Buffer, name: string, logId: Buffer, head: number): void {
  const found = findHead(file);
  if (found === undefined) throw new RangeError(`in its file ${name}, it is damaged at offset 0`);
  if (!found.logId.equals(logId))
    throw new RangeError(`its file ${name} belongs to another store, or to another state of this one`);
  if (found.head < head) throw isOlder(name);
  if (found.head > head) throw new RangeError(`its file ${name} is newer than its file store.mdb`);
}

function isOlder(name: string): RangeError {
  return new RangeError(`its file ${name} is older than its file store.mdb`);
}

/**
 * Throws if a file that the store does not need has changes that it does not have: the store's file is older than the log, or of another store.
 * What a closed store, or an interrupted beginning of a segment leaves has none.
 */
function requireNoOthers(
  paths: readonly string[],
  { logId, applied }: LogState,
  segments: readonly SegmentInFile[],
): void {
  const last = segments.at(-1)?.last ?? applied;
  for (const [place, path] of paths.entries()) {
    if (segments.some((segment) => segment.place === place) || !existsSync(path)) continue;
    const start = readStart(path);
    const found = findHead(start);
    const isKnown = found?.logId.equals(logId) && found.head <= last;
    if (found !== undefined && !isKnown && hasGroups(start, found))
      throw new RangeError(
        `its file ${basename(path)} has changes that its file store.mdb knows nothing of: one of them belongs to another store, or to another state of this one`,
      );
  }
}

/** The head in a file, and the block behind it. */
function readStart(path: string): Buffer {
  const bytes = Buffer.alloc((headBlocks + 1) * blockBytes);
  const descriptor = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

function missing(path: string): RangeError {
  return new RangeError(
    `its file ${basename(path)} is missing, which has the changes of a broker that was not closed. A copy needs store.json, store.mdb and both files of the log`,
  );
}
