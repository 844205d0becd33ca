import type { RecordVisitor } from "@waybill/broker/storage";
import type { FoundPack } from "./bodies/body-packs.js";
import { LoggedPacks } from "./bodies/logged-packs.js";
import { maxBodiesInPack, readPackLengths } from "./bodies/pack-codec.js";
import { type LmdbEntry, readLmdbRecords } from "./lmdb/lmdb-tree.js";
import { FoundLog, type SegmentInFile } from "./log/found-log.js";
import { type LogState, noLog, readLogState } from "./log/log-state.js";
import { StoredKeys } from "./log/stored-keys.js";
import { checksumBytes, checksumOf } from "./records/checksum.js";
import { readDuplicate, readEntity, readMessage, readSession } from "./records/record-codec.js";
import { numberIn, Table } from "./records/record-key.js";
import { RecordReader } from "./records/record-reader.js";

/** What is found while a store is loaded, beside what the visitor gets. */
export interface FoundStore {
  /** The packs with the bodies. */
  readonly packs: ReadonlyMap<number, FoundPack>;
  /** Where the packs are that are only in the log yet. */
  readonly logged: LoggedPacks;
  readonly stored: StoredKeys;
  readonly log: LogState;
  /** The segments of the log that the store does not have. */
  readonly segments: readonly SegmentInFile[];
}

/** The files of a store. */
export interface StoreFiles {
  readonly store: string;
  readonly logs: readonly string[];
}

/**
 * Reads and checks all records of a store's file, with the changes of its log over them, and passes all but bodies to the visitor. Throws a
 * `RangeError` that says what is damaged, missing or unknown.
 */
export function loadRecords({ store, logs }: StoreFiles, visitor: RecordVisitor): FoundStore {
  const records = new FoundRecords(visitor);
  const stored = new StoredKeys();
  let state = noLog;
  let log: FoundLog | undefined;
  const visitLog = (until: LmdbEntry | undefined): boolean => {
    log ??= new FoundLog(logs, state);
    return visitChanges(log, until, records);
  };
  readLmdbRecords(store, (entry) => {
    // The state of the log is the store's first record.
    if (entry.page[entry.keyStart] === Table.log) state = stateIn(entry);
    else if (visitLog(entry)) stored.note(entry.page, entry.keyStart, entry.keyEnd);
    else {
      checkRecord(entry);
      records.visit(entry, stored);
    }
  });
  visitLog(undefined);
  const { packs, logged } = records;
  return { packs, logged, stored, log: state, segments: log?.segments ?? [] };
}

function stateIn(entry: LmdbEntry): LogState {
  checkRecord(entry);
  return readLogState(entry.bytes.subarray(0, entry.valueEnd), entry.valueStart + checksumBytes);
}

/**
 * Visits the records of the log with smaller keys than an entry of the store, or all; returns whether the log changed or deleted the entry, too.
 */
function visitChanges(log: FoundLog, until: LmdbEntry | undefined, records: FoundRecords): boolean {
  for (;;) {
    const key = log.nextKey;
    const order = key === undefined ? 1 : until === undefined ? -1 : compareKeys(key, until);
    if (order > 0) return false;
    const { bytes, keyStart, valueStart, end, place } = log.take();
    if (valueStart < end) {
      if (bytes[keyStart] === Table.pack)
        records.logged.add(numberIn(bytes, keyStart, valueStart, 0), place, valueStart, end - valueStart);
      const entry = { page: bytes, keyStart, keyEnd: valueStart, bytes, valueStart, valueEnd: end };
      records.visit(entry);
    }
    if (order === 0) return true;
  }
}

/** Compares a key, as a string of its bytes, with the one of an entry. */
function compareKeys(key: string, { page, keyStart, keyEnd }: LmdbEntry): number {
  const shorter = Math.min(key.length, keyEnd - keyStart);
  for (let i = 0; i < shorter; i++) {
    const difference = key.charCodeAt(i) - (page[keyStart + i] as number);
    if (difference !== 0) return difference;
  }
  return key.length - (keyEnd - keyStart);
}

/** Passes records that were checked to a visitor, and collects what it does not get. */
class FoundRecords {
  readonly packs = new Map<number, FoundPack>();
  readonly logged = new LoggedPacks();
  readonly #visitor: RecordVisitor;
  readonly #reader = new RecordReader();
  /** The pack of the last body: the bodies of hundreds of messages in a row are in one. */
  #packId = -1;
  #pack: FoundPack | undefined;

  constructor(visitor: RecordVisitor) {
    this.#visitor = visitor;
  }

  /** `stored` is given for a record of the store. */
  visit(entry: LmdbEntry, stored?: StoredKeys): void {
    const { page, keyStart, keyEnd, bytes, valueStart, valueEnd } = entry;
    const id = numberIn(page, keyStart, keyEnd, 0);
    const start = valueStart + checksumBytes;
    const reader = this.#reader.begin(bytes, start, valueEnd);
    switch (page[keyStart]) {
      case Table.message: {
        const record = readMessage(reader);
        this.#countReference(record.content.bodyId);
        const sequence = numberIn(page, keyStart, keyEnd, 1);
        stored?.noteMessage(id, sequence);
        this.#visitor.message(id, sequence, record);
        return;
      }
      case Table.entity:
        this.#visitor.entity(id, readEntity(reader));
        return;
      case Table.counter:
        this.#visitor.counter(id, reader.u64());
        return;
      case Table.session:
        this.#visitor.session(id, ...readSession(reader));
        return;
      case Table.duplicate:
        this.#visitor.duplicate(id, ...readDuplicate(reader));
        return;
      case Table.pack: {
        const lengths = readPackLengths(bytes.subarray(start, valueEnd), 0);
        this.packs.set(id, { lengths, references: lengths.map(() => 0) });
        stored?.notePack(id);
        return;
      }
      default:
        throw new RangeError(`it holds a record of unknown kind ${page[keyStart]}`);
    }
  }

  #countReference(bodyId: number): void {
    const id = Math.floor(bodyId / maxBodiesInPack);
    if (id !== this.#packId) {
      this.#packId = id;
      this.#pack = this.packs.get(id);
    }
    const pack = this.#pack;
    const index = bodyId % maxBodiesInPack;
    const length = pack?.lengths[index] ?? -1;
    if (pack === undefined || length < 0) throw new RangeError("the body of a message is missing");
    pack.references[index] = (pack.references[index] ?? 0) + 1;
  }
}

function checkRecord({ page, keyStart, keyEnd, bytes, valueStart, valueEnd }: LmdbEntry): void {
  const isWhole =
    valueEnd - valueStart >= checksumBytes &&
    bytes.readUInt32BE(valueStart) ===
      checksumOf(page, keyStart, keyEnd, bytes, valueStart + checksumBytes, valueEnd);
  if (!isWhole) throw new RangeError("a record fails its checksum");
}
