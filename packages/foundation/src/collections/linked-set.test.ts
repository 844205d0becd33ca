import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Linked, LinkedSet } from "./linked-set.js";

class Item implements Linked<Item> {
  previous: Item | undefined = undefined;
  next: Item | undefined = undefined;
}

describe("LinkedSet", () => {
  it("behaves like a Set, in the same order", () => {
    const step = fc.tuple(fc.constantFrom("add", "delete", "clear"), fc.nat(7));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const items = Array.from({ length: 8 }, () => new Item());
        const set = new Set<Item>();
        const linked = new LinkedSet<Item>();
        for (const [verb, index] of steps) {
          const item = items[index]!;
          if (verb === "clear") {
            set.clear();
            linked.clear();
          } else if (verb === "add") {
            set.add(item);
            linked.add(item);
          } else expect(linked.delete(item)).toBe(set.delete(item));
          expect(linked.toArray()).toEqual([...set]);
          expect(linked.size).toBe(set.size);
          expect(items.map((each) => linked.has(each))).toEqual(items.map((each) => set.has(each)));
        }
      }),
    );
  });

  it("leaves no links in a removed item", () => {
    const linked = new LinkedSet<Item>();
    const [first, second, third] = [new Item(), new Item(), new Item()];
    for (const item of [first, second, third]) linked.add(item);
    linked.delete(second);
    expect(second).toEqual(new Item());
  });
});
