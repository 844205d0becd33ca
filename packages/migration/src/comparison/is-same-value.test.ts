import { describe, expect, it } from "vitest";
import { compareValues } from "./compare-values.js";
import { isSameValue } from "./is-same-value.js";
import { Tallies } from "./tallies.js";

class Order {
  readonly id = 1;
}
const bare = Object.assign(Object.create(null) as object, { id: 1 });

describe("two values that a handler could not distinguish", () => {
  it.each<[unknown, unknown]>([
    [1, 1],
    [0, 0],
    [-0, -0],
    [Number.NaN, Number.NaN],
    ["a", "a"],
    [1n, 1n],
    [null, null],
    [undefined, undefined],
    [[], []],
    [
      [1, [2]],
      [1, [2]],
    ],
    [{ a: 1 }, { a: 1 }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [{ a: undefined }, { a: undefined }],
    [new Order(), { id: 1 }],
    [{ id: 1 }, new Order()],
    [bare, { id: 1 }],
    [new Date(5), new Date(5)],
    [new Date(Number.NaN), new Date(Number.NaN)],
    [Uint8Array.of(1, 2), Uint8Array.of(1, 2)],
    [Uint8Array.of(1, 2), Buffer.from([1, 2])],
    [new Map([["a", { b: 1 }]]), new Map([["a", { b: 1 }]])],
    [new Set([1, "a"]), new Set([1, "a"])],
  ])("%o and %o", (left, right) => {
    expect(isSameValue(left, right)).toBe(true);
  });

  it.each<[unknown, unknown]>([
    [1, 2],
    [0, -0],
    [1, 1n],
    [1, "1"],
    [null, undefined],
    [null, {}],
    [{}, null],
    [{}, "{}"],
    [[], {}],
    [{}, []],
    [[1], [1, 2]],
    [[1, 2], [1]],
    [
      [1, 2],
      [1, 3],
    ],
    [[undefined], []],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: undefined }, {}],
    [{}, { a: undefined }],
    [{ a: undefined }, { b: undefined }],
    [{ a: undefined }, { b: 1 }],
    [new Date(5), new Date(6)],
    [new Date(5), {}],
    [{}, new Date(5)],
    [new Date(5), Uint8Array.of(5)],
    [Uint8Array.of(1), Uint8Array.of(2)],
    [Uint8Array.of(1), Uint8Array.of(1, 2)],
    [Uint8Array.of(1, 2), Uint8Array.of(1)],
    [Uint8Array.of(1), new Map()],
    [new Map(), Uint8Array.of()],
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [new Map([["a", 1]]), new Map()],
    [new Map(), new Set()],
    [new Set(), new Map()],
    [new Set([1]), new Set([2])],
    [new Set([1]), new Set([1, 2])],
    [new Float32Array([1]), new Float32Array([1])],
    [new Float32Array([1]), Uint8Array.of(1)],
  ])("are not %o and %o", (left, right) => {
    expect(isSameValue(left, right)).toBe(false);
  });
});

describe("how two values differ", () => {
  const differences = (before: unknown, after: unknown) => {
    const found: string[] = [];
    compareValues(before, after, (path, kind) => found.push(`${path} ${kind}`));
    return found;
  };

  it.each<[unknown, unknown, string[]]>([
    [new Set([1]), new Set([2]), ["/ value"]],
    [new Set([1]), new Set([1, 2]), ["/ length"]],
    [new Set([1, 2]), new Set([2, 1]), ["/ order"]],
    [new Set([1]), [1], ["/ map"]],
    [[1], new Set([1]), ["/ map"]],
    [new Map(), new Set(), ["/ map"]],
    [new Map([["a", 1]]), new Map([["b", 1]]), ["/ value"]],
    [new Map([["a", 1]]), new Map(), ["/ length"]],
    [[1], [2, 3], ["/ length", "/[] value"]],
    [[1, 2, 3], [1, 3, 4], ["/[] value"]],
    [1, 2, ["/ value"]],
    [1, "1", ["/ type"]],
    ["1", 1, ["/ type"]],
    ["a", "b", ["/ value"]],
    [true, false, ["/ value"]],
    [1, Number.NaN, ["/ not-finite"]],
    ["a", Number.POSITIVE_INFINITY, ["/ not-finite"]],
    [0, -0, ["/ not-finite"]],
    [1, 1 + 2 ** -23, ["/ precision"]],
    [1, 1 + 2 ** -22, ["/ value"]],
    [1, 1 + 1.5 * 2 ** -23, ["/ value"]],
    [1, 1 - 2 ** -23, ["/ precision"]],
    [2, 2 - 2 ** -22, ["/ precision"]],
    [{ a: 1 }, [1], ["/ type"]],
    [{ ["x".repeat(64)]: 1 }, {}, [`/${"x".repeat(64)} missing`]],
    [{ ["x".repeat(65)]: 1 }, {}, ["/{} missing"]],
  ])("%o and %o", (before, after, expected) => {
    expect(differences(before, after)).toEqual(expected);
  });

  it("is told for a hundred places", () => {
    const before = Object.fromEntries(
      Array.from({ length: 101 }, (_, index) => [
        String.fromCharCode(97 + (index % 26)).repeat(1 + index),
        1,
      ]),
    );
    expect(differences(before, {})).toHaveLength(100);
  });
});

describe("tallies", () => {
  it("are sorted by how often each was counted, and begin anew when they are cleared", () => {
    const tallies = new Tallies<{ name: string; count: number }>(2);
    for (const name of ["a", "b", "b", "c"]) tallies.count(name, () => ({ name, count: 0 }));
    expect(tallies.sorted()).toEqual([
      { name: "b", count: 2 },
      { name: "a", count: 1 },
    ]);
    expect(tallies.uncounted).toBe(1);
    tallies.clear();
    expect([tallies.sorted(), tallies.uncounted]).toEqual([[], 0]);
  });
});
