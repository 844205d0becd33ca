import type { RecordVisitor } from "@waybill/broker/storage";
import type { FoundPack } from "./bodies/body-packs.js";
import { maxBodiesInPack, readPackLengths } from "./bodies/pack-codec.js";
import { type LmdbEntry, readLmdbRecords } from "./lmdb/lmdb-tree.js";
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
  readLmdbRecords(path, (entry) => {
    checkRecord(entry);
    const { page, keyStart, keyEnd, bytes, valueStart, valueEnd } = entry;
    const id = numberIn(page, keyStart, keyEnd, 0);
    const start = valueStart + checksumBytes;
    if (page[keyStart] === Table.message) {
      const record = readMessage(bytes, start, valueEnd);
      countReference(packs, record.content.bodyId);
      return visitor.message(id, numberIn(page, keyStart, keyEnd, 1), record);
    }
    const value = bytes.subarray(start, valueEnd);
    switch (page[keyStart]) {
      case Table.entity:
        return visitor.entity(id, readEntity(value, 0));
      case Table.counter:
        return visitor.counter(id, new RecordReader(value).u64());
      case Table.session:
        return visitor.session(id, ...readSession(value, 0));
      case Table.duplicate:
        return visitor.duplicate(id, ...readDuplicate(value, 0));
      case Table.pack: {
        const lengths = readPackLengths(value, 0);
        packs.set(id, { lengths, references: lengths.map(() => 0) });
        return;
      }
      default:
        throw new RangeError(`it holds a record of unknown kind ${page[keyStart]}`);
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

function checkRecord({ page, keyStart, keyEnd, bytes, valueStart, valueEnd }: LmdbEntry): void {
  const isWhole =
    valueEnd - valueStart >= checksumBytes &&
    bytes.readUInt32BE(valueStart) ===
      checksumOf(page, keyStart, keyEnd, bytes, valueStart + checksumBytes, valueEnd);
  if (!isWhole) throw new RangeError("a record fails its checksum");
}
