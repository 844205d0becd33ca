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
import { type PackedBodies, readPack, writePack, writeRepacked } from "./bodies/pack-codec.js";
import { lockDirectory } from "./directory/directory-lock.js";
import { isSystemError, reasonOf, storageFailure } from "./directory/storage-failure.js";
import {
  clearFreshStore,
  findDiskFailure,
  isFreshStore,
  markStore,
  noStore,
  requireDirectory,
  requireRoom,
  storeFile,
  unreadable,
} from "./directory/store-directory.js";
import { GroupCommit } from "./lmdb/group-commit.js";
import { LmdbTarget } from "./lmdb/lmdb-target.js";
import { loadRecords } from "./load-records.js";
import { checksumBytes, checksumOf } from "./records/checksum.js";
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
  #group!: GroupCommit;
  readonly #chunks = new ChunkPool();
  readonly #writer = new RecordWriter(this.#chunks);
  /** The length of the key of the record being written. */
  #keyBytes = 0;
  /** Counters changed since the last group was written; only their last value is stored. */
  readonly #counters = new Map<number, number>();
  readonly #bodies = new BodyPacks({
    read: (id) => this.#readPack(id),
    add: (id, bodies, lengths) => {
      this.#begin(Table.pack, id);
      writePack(this.#writer, bodies, lengths);
      this.#end();
    },
    replace: (id, bodies) => {
      this.#begin(Table.pack, id);
      writeRepacked(this.#writer, bodies);
      this.#end();
    },
    remove: (id) => this.#remove(Table.pack, id),
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
    writeTextKey(this.#writer, Table.session, storeId, sessionId);
    this.#beginValue();
    writeSession(this.#writer, sessionId, record);
    this.#end();
  }

  deleteSession(storeId: number, sessionId: string): void {
    writeTextKey(this.#writer, Table.session, storeId, sessionId);
    this.#add(this.#writer.end);
  }

  putDuplicate(entityId: number, key: string, expiresAtMs: number): void {
    writeTextKey(this.#writer, Table.duplicate, entityId, key);
    this.#beginValue();
    writeDuplicate(this.#writer, key, expiresAtMs);
    this.#end();
  }

  deleteDuplicate(entityId: number, key: string): void {
    writeTextKey(this.#writer, Table.duplicate, entityId, key);
    this.#add(this.#writer.end);
  }

  commit(): Promise<void> | undefined {
    return this.#group.commit(this.#bodies.hasFresh || this.#counters.size > 0);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #load(visitor: RecordVisitor): void {
    const path = join(this.#directory, storeFile);
    const packs = this.#isFresh ? undefined : loadRecords(path, visitor);
    this.#store = new LmdbTarget(this.#open, path);
    this.#group = new GroupCommit(this.#store, {
      onWrite: (isAll) => {
        this.#addKept();
        if (isAll) this.#chunks.onWrite();
      },
      onDurable: () => {
        this.#bodies.onDurable();
        this.#chunks.onDurable();
      },
      explain: (cause) => new Error(findDiskFailure(this.#directory) ?? reasonOf(cause), { cause }),
    });
    if (packs === undefined) markStore(this.#directory);
    else for (const [id, pack] of packs) this.#bodies.restore(id, pack);
  }

  async #close(): Promise<void> {
    try {
      // Callers waiting for the failed commit already have its error.
      if (this.#group?.hasFailed === false) await this.commit();
    } finally {
      await this.#store?.close();
      this.#unlock();
    }
  }

  /** Begins a record with a key made of numbers. */
  #begin(table: number, first: number, second?: number): void {
    writeNumberKey(this.#writer, table, first, second);
    this.#beginValue();
  }

  /** Begins the value of the key just written. */
  #beginValue(): void {
    this.#keyBytes = this.#writer.end - this.#writer.start;
    this.#writer.u32(0);
  }

  /** Adds the record just written, with its checksum. */
  #end(): void {
    const { chunk, start, end } = this.#writer;
    const valueStart = start + this.#keyBytes;
    const checksum = checksumOf(chunk, start, valueStart, chunk, valueStart + checksumBytes, end);
    chunk.writeUInt32BE(checksum, valueStart);
    this.#add(valueStart);
  }

  #remove(table: number, first: number, second?: number): void {
    writeNumberKey(this.#writer, table, first, second);
    this.#add(this.#writer.end);
  }

  #add(valueStart: number): void {
    const { chunk, start, end } = this.#writer;
    this.#group.add(chunk, start, valueStart, end);
    this.#writer.next();
  }

  #readPack(id: number): PackedBodies {
    const writer = this.#writer;
    writeNumberKey(writer, Table.pack, id);
    const record = this.#store.get(writer.chunk, writer.start, writer.end);
    writer.next();
    if (record === undefined) throw new RangeError(`There is no pack ${id}`);
    return readPack(record, checksumBytes);
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
