import type { Buffer } from "node:buffer";
import { join } from "node:path";
import { BrokerError } from "@waybill/broker";
import type {
  EntityRecord,
  MessageRecord,
  RecordVisitor,
  SessionRecord,
  Storage,
} from "@waybill/broker/storage";
import { requireKnownOptions } from "@waybill/foundation";
import type { open } from "lmdb";
import { BodyPacks } from "./bodies/body-packs.js";
import { LoggedPacks } from "./bodies/logged-packs.js";
import { type PackedBodies, readPack, writePack, writeRepacked } from "./bodies/pack-codec.js";
import { lockDirectory } from "./directory/directory-lock.js";
import { isSystemError, reasonOf, storageFailure } from "./directory/storage-failure.js";
import {
  clearFreshStore,
  findDiskFailure,
  isFreshStore,
  logFiles,
  markStore,
  noStore,
  requireDirectory,
  requireRoom,
  storeFile,
  syncDirectory,
  unreadable,
} from "./directory/store-directory.js";
import { LmdbTarget } from "./lmdb/lmdb-target.js";
import { type FoundStore, loadRecords } from "./load-records.js";
import { ChangeLog } from "./log/change-log.js";
import { GroupCommit } from "./log/group-commit.js";
import { noLog } from "./log/log-state.js";
import { StoredKeys } from "./log/stored-keys.js";
import { beginChange, beginValue, endDelete, endPut } from "./records/change.js";
import { checksumBytes } from "./records/checksum.js";
import { ChunkPool } from "./records/chunk-pool.js";
import { writeDuplicate, writeEntity, writeMessage, writeSession } from "./records/record-codec.js";
import { Table, writeNumberKey, writeTextKey } from "./records/record-key.js";
import { RecordWriter } from "./records/record-writer.js";

/** Options of a durable storage. */
export interface DurableStorageOptions {
  /** Whether to refuse a directory without a store instead of creating one. Default: false. */
  readonly mustExist?: boolean | undefined;
}

/** The defaults of {@link DurableStorageOptions}. */
const defaultDurableStorageOptions: { readonly mustExist: boolean } = Object.freeze({
  mustExist: false,
});

/**
 * Opens the store in a directory, or creates it: a storage whose commits resolve once they are synced to disk, in groups, off the event
 * loop. The process owns the directory until the storage is closed. Rejects with `storage-in-use` while another process has it open, in any
 * container, with `storage-unreadable` for a damaged store, one of another format, or a directory that is not a store, and with
 * `storage-failed` if the disk is full or read-only.
 */
