import type { Buffer } from "node:buffer";
import { join } from "node:path";
import type { open, RootDatabase } from "lmdb";
import { BrokerError } from "../broker-error.js";
import { lockDirectory } from "./directory-lock.js";
import { GroupCommit } from "./group-commit.js";
import { CHECKSUM_BYTES, loadRecords } from "./load-records.js";
import { writeDuplicate, writeEntity, writeMessage, writeSession } from "./record-codec.js";
import { checksumOf, numberKey, Table, textKey } from "./record-key.js";
import { RecordWriter } from "./record-writer.js";
import type { EntityRecord, MessageRecord, RecordVisitor, SessionRecord, Storage } from "./storage.js";
import { isFreshStore, markStore, requireDirectory, STORE_FILE, unreadable } from "./store-directory.js";

/** How a durable storage is opened. */
export interface DurableStorageOptions {
  /** Whether a directory that holds no store is refused instead of made into one. Default: false. */
  readonly mustExist?: boolean | undefined;
}

interface ResolvedDurableStorageOptions {
  readonly mustExist: boolean;
}

export const DEFAULT_DURABLE_STORAGE_OPTIONS: ResolvedDurableStorageOptions = Object.freeze({
  mustExist: false,
});

/**
 * Opens the store in a directory, or makes one there: a storage whose commits resolve once the disk has synced them, in groups, off the
 * event loop. It belongs to this process until it is closed. Rejects with `storage-in-use` while another process has it, and
 * with `storage-unreadable` for a damaged store, one of another format, or a directory that is none.
 */
