import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareValues } from "./compare-values.js";
import { isSameValue } from "./is-same-value.js";

function differences(before: unknown, after: unknown): string[] {
  const found: string[] = [];
  compareValues(before, after, (path, kind) => found.push(`${path} ${kind}`));
  return found;
}

const bytes = Uint8Array.of(1, 2);
const at = new Date(0);

describe("compareValues", () => {
  it.each<[string, unknown, unknown, string[]]>([
    ["null for an omitted field", {}, { a: null }, ["/a undefined-null"]],
    ["undefined for null", { a: null }, { a: undefined }, ["/a undefined-null"]],
    ["a field that is lost", { a: 1 }, {}, ["/a missing"]],
    ["a field that appears", {}, { a: 1 }, ["/a added"]],
    ["a string for a date", { at }, { at: at.toISOString() }, ["/at date"]],
    ["a number for a date", { at }, { at: 0 }, ["/at date"]],
    ["another date", { at }, { at: new Date(1) }, ["/at date"]],
    ["a number for a bigint", { id: 2n ** 60n }, { id: 2 ** 60 }, ["/id bigint"]],
    ["a string for a bigint", { id: 5n }, { id: "5" }, ["/id bigint"]],
    ["another bigint", { id: 5n }, { id: 6n }, ["/id bigint"]],
    ["a float of single precision", { price: 0.1 }, { price: Math.fround(0.1) }, ["/price precision"]],
    ["another number", { price: 1 }, { price: 2 }, ["/price value"]],
    ["null for NaN", { rate: Number.NaN }, { rate: null }, ["/rate not-finite"]],
    ["0 for -0", { rate: -0 }, { rate: 0 }, ["/rate not-finite"]],
    ["a string for bytes", { key: bytes }, { key: "AQI=" }, ["/key bytes"]],
    ["a list for bytes", { key: bytes }, { key: [1, 2] }, ["/key bytes"]],
    ["other bytes", { key: bytes }, { key: Uint8Array.of(1) }, ["/key bytes"]],
    ["an object for a Map", { map: new Map([["a", 1]]) }, { map: { a: 1 } }, ["/map map"]],
    [
      "a Map in another order",
      new Map([
        ["a", 1],
        ["b", 2],
      ]),
      new Map([
        ["b", 2],
        ["a", 1],
      ]),
      ["/ order"],
    ],
    ["a Map with another value", new Map([["a", 1]]), new Map([["a", 2]]), ["/{} value"]],
    ["a Map with other keys", new Map([["a", 1]]), new Map([["b", 1]]), ["/ value"]],
    ["a Set in another order", new Set([1, 2]), new Set([2, 1]), ["/ order"]],
    ["a shorter list", { lines: [1, 2] }, { lines: [1] }, ["/lines length"]],
    ["a string for a number", { n: 1 }, { n: "1" }, ["/n type"]],
    ["a list for an object", { n: {} }, { n: [] }, ["/n type"]],
    ["another string", { s: "a" }, { s: "b" }, ["/s value"]],
  ])("reports %s", (_, before, after, expected) => {
    expect(differences(before, after)).toEqual(expected);
  });

  it("reports the items of a list once per kind, and ignores the order of fields", () => {
    const before = { lines: [{ at }, { at }, { at: 1 }], a: 1, b: 2 };
    const after = { b: 2, a: 1, lines: [{ at: "x" }, { at: "y" }, { at: 2 }] };
    expect(differences(before, after)).toEqual(["/lines/[]/at date", "/lines/[]/at value"]);
  });

  it("reports no keys that are data, and no values", () => {
    const keys = [
      "ada@example.com",
      "4711",
      "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
      "Ada Example",
      "x".repeat(65),
      "ключ",
    ];
    for (const key of keys) expect(differences({ [key]: 1 }, { [key]: 2 })).toEqual(["/{} value"]);
    expect(differences({ address2: 1, "order-id": 1 }, {})).toEqual([
      "/address2 missing",
      "/order-id missing",
    ]);
  });

  it("stops after a hundred differences", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`f${"a".repeat(index % 60)}${index % 99}`, 1]),
    );
    expect(differences(wide, {})).toHaveLength(100);
  });

  it("reports a difference if and only if the values are not the same", () => {
    const value = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: false,
    });
    fc.assert(
      fc.property(value, value, (left, right) => {
        expect(differences(left, left)).toEqual([]);
        expect(differences(left, right).length > 0).toBe(!isSameValue(left, right));
        expect(isSameValue(left, right)).toBe(isSameValue(right, left));
      }),
    );
  });
});
