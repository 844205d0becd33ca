import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BodySlabs } from "./body-slabs.js";

describe("BodySlabs", () => {
  it("returns stored bodies, from empty ones to those larger than a slab", () => {
    const slabs = new BodySlabs();
    const sizes = [0, 1, 7, 8, 9, 65_536, 65_537, 300_000, 2 ** 21];
    const ids = sizes.map((size, i) => slabs.put(new Uint8Array(size).fill(i + 1)));
    expect(new Set(ids).size).toBe(sizes.length);
    for (const [i, id] of ids.entries()) {
      expect(slabs.read(id).byteLength).toBe(sizes[i]);
      expect(slabs.read(id).every((byte) => byte === i + 1)).toBe(true);
    }
  });

  it("keeps bodies separate for any order of storing and releasing", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ size: fc.nat(90_000), release: fc.nat(3) }), { maxLength: 60 }),
        (steps) => {
          const slabs = new BodySlabs();
          const live: { id: number; size: number; fill: number }[] = [];
          for (const [i, { size, release }] of steps.entries()) {
            const fill = (i % 255) + 1;
            live.push({ id: slabs.put(new Uint8Array(size).fill(fill)), size, fill });
            if (release === 0) slabs.release(live.shift()!.id);
            for (const one of live) {
              const bytes = slabs.read(one.id);
              expect([bytes.byteLength, bytes[0], bytes.at(-1)]).toEqual(
                one.size === 0 ? [0, undefined, undefined] : [one.size, one.fill, one.fill],
              );
            }
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it("frees a slab with its last body", () => {
    const slabs = new BodySlabs();
    const ids = Array.from({ length: 1000 }, () => slabs.put(new Uint8Array(1024)));
    expect(slabs.slabCount).toBeLessThanOrEqual(5);
    for (const id of ids) slabs.release(id);
    expect(slabs.slabCount).toBe(1);
  });

  it("keeps a body until its last reference is released, and returns copies", () => {
    const slabs = new BodySlabs();
    const id = slabs.put(new Uint8Array([1, 2, 3]));
    const bytes = slabs.read(id);
    slabs.retain(id);
    slabs.release(id);
    expect(Uint8Array.from(slabs.read(id))).toEqual(new Uint8Array([1, 2, 3]));
    slabs.release(id);
    for (let i = 0; i < 1000; i++) slabs.put(new Uint8Array(1024).fill(9));
    expect(Uint8Array.from(bytes)).toEqual(new Uint8Array([1, 2, 3]));
  });
});