export async function openDurableStorage(
  directory: string,
  options: DurableStorageOptions = {},
): Promise<Storage> {
  const { mustExist } = resolveDurableStorageOptions(directory, options);
  // Only those who open a store load the native module.
  const { open } = await import("lmdb");
  requireDirectory(directory, mustExist);
  const unlock = lockDirectory(directory);
  try {
    const isFresh = isFreshStore(directory);
    if (isFresh && mustExist) throw unreadable(directory, "it holds no store");
    return new DurableStorage(directory, isFresh, open, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

function resolveDurableStorageOptions(
  directory: string,
  options: DurableStorageOptions,
): ResolvedDurableStorageOptions {
  const mustExist = options.mustExist ?? DEFAULT_DURABLE_STORAGE_OPTIONS.mustExist;
  if (typeof directory !== "string" || directory === "") throw new TypeError("directory has to be a path");
  if (typeof mustExist !== "boolean") throw new TypeError("mustExist has to be a boolean");
  return { mustExist };
}

class DurableStorage implements Storage {
  readonly isVolatile = false;
  readonly #directory: string;
  readonly #isFresh: boolean;
  readonly #open: typeof open;
  readonly #unlock: () => void;
  #store!: RootDatabase<Buffer, Buffer>;
  #group!: GroupCommit;
  readonly #writer = new RecordWriter();
  /** Counters that changed since the last group was written: only their last value counts. */
  readonly #counters = new Map<number, number>();
  /** Bodies that no group holds yet; one that is released meanwhile is never written. */
  #freshBodies = new Map<number, Buffer>();
  /** Bodies in the group that is on its way to the disk, where reads do not see them yet. */
  #writtenBodies = new Map<number, Buffer>();
  /** References of the bodies that have more than one. */
  #shared = new Map<number, number>();
  #nextBodyId = 1;
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
      throw unreadable(this.#directory, error instanceof Error ? error.message : String(error), error);
    }
  }

  putBody(bytes: Uint8Array): number {
    const id = this.#nextBodyId++;
    this.#writer.u32(0);
    this.#writer.bytes(bytes);
    this.#freshBodies.set(id, this.#writer.finish());
    return id;
  }

  readBody(bodyId: number): Uint8Array {
    const pending = this.#freshBodies.get(bodyId) ?? this.#writtenBodies.get(bodyId);
    if (pending !== undefined) return Uint8Array.prototype.slice.call(pending, CHECKSUM_BYTES);
    const stored = this.#store.getBinary(numberKey(this.#writer, Table.body, bodyId));
    if (stored === undefined) throw new RangeError(`There is no body ${bodyId}`);
    return stored.subarray(CHECKSUM_BYTES);
  }

  retainBody(bodyId: number): void {
    this.#shared.set(bodyId, (this.#shared.get(bodyId) ?? 1) + 1);
  }

  releaseBody(bodyId: number): void {
    const references = this.#shared.get(bodyId);
    if (references !== undefined) {
      if (references > 2) this.#shared.set(bodyId, references - 1);
      else this.#shared.delete(bodyId);
    } else if (!this.#freshBodies.delete(bodyId)) this.#remove(Table.body, bodyId);
  }

  putEntity(id: number, record: EntityRecord): void {
    this.#put(numberKey(this.#writer, Table.entity, id), () => writeEntity(this.#writer, record));
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
    const key = numberKey(this.#writer, Table.message, storeId, sequence);
    this.#put(key, () => writeMessage(this.#writer, record));
  }

  deleteMessage(storeId: number, sequence: number): void {
    this.#remove(Table.message, storeId, sequence);
  }

  putSession(storeId: number, sessionId: string, record: SessionRecord): void {
    const key = textKey(this.#writer, Table.session, storeId, sessionId);
    this.#put(key, () => writeSession(this.#writer, sessionId, record));
  }

  deleteSession(storeId: number, sessionId: string): void {
    this.#group.remove(textKey(this.#writer, Table.session, storeId, sessionId));
  }

  putDuplicate(entityId: number, key: string, expiresAtMs: number): void {
    const recordKey = textKey(this.#writer, Table.duplicate, entityId, key);
    this.#put(recordKey, () => writeDuplicate(this.#writer, key, expiresAtMs));
  }

  deleteDuplicate(entityId: number, key: string): void {
    this.#group.remove(textKey(this.#writer, Table.duplicate, entityId, key));
  }

  commit(): Promise<void> | undefined {
    return this.#group.commit(this.#freshBodies.size > 0 || this.#counters.size > 0);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #load(visitor: RecordVisitor): void {
    const path = join(this.#directory, STORE_FILE);
    const bodies = this.#isFresh ? undefined : loadRecords(path, visitor);
    this.#store = this.#open<Buffer, Buffer>({
      path,
      noSubdir: true,
      encoding: "binary",
      keyEncoding: "binary",
      // A promise of the store then means that the disk has synced.
      overlappingSync: false,
      eventTurnBatching: false,
    });
    this.#group = new GroupCommit(this.#store, {
      onWrite: () => this.#addKept(),
      onDurable: () => this.#writtenBodies.clear(),
    });
    if (bodies === undefined) markStore(this.#directory);
    else {
      this.#nextBodyId = bodies.nextBodyId;
      this.#shared = bodies.shared;
      for (const id of bodies.orphans) this.#remove(Table.body, id);
    }
  }

  async #close(): Promise<void> {
    try {
      // A failure was told to those who waited for the commit that failed.
      if (this.#group?.hasFailed === false) await this.commit();
    } finally {
      await this.#store?.close();
      this.#unlock();
    }
  }

  #put(key: Buffer, write: () => void): void {
    this.#writer.u32(0);
    write();
    this.#group.put(key, this.#seal(key, this.#writer.finish()));
  }

  #remove(table: number, first: number, second?: number): void {
    this.#group.remove(numberKey(this.#writer, table, first, second));
  }

  #seal(key: Buffer, record: Buffer): Buffer {
    record.writeUInt32BE(checksumOf(key, record.subarray(CHECKSUM_BYTES)), 0);
    return record;
  }

  #addKept(): void {
    for (const [id, record] of this.#freshBodies) {
      const key = numberKey(this.#writer, Table.body, id);
      this.#group.put(key, this.#seal(key, record));
    }
    const written = this.#writtenBodies;
    this.#writtenBodies = this.#freshBodies;
    this.#freshBodies = written;
    for (const [id, nextSequence] of this.#counters) {
      this.#put(numberKey(this.#writer, Table.counter, id), () => this.#writer.u64(nextSequence));
    }
    this.#counters.clear();
  }
}
