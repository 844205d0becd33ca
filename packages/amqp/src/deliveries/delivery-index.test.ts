import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DeliveryIndex } from "./delivery-index.js";
import { serialAdd, serialDistance } from "./serial.js";

function inRange(index: DeliveryIndex<number>, first: number, length: number): number[] {
  const range = index.range(first, length);
  const found: number[] = [];
  for (let id = index.next(range); id !== undefined; id = index.next(range)) found.push(id);
  return found;
}

describe("DeliveryIndex", () => {
  it("finds the deliveries in a range, in order, like a linear search", () => {
    const ids = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 80 });
    fc.assert(
      fc.property(ids, ids, fc.nat(300), fc.nat(400), fc.nat(), (entered, left, from, length, start) => {
        const index = new DeliveryIndex<number>();
        const kept = new Set<number>();
        for (const id of entered) {
          const isNew = !kept.has(id);
          kept.add(id);
          expect(index.add(serialAdd(start, id), id)).toBe(isNew ? undefined : id);
        }
        for (const id of left) expect(index.delete(serialAdd(start, id))).toBe(kept.delete(id));
        expect(index.size).toBe(kept.size);
        const expected = [...kept].filter((id) => id >= from && id < from + length).sort((a, b) => a - b);
        expect(inRange(index, serialAdd(start, from), length)).toEqual(expected);
      }),
    );
  });

  it("continues across the overflow of the serial numbers", () => {
    const index = new DeliveryIndex<number>();
    for (let id = 0xfffffff0; id !== 0x10; id = serialAdd(id, 1)) index.add(id, id);
    expect(inRange(index, 0xfffffffe, 4)).toEqual([0xfffffffe, 0xffffffff, 0, 1]);
    expect(serialDistance(0xfffffffe, 1)).toBe(3);
  });

  it("allows adding and removing deliveries during an iteration", () => {
    const index = new DeliveryIndex<number>();
    for (let id = 0; id < 100; id++) index.add(id, id);
    const range = index.range(10, 20);
    expect(index.next(range)).toBe(10);
    for (let id = 0; id < 28; id++) index.delete(id);
    index.add(5, 5);
    expect(index.next(range)).toBe(28);
    index.sweep((id) => id < 90);
    expect([index.next(range), index.size]).toEqual([undefined, 10]);
  });
});
