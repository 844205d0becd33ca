import { Buffer } from "node:buffer";
import type { LmdbTarget } from "../lmdb/lmdb-target.js";
import { beginChange, changeChecksum, endDelete, readChange } from "../records/change.js";
import { ChunkPool } from "../records/chunk-pool.js";
import { Table, writeNumberKey } from "../records/record-key.js";
import { RecordWriter } from "../records/record-writer.js";
import { LogReader } from "./log-reader.js";
import { type LogState, writeLogState } from "./log-state.js";
import type { ChangedKey, SegmentChanges } from "./segment-changes.js";
import type { StoredKeys } from "./stored-keys.js";

/** What is read in one turn of the event loop: about 0.2 ms. */
const changesPerTurn = 250;
const bytesPerTurn = 128 * 1024;
/** What is written in one transaction, which takes a turn of 1 to 2 ms and a sync. */
const changesPerTransaction = 1000;
const bytesPerTransaction = 4 * 1024 * 1024;

/** Read when the module is loaded, so that fake timers of tests cannot stop it. */
const nextTurn = setImmediate;

/** A segment that is not written to any more. */
export interface FullSegment {
  readonly path: string;
  readonly changes: SegmentChanges;
  /** The state of the log once the store has the segment. */
  readonly stateAfter: () => LogState;
}

/**
 * Brings the store up to date with a segment: writes the last change of each key, so what was changed back meanwhile costs nothing. Resolves when
 * the store is synced, and has the new state of the log; then the segment is not needed any more. A segment can be applied any number of times.
 */
export async function applySegment(
  { path, changes, stateAfter }: FullSegment,
  target: LmdbTarget,
  stored: StoredKeys,
): Promise<void> {
  const file = new LogReader(path);
  try {
    const transactions = new Transactions(target, stored);
    for (const puts = changes.puts()[Symbol.iterator](); ; ) {
      // Before it is known what comes next: a change may be forgotten meanwhile, but not between that and the note that the store has it.
      await transactions.makeRoom();
      const next = puts.next();
      if (next.done === true) break;
      transactions.put(file.readChange(next.value));
    }
    for (const key of changes.deletions()) {
      await transactions.makeRoom();
      transactions.delete(key);
    }
    await transactions.commitLast(stateAfter());
  } finally {
    file.close();
  }
}

/** Writes down a new state of the log; resolves when the store is synced. */
export function commitLogState(state: LogState, target: LmdbTarget, stored: StoredKeys): Promise<void> {
  return new Transactions(target, stored).commitLast(state);
}

function turnEnd(): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve));
}

/** Changes copied into transactions. */
class Transactions {
  readonly #target: LmdbTarget;
  readonly #stored: StoredKeys;
  readonly #chunks = new ChunkPool();
  readonly #writer = new RecordWriter(this.#chunks);
  #bytes: Buffer[] = [];
  #starts: number[] = [];
  #byteLength = 0;
  #changesInTurn = 0;
  #bytesInTurn = 0;

  constructor(target: LmdbTarget, stored: StoredKeys) {
    this.#target = target;
    this.#stored = stored;
  }

  /** Ends the turn, or the transaction, if enough is in it. */
  makeRoom(): Promise<void> | undefined {
    if (this.#bytes.length >= changesPerTransaction || this.#byteLength >= bytesPerTransaction)
      return this.commit();
    if (this.#changesInTurn < changesPerTurn && this.#bytesInTurn < bytesPerTurn) return undefined;
    this.#changesInTurn = 0;
    this.#bytesInTurn = 0;
    return turnEnd();
  }

  /** Throws if the change is not the one that was written. */
  put(change: Buffer): void {
    const { keyStart, valueStart, end } = readChange(change, 0);
    if (
      valueStart === end ||
      change.readUInt32BE(valueStart) !== changeChecksum(change, keyStart, valueStart, end)
    )
      throw new Error("the log was damaged after it was written");
    this.#stored.note(change, keyStart, valueStart);
    this.#writer.begin();
    this.#writer.bytes(change);
    this.#keep();
  }

  delete(key: ChangedKey): void {
    beginChange(this.#writer);
    if ("text" in key) this.#writer.bytes(Buffer.from(key.text, "latin1"));
    else writeNumberKey(this.#writer, Table.message, key.storeId, key.sequence);
    endDelete(this.#writer);
    this.#keep();
  }

  /** Commits what was added, synced. */
  async commit(): Promise<void> {
    this.#chunks.onWrite();
    await this.#target.batch(() => {
      for (const [i, bytes] of this.#bytes.entries()) {
        const { keyStart, valueStart, end } = readChange(bytes, this.#starts[i] ?? 0);
        this.#target.change(bytes, keyStart, valueStart, end);
      }
    });
    this.#chunks.onDurable();
    this.#bytes = [];
    this.#starts = [];
    this.#byteLength = 0;
  }

  /** The same, with a new state of the log. */
  async commitLast(state: LogState): Promise<void> {
    writeLogState(this.#writer, state);
    this.#keep();
    await this.commit();
  }

  #keep(): void {
    const { chunk, start, end } = this.#writer;
    this.#bytes.push(chunk);
    this.#starts.push(start);
    this.#byteLength += end - start;
    this.#changesInTurn++;
    this.#bytesInTurn += end - start;
    this.#writer.next();
  }
}
