import { Buffer } from "node:buffer";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { describe, expect, it } from "vitest";
import { LmdbTarget } from "../lmdb/lmdb-target.js";
import { beginChange, beginValue, endPut, readChange } from "../records/change.js";
import { Table, writeNumberKey } from "../records/record-key.js";
import { RecordWriter } from "../records/record-writer.js";
import { Stamps } from "./blocks.js";
import { applySegment } from "./checkpoint.js";
import { GroupEncoder, groupHeaderBytes } from "./log-format.js";
import { noLog } from "./log-state.js";
import { SegmentChanges } from "./segment-changes.js";
import { StoredKeys } from "./stored-keys.js";

/** The change that puts a message with a sequence number. */
function messageChange(writer: RecordWriter, sequence: number): Buffer {
  beginChange(writer);
  writeNumberKey(writer, Table.message, 1, sequence);
  const valueAt = beginValue(writer);
  writer.bytes(Buffer.alloc(300, sequence));
  endPut(writer, valueAt);
  return writer.finish();
}

describe("bringing the store up to date", () => {
  it("never leaves in the store what is deleted meanwhile, unless the deletion is known to be needed", async () => {
    const directory = mkdtempSync(join(tmpdir(), "log-"));
    const target = new LmdbTarget(open, join(directory, "store.mdb"));
    try {
      const writer = new RecordWriter();
      const bytes = Array.from({ length: 4000 }, (_, i) => messageChange(writer, i + 1));
      const content = Buffer.concat(bytes);
      const path = join(directory, "store.log-a");
      const encoder = new GroupEncoder(new Stamps(noLog.logId));
      writeFileSync(path, encoder.encode(1, 0, [content], content.byteLength));

      const changes = new SegmentChanges();
      let position = groupHeaderBytes;
      for (const change of bytes) {
        const { keyStart, valueStart } = readChange(change, 0);
        changes.put(change, keyStart, valueStart, position);
        position += change.byteLength;
      }

      const stored = new StoredKeys();
      let isDone = false;
      const applying = applySegment({ path, changes, stateAfter: () => noLog }, target, stored);
      const end = applying.then(() => {
        isDone = true;
      });
      // What the log does when a group is durable that deletes a message.
      const unneeded = new Set<Buffer>();
      for (let i = 0; !isDone; i = (i + 37) % bytes.length) {
        const change = bytes[i] as Buffer;
        const { keyStart, valueStart } = readChange(change, 0);
        changes.forget(change, keyStart, valueStart);
        if (!stored.mayHave(change, keyStart, valueStart)) unneeded.add(change);
        await (i % 5 === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined);
      }
      await end;
      expect(unneeded.size).toBeGreaterThan(10);
      for (const change of unneeded) {
        const { keyStart, valueStart } = readChange(change, 0);
        expect(target.get(change, keyStart, valueStart)).toBeUndefined();
      }
    } finally {
      await target.close();
      rmSync(directory, { recursive: true });
    }
  });
});
