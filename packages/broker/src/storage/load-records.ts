import type { Buffer } from "node:buffer";
import type { RootDatabase } from "lmdb";
import { readDuplicate, readEntity, readMessage, readSession } from "./record-codec.js";
import { checksumOf, numberIn, Table, tableEnd, tableStart } from "./record-key.js";
import { RecordReader } from "./record-reader.js";
import type { RecordVisitor } from "./storage.js";

/** Bytes of the checksum before a record's payload. */
export const CHECKSUM_BYTES = 4;

/** What a load tells about bodies. */
export interface LoadedBodies {
  readonly nextBodyId: number;
  /** References of the bodies that have more than one. */
  readonly shared: Map<number, number>;
  /** Keys of bodies that no message names: the transaction that brought them never ended. */
  readonly orphans: readonly Buffer[];
}

/**
 * Reads and checks every record of a store and hands all but bodies to the visitor. Throws a `RangeError` that tells which record
 * is damaged, missing or unknown.
 */
export function loadRecords(store: RootDatabase<Buffer, Buffer>, visitor: RecordVisitor): LoadedBodies {
  const references = new Map<number, number>();
  let found = walk(store, Table.entity, "entity", (key, value) =>
    visitor.entity(numberIn(key, 0), readEntity(value, CHECKSUM_BYTES)),
  );
  found += walk(store, Table.counter, "counter", (key, value) =>
    visitor.counter(numberIn(key, 0), new RecordReader(value, CHECKSUM_BYTES).u64()),
  );
  found += walk(store, Table.message, "message", (key, value) => {
    const record = readMessage(value, CHECKSUM_BYTES);
    const { bodyId } = record.content;
    references.set(bodyId, (references.get(bodyId) ?? 0) + 1);
    visitor.message(numberIn(key, 0), numberIn(key, 1), record);
  });
  found += walk(store, Table.session, "session", (key, value) =>
    visitor.session(numberIn(key, 0), ...readSession(value, CHECKSUM_BYTES)),
  );
  found += walk(store, Table.duplicate, "duplicate history", (key, value) =>
    visitor.duplicate(numberIn(key, 0), ...readDuplicate(value, CHECKSUM_BYTES)),
  );
  const orphans: Buffer[] = [];
  let nextBodyId = 1;
  const bodies = walk(store, Table.body, "body", (key) => {
    const id = numberIn(key, 0);
    nextBodyId = id + 1;
    if (!references.has(id)) orphans.push(key);
  });
  if (bodies - orphans.length !== references.size) throw new RangeError("bodies of messages are missing");
  // The store counts its records itself; fewer are reached if a part of it was cut off.
  const { entryCount } = store.getStats() as { entryCount: number };
  if (found + bodies !== entryCount) {
    throw new RangeError(`it says that it holds ${entryCount} records, and ${found + bodies} are there`);
  }
  return { nextBodyId, shared: onlyShared(references), orphans };
}

function walk(
  store: RootDatabase<Buffer, Buffer>,
  table: number,
  name: string,
  read: (key: Buffer, value: Buffer) => void,
): number {
  let count = 0;
  let last: Buffer | undefined;
  for (const { key, value } of store.getRange({ start: tableStart(table), end: tableEnd(table) })) {
    count++;
    if (last !== undefined && last.compare(key) >= 0)
      throw new RangeError(`its ${name} records are out of order`);
    last = key;
    if (
      value.byteLength < CHECKSUM_BYTES ||
      value.readUInt32BE(0) !== checksumOf(key, value.subarray(CHECKSUM_BYTES))
    ) {
      throw new RangeError(`a ${name} record fails its checksum`);
    }
    try {
      read(key, value);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new RangeError(`a ${name} record cannot be read: ${error.message}`, { cause: error });
    }
  }
  return count;
}

function onlyShared(references: Map<number, number>): Map<number, number> {
  for (const [id, count] of references) if (count === 1) references.delete(id);
  return references;
}
