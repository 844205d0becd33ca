import type { Buffer } from "node:buffer";
import { readLmdbRecords } from "./lmdb-tree.js";
import { readDuplicate, readEntity, readMessage, readSession } from "./record-codec.js";
import { checksumOf, numberIn, Table } from "./record-key.js";
import { RecordReader } from "./record-reader.js";
import type { RecordVisitor } from "./storage.js";

/** Bytes of the checksum before a record's payload. */
export const CHECKSUM_BYTES = 4;

/** What a load tells about bodies. */
export interface LoadedBodies {
  readonly nextBodyId: number;
  /** References of the bodies that have more than one. */
  readonly shared: Map<number, number>;
  /** Bodies that no message names: the transaction that brought them never ended. */
  readonly orphans: readonly number[];
}

/**
 * Reads and checks every record of a store's file and hands all but bodies to the visitor. Throws a `RangeError` that tells what is damaged,
 * missing or unknown.
 */
export function loadRecords(path: string, visitor: RecordVisitor): LoadedBodies {
  const references = new Map<number, number>();
  const bodyIds: number[] = [];
  readLmdbRecords(path, (key, value) => {
    checkRecord(key, value);
    const id = numberIn(key, 0);
    switch (key[0]) {
      case Table.entity:
        return visitor.entity(id, readEntity(value, CHECKSUM_BYTES));
      case Table.counter:
        return visitor.counter(id, new RecordReader(value, CHECKSUM_BYTES).u64());
      case Table.message: {
        const record = readMessage(value, CHECKSUM_BYTES);
        const { bodyId } = record.content;
        references.set(bodyId, (references.get(bodyId) ?? 0) + 1);
        return visitor.message(id, numberIn(key, 1), record);
      }
      case Table.session:
        return visitor.session(id, ...readSession(value, CHECKSUM_BYTES));
      case Table.duplicate:
        return visitor.duplicate(id, ...readDuplicate(value, CHECKSUM_BYTES));
      case Table.body:
        bodyIds.push(id);
        return;
      default:
        throw new RangeError(`it holds a record of unknown kind ${key[0]}`);
    }
  });
  const orphans = bodyIds.filter((id) => !references.has(id));
  if (bodyIds.length - orphans.length !== references.size) {
    throw new RangeError("bodies of messages are missing");
  }
  const shared = new Map<number, number>();
  for (const [id, count] of references) if (count > 1) shared.set(id, count);
  return { nextBodyId: (bodyIds.at(-1) ?? 0) + 1, shared, orphans };
}

function checkRecord(key: Buffer, value: Buffer): void {
  const isWhole =
    value.byteLength >= CHECKSUM_BYTES &&
    value.readUInt32BE(0) === checksumOf(key, value.subarray(CHECKSUM_BYTES));
  if (!isWhole) throw new RangeError("a record fails its checksum");
}
