import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecordWriter } from "../records/record-writer.js";
import { BodyPacks, type PackStore } from "./body-packs.js";
import { readPack, readPackLengths, writePack, writeRepacked } from "./pack-codec.js";

/** A store of packs in memory, which keeps them as records. */
function createStore(): PackStore & { readonly records: Map<number, Buffer> } {
  const records = new Map<number, Buffer>();
  const writer = new RecordWriter();
  return {
    records,
    read: (id) => readPack(records.get(id)!, 0),
    add: (id, bodies, lengths) => {
      writePack(writer, bodies, lengths);
      records.set(id, writer.finish());
    },
    replace: (id, bodies) => {
      writeRepacked(writer, bodies);
      records.set(id, writer.finish());
    },
    remove: (id) => void records.delete(id),
  };
}

function storedBytes({ records }: ReturnType<typeof createStore>): number {
  return [...records.values()].reduce((sum, record) => sum + record.byteLength, 0);
}

function commit(packs: BodyPacks): void {
  packs.write();
  packs.onDurable();
}

/** Opens packs on a store again, with the references that messages have to the bodies in it. */
function reopen(store: ReturnType<typeof createStore>, referencesTo: (bodyId: number) => number): BodyPacks {
  const packs = new BodyPacks(store);
  for (const [id, record] of [...store.records]) {
    const lengths = readPackLengths(record, 0);
    packs.restore(id, { lengths, references: lengths.map((_, index) => referencesTo(id * 256 + index)) });
  }
  return packs;
}

describe("BodyPacks", () => {
  it("writes the bodies of a group into few records", () => {
    const store = createStore();
    const packs = new BodyPacks(store);
    for (let i = 0; i < 100; i++) packs.put(new Uint8Array(1024));
    commit(packs);
    expect(store.records.size).toBe(4);
    for (let i = 0; i < 1000; i++) packs.put(new Uint8Array(1));
    commit(packs);
    expect(store.records.size).toBe(8);
  });

  it("does not write bodies that were released before their group is written", () => {
    const store = createStore();
    const packs = new BodyPacks(store);
    const ids = Array.from({ length: 40 }, (_, i) => packs.put(new Uint8Array(1000).fill(i)));
    for (const id of ids.slice(1)) packs.release(id);
    commit(packs);
    expect(storedBytes(store)).toBeLessThan(1100);
    expect(packs.read(ids[0]!)).toEqual(new Uint8Array(1000).fill(0));
    packs.release(ids[0]!);
    expect(store.records.size).toBe(0);
  });

  it("deletes a record with its last body", () => {
    const store = createStore();
    const packs = new BodyPacks(store);
    const ids = Array.from({ length: 100 }, () => packs.put(new Uint8Array(1024)));
    commit(packs);
    for (const id of ids) packs.release(id);
    expect(store.records.size).toBe(0);
  });

  it("repacks sparse packs, so that few long-lived bodies do not waste space", () => {
    const store = createStore();
    const packs = new BodyPacks(store);
    const kept: number[] = [];
    for (let group = 0; group < 400; group++) {
      const ids = Array.from({ length: 93 }, () => packs.put(new Uint8Array(1024).fill(group)));
      commit(packs);
      kept.push(ids[50]!);
      for (const id of ids) if (id !== ids[50]) packs.release(id);
    }
    for (let i = 0; i < 100; i++) commit(packs);
    // Without repacking, a pack of 32 KB for each: 13 MB.
    expect(storedBytes(store)).toBeLessThan(10_000_000);
    for (const [group, id] of kept.entries())
      expect(packs.read(id)).toEqual(new Uint8Array(1024).fill(group));
  });

  it("keeps bodies separate for any order of storing, sharing, releasing, writing and reopening", () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), size: fc.nat(40_000) }) },
      { weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), size: fc.nat(40) }) },
      { weight: 8, arbitrary: fc.record({ do: fc.constant("release" as const), which: fc.nat() }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant("retain" as const), which: fc.nat() }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("write" as const, "durable" as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: "max" }), (steps) => {
        const store = createStore();
        let packs = new BodyPacks(store);
        const live: { id: number; size: number; fill: number; references: number }[] = [];
        for (const [i, one] of steps.entries()) {
          const fill = (i % 255) + 1;
          const picked = "which" in one ? live[one.which % live.length] : undefined;
          if (one.do === "put") {
            const id = packs.put(new Uint8Array(one.size).fill(fill));
            expect(live.some((each) => each.id === id)).toBe(false);
            live.push({ id, size: one.size, fill, references: 1 });
          } else if (one.do === "write") commit(packs);
          else if (one.do === "durable") packs.onDurable();
          else if (one.do === "reopen") {
            commit(packs);
            packs = reopen(store, (id) => live.find((each) => each.id === id)?.references ?? 0);
          } else if (picked !== undefined && one.do === "retain") {
            packs.retain(picked.id);
            picked.references++;
          } else if (picked !== undefined) {
            packs.release(picked.id);
            picked.references--;
            if (picked.references === 0) live.splice(live.indexOf(picked), 1);
          }
          for (const { id, size, fill: byte } of live) {
            const bytes = packs.read(id);
            expect([bytes.byteLength, bytes[0], bytes.at(-1)]).toEqual(
              size === 0 ? [0, undefined, undefined] : [size, byte, byte],
            );
          }
        }
        for (const { id, references } of live) for (let i = 0; i < references; i++) packs.release(id);
        commit(packs);
        expect(store.records.size).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a pack's record", () => {
  it("is refused if it is truncated, too long or has a duplicate index", () => {
    const writer = new RecordWriter();
    writePack(writer, Buffer.from("abc"), [1, 2]);
    const record = writer.finish();
    expect(readPackLengths(record, 0)).toEqual([1, 2]);
    for (let length = 0; length < record.byteLength; length++) {
      expect(() => readPackLengths(record.subarray(0, length), 0)).toThrow(RangeError);
    }
    expect(() => readPackLengths(Buffer.concat([Buffer.of(1), record]), 0)).toThrow(RangeError);
    const twice = Buffer.from(record);
    twice[8] = 0;
    expect(() => readPackLengths(twice, 0)).toThrow(RangeError);
  });
});