export async function openDurableStorage(
  directory: string,
  options: DurableStorageOptions = {},
): Promise<Storage> {
  requireKnownOptions("openDurableStorage", options, defaultDurableStorageOptions);
  const mustExist = options.mustExist ?? defaultDurableStorageOptions.mustExist;
  if (typeof directory !== "string" || directory === "") throw new TypeError("directory must be a path");
  if (typeof mustExist !== "boolean") throw new TypeError("mustExist must be a boolean");
  // The native module is loaded only when a store is opened.
  const { open } = await import("lmdb");
  requireDirectory(directory, mustExist);
  const unlock = await lockDirectory(directory);
  try {
    const isFresh = isFreshStore(directory);
    if (isFresh && mustExist) throw noStore(directory, "it holds no store");
    if (isFresh) clearFreshStore(directory);
    requireRoom(directory);
    return new DurableStorage(directory, isFresh, open, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

class DurableStorage implements Storage {
  readonly isVolatile = false;
  readonly #directory: string;
  readonly #isFresh: boolean;
  readonly #open: typeof open;
  readonly #unlock: () => void;
  #store!: LmdbTarget;
  #log!: ChangeLog;
  #group!: GroupCommit;
  #logged = new LoggedPacks();
  readonly #chunks = new ChunkPool();
  readonly #writer = new RecordWriter(this.#chunks);
  /** How many bytes of the record being written are before its value. */
  #valueAt = 0;
  /** Counters changed since the last group was written; only their last value is stored. */
  readonly #counters = new Map<number, number>();
  readonly #bodies = new BodyPacks({
    read: (id) => this.#readPack(id),
    add: (id, bodies, lengths) => {
      this.#begin(Table.pack, id);
      writePack(this.#writer, bodies, lengths);
      this.#endPack(id);
    },
    replace: (id, bodies) => {
      this.#begin(Table.pack, id);
      writeRepacked(this.#writer, bodies);
      this.#endPack(id);
    },
    remove: (id) => {
      this.#logged.delete(id);
      this.#remove(Table.pack, id);
    },
  });
  #closed: Promise<void> | undefined;

  constructor(directory: string, isFresh: boolean, openStore: typeof open, unlock: () => void) {
    this.#directory = directory;
    this.#isFresh = isFresh;
    this.#open = openStore;
    this.#unlock = unlock;
  }

  async load(visitor: RecordVisitor): Promise<void> {
    try {
      this.#load(visitor);
    } catch (error) {
      await this.close();
      if (error instanceof BrokerError) throw error;
      if (isSystemError(error)) throw storageFailure(this.#directory, "cannot open its files", error);
      throw unreadable(this.#directory, error instanceof Error ? error.message : String(error), error);
    }
  }

  putBody(bytes: Uint8Array): number {
    return this.#bodies.put(bytes);
  }

  readBody(bodyId: number): Uint8Array {
    return this.#bodies.read(bodyId);
  }

  retainBody(bodyId: number): void {
    this.#bodies.retain(bodyId);
  }

  releaseBody(bodyId: number): void {
    this.#bodies.release(bodyId);
  }

  putEntity(id: number, record: EntityRecord): void {
    this.#begin(Table.entity, id);
    writeEntity(this.#writer, record);
    this.#end();
  }

  deleteEntity(id: number): void {
    this.#remove(Table.entity, id);
    this.#counters.delete(id);
    this.#remove(Table.counter, id);
  }

  putCounter(entityId: number, nextSequence: number): void {
    this.#counters.set(entityId, nextSequence);
  }

  putMessage(storeId: number, sequence: number, record: MessageRecord): void {
    this.#begin(Table.message, storeId, sequence);
    writeMessage(this.#writer, record);
    this.#end();
  }

  deleteMessage(storeId: number, sequence: number): void {
    this.#remove(Table.message, storeId, sequence);
  }

  putSession(storeId: number, sessionId: string, record: SessionRecord): void {
    this.#beginText(Table.session, storeId, sessionId);
    writeSession(this.#writer, sessionId, record);
    this.#end();
  }

  deleteSession(storeId: number, sessionId: string): void {
    this.#removeText(Table.session, storeId, sessionId);
  }

  putDuplicate(entityId: number, key: string, expiresAtMs: number): void {
    this.#beginText(Table.duplicate, entityId, key);
    writeDuplicate(this.#writer, key, expiresAtMs);
    this.#end();
  }

  deleteDuplicate(entityId: number, key: string): void {
    this.#removeText(Table.duplicate, entityId, key);
  }

  commit(): Promise<void> | undefined {
    return this.#group.commit(this.#bodies.hasFresh || this.#counters.size > 0);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #load(visitor: RecordVisitor): void {
    const store = join(this.#directory, storeFile);
    const [first, second] = logFiles;
    const logs = [join(this.#directory, first), join(this.#directory, second)] as const;
    const found = this.#isFresh ? undefined : loadRecords({ store, logs }, visitor);
    this.#logged = found?.logged ?? this.#logged;
    this.#store = new LmdbTarget(this.#open, store);
    if (found === undefined) markStore(this.#directory);
    this.#log = this.#openLog(logs, found);
    this.#group = new GroupCommit(this.#log, {
      onWrite: (isAll) => {
        this.#addKept();
        if (isAll) this.#chunks.onWrite();
      },
      onDurable: () => {
        this.#bodies.onDurable();
        this.#chunks.onDurable();
      },
      explain: (cause) => this.#explain(cause),
    });
    for (const [id, pack] of found?.packs ?? []) this.#bodies.restore(id, pack);
  }

  #openLog(paths: readonly [string, string], found: FoundStore | undefined): ChangeLog {
    return new ChangeLog({
      paths,
      target: this.#store,
      state: found?.log ?? noLog,
      found: found?.segments ?? [],
      stored: found?.stored ?? new StoredKeys(),
      syncDirectory: () => syncDirectory(this.#directory),
      onPlaced: (place, position) => this.#logged.onPlaced(place, position),
      onApplied: (place) => this.#logged.onApplied(place),
    });
  }

  async #close(): Promise<void> {
    try {
      // Callers waiting for the failed commit already have its error.
      if (this.#group?.hasFailed === false) await this.commit();
    } finally {
      await this.#closeFiles();
    }
  }

  async #closeFiles(): Promise<void> {
    try {
      await this.#closeLog();
    } finally {
      await this.#store?.close();
      this.#unlock();
    }
  }

  async #closeLog(): Promise<void> {
    try {
      await this.#log?.close({ isComplete: !this.#group.hasFailed });
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(cause: unknown): Error {
    return new Error(findDiskFailure(this.#directory) ?? reasonOf(cause), { cause });
  }

  /** Begins a record with a key made of numbers. */
  #begin(table: number, first: number, second?: number): void {
    beginChange(this.#writer);
    writeNumberKey(this.#writer, table, first, second);
    this.#valueAt = beginValue(this.#writer);
  }

  /** Begins a record with a key made of a number and a text. */
  #beginText(table: number, owner: number, text: string): void {
    beginChange(this.#writer);
    writeTextKey(this.#writer, table, owner, text);
    this.#valueAt = beginValue(this.#writer);
  }

  /** Adds the record just written. */
  #end(): void {
    endPut(this.#writer, this.#valueAt);
    this.#add();
  }

  /** Adds the pack just written, to a group. */
  #endPack(id: number): void {
    const byteLength = this.#writer.end - this.#writer.start - this.#valueAt;
    endPut(this.#writer, this.#valueAt);
    this.#logged.collect(id, this.#add() + this.#valueAt, byteLength);
  }

  #remove(table: number, first: number, second?: number): void {
    beginChange(this.#writer);
    writeNumberKey(this.#writer, table, first, second);
    endDelete(this.#writer);
    this.#add();
  }

  #removeText(table: number, owner: number, text: string): void {
    beginChange(this.#writer);
    writeTextKey(this.#writer, table, owner, text);
    endDelete(this.#writer);
    this.#add();
  }

  #add(): number {
    const { chunk, start, end } = this.#writer;
    this.#writer.next();
    return this.#group.add(chunk, start, end);
  }

  #readPack(id: number): PackedBodies {
    const record = this.#readLogged(id) ?? this.#readStored(id);
    if (record === undefined) throw new RangeError(`There is no pack ${id}`);
    return readPack(record, checksumBytes);
  }

  #readLogged(id: number): Buffer | undefined {
    const pack = this.#logged.get(id);
    return pack === undefined ? undefined : this.#log.read(pack.place, pack.position, pack.byteLength);
  }

  #readStored(id: number): Buffer | undefined {
    const writer = this.#writer;
    writer.begin();
    writeNumberKey(writer, Table.pack, id);
    const { chunk, start, end } = writer;
    writer.next();
    return this.#store.get(chunk, start, end);
  }

  #addKept(): void {
    this.#bodies.write();
    for (const [id, nextSequence] of this.#counters) {
      this.#begin(Table.counter, id);
      this.#writer.u64(nextSequence);
      this.#end();
    }
    this.#counters.clear();
  }
}
