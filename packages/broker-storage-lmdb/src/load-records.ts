import type { Buffer } from "node:buffer";
import type { RecordVisitor } from "@waybill/broker/storage";
import type { FoundPack } from "./bodies/body-packs.js";
import { maxBodiesInPack, readPackLengths } from "./bodies/pack-codec.js";
import { readLmdbRecords } from "./lmdb/lmdb-tree.js";
import { checksumBytes, checksumOf } from "./records/checksum.js";
import { readDuplicate, readEntity, readMessage, readSession } from "./records/record-codec.js";
import { numberIn, Table } from "./records/record-key.js";
import { RecordReader } from "./records/record-reader.js";

/**
 * Reads and checks all records of a store's file, passes all but bodies to the visitor and returns the packs with the bodies. Throws a
 * `RangeError` that says what is damaged, missing or unknown.
 */
export function loadRecords(path: string, visitor: RecordVisitor): ReadonlyMap<number, FoundPack> {
  const packs = new Map<number, FoundPack>();
  readLmdbRecords(path, (key, value) => {
    checkRecord(key, value);
    const id = numberIn(key, 0);
    switch (key[0]) {
      case Table.entity:
        return visitor.entity(id, readEntity(value, checksumBytes));
      case Table.counter:
        return visitor.counter(id, new RecordReader(value, checksumBytes).u64());
      case Table.message: {
        const record = readMessage(value, checksumBytes);
        countReference(packs, record.content.bodyId);
        return visitor.message(id, numberIn(key, 1), record);
      }
      case Table.session:
        return visitor.session(id, ...readSession(value, checksumBytes));
      case Table.duplicate:
        return visitor.duplicate(id, ...readDuplicate(value, checksumBytes));
      case Table.pack: {
        const lengths = readPackLengths(value, checksumBytes);
        packs.set(id, { lengths, references: lengths.map(() => 0) });
        return;
      }
      default:
        throw new RangeError(`it holds a record of unknown kind ${key[0]}`);
    }
  });
  return packs;
}

function countReference(packs: ReadonlyMap<number, FoundPack>, bodyId: number): void {
  const pack = packs.get(Math.floor(bodyId / maxBodiesInPack));
  const index = bodyId % maxBodiesInPack;
  const length = pack?.lengths[index] ?? -1;
  if (pack === undefined || length < 0) throw new RangeError("the body of a message is missing");
  pack.references[index] = (pack.references[index] ?? 0) + 1;
}

function checkRecord(key: Buffer, value: Buffer): void {
  const isWhole =
    value.byteLength >= checksumBytes &&
    value.readUInt32BE(0) === checksumOf(key, 0, key.byteLength, value, checksumBytes, value.byteLength);
  if (!isWhole) throw new RangeError("a record fails its checksum");
}
