import type { JsonSchema } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { type JsonValuesOptions, jsonValues } from "./json-values.js";

function valuesOf(schema: JsonSchema, more: Partial<JsonValuesOptions> = {}): readonly unknown[] {
  return jsonValues(schema, {
    writesOnlyDeclared: true,
    matching: (pattern) => [`matches ${pattern}`],
    ...more,
  });
}

/** How a property may be left out, or have any of these values. */
const property = (name: string, values: readonly unknown[]) => [
  {},
  ...values.map((value) => ({ [name]: value })),
];

describe("the values of a schema", () => {
  it("are the smallest of its type first, then its limits and what is beside them", () => {
    expect(valuesOf({ type: "null" })).toEqual([null]);
    expect(valuesOf({ type: "boolean" })).toEqual([false, true]);
    expect(valuesOf({ type: "number", minimum: 3, maximum: 5 })).toEqual([3, 4, 3.5, 5, 4.5]);
    expect(valuesOf({ type: "integer", minimum: 3, maximum: 5 })).toEqual([3, 4, 5]);
    expect(valuesOf({ type: "integer", exclusiveMinimum: 3, exclusiveMaximum: 6 })).toEqual([4, 5]);
    expect(valuesOf({ type: "integer", multipleOf: 7, minimum: 1, maximum: 50 })).toEqual([7, 21, 49]);
  });

  it("include integers that a double does not hold", () => {
    expect(valuesOf({ type: "integer" })).toEqual([
      0,
      1,
      -1,
      2_147_483_648,
      -2_147_483_649,
      1e300,
      9_007_199_254_740_993n,
      9_223_372_036_854_775_808n,
    ]);
  });

  it("are only those that it lists", () => {
    expect(valuesOf({ const: 7 })).toEqual([7]);
    expect(valuesOf({ enum: ["a", 7, null] })).toEqual(["a", 7, null]);
    expect(valuesOf(false)).toEqual([]);
    expect(valuesOf(true)).toEqual([null, false, 0, "a", [], {}]);
  });

  it("are texts of each length that matters, and of its format or pattern first", () => {
    expect(valuesOf({ type: "string", minLength: 2, maxLength: 3 })).toEqual(["ä€", "42", "aa", "aaa"]);
    expect(valuesOf({ type: "string", format: "uuid" })[0]).toBe("123e4567-e89b-12d3-a456-426614174000");
    expect(valuesOf({ type: "string", format: "unheard-of" })).toEqual(["", "a", "ä€", "😀", "42"]);
    expect(valuesOf({ type: "string", pattern: "^m" })).toEqual(["matches ^m"]);
    expect(valuesOf({ type: "string", minLength: 10_000 })).toEqual(["a".repeat(10_000)]);
    expect(valuesOf({ type: "string", minLength: 10_002 })).toEqual([]);
  });

  it("are lists of each size that matters, with one item that differs, and with repeated ones", () => {
    const items = { type: "boolean" } as const;
    expect(valuesOf({ type: "array", items, minItems: 1, maxItems: 2 })).toEqual([
      [false],
      [true],
      [false, false],
      [true, false],
      [false, true],
      [true, true],
    ]);
    expect(valuesOf({ type: "array", prefixItems: [{ const: 1 }, { const: 2 }], items: false })).toEqual([
      [],
      [1],
      [1, 2],
    ]);
    expect(valuesOf({ type: "array", items, uniqueItems: true, maxItems: 1 })).toEqual([[], [false], [true]]);
    expect(valuesOf({ type: "array", items: false })).toEqual([[]]);
    expect(valuesOf({ type: "array", items, minItems: 33 })).toEqual([]);
  });

  it("are objects with and without each property that may be missing", () => {
    const boolean = { type: "boolean" } as const;
    expect(valuesOf({ type: "object", properties: { a: boolean } })).toEqual(property("a", [false, true]));
    expect(valuesOf({ type: "object", properties: { a: boolean }, required: ["a"] })).toEqual([
      { a: false },
      { a: true },
    ]);
    expect(valuesOf({ type: "object", properties: { a: boolean, b: { const: 1 } } })).toEqual([
      {},
      { a: false },
      { a: true },
      { b: 1 },
      { a: true, b: 1 },
    ]);
    expect(valuesOf({ type: "object", required: ["a"], properties: { a: false } })).toEqual([]);
    expect(valuesOf({ type: "object", required: ["a"], additionalProperties: boolean })).toContainEqual({
      a: true,
    });
  });

  it("have properties that nobody declared, unless it is closed or writers are said to write none", () => {
    const open = { type: "object" } as const;
    const others = { writesOnlyDeclared: false };
    expect(valuesOf(open)).toEqual([{}]);
    expect(valuesOf(open, others)).toEqual(property("undeclared", [null, false, 0, "a", [], {}]));
    expect(valuesOf({ ...open, additionalProperties: false }, others)).toEqual([{}]);
    expect(valuesOf({ ...open, additionalProperties: { const: 1 } })).toEqual(property("undeclared", [1]));
    expect(
      valuesOf({ ...open, patternProperties: { "^x": { const: 1 } }, additionalProperties: false }),
    ).toEqual([{}]);
    const matching = () => ["x-1", "x-2"];
    const closed = { ...open, patternProperties: { "^x": { const: 1 } }, additionalProperties: false };
    expect(valuesOf(closed, { matching })).toEqual(property("x-1", [1]));
  });

  it("follow references and combined schemas, also recursive ones", () => {
    const one = { const: 1 } as const;
    expect(valuesOf({ $defs: { one }, $ref: "#/$defs/one" })).toEqual([1]);
    expect(valuesOf({ allOf: [{ type: "integer", minimum: 3 }, { maximum: 4 }] })).toEqual([3, 4]);
    expect(valuesOf({ anyOf: [one, { const: 2 }] })).toEqual([1, 2]);
    expect(valuesOf({ oneOf: [one, { const: 2 }] })).toEqual([1, 2]);
    const list = { type: "object", properties: { next: { $ref: "#" } } } as const;
    const deepest = JSON.stringify(valuesOf(list).at(-1));
    expect(deepest.match(/next/g)).toHaveLength(6);
    // Its check never ends, so that no value passes it.
    expect(valuesOf({ anyOf: [one, { $ref: "#" }] })).toEqual([]);
    const properties = {
      allOf: [
        { type: "object", properties: { a: one }, required: ["a"] },
        { properties: { b: { const: 2 } }, required: ["b"] },
      ],
    } as const;
    expect(valuesOf(properties)).toEqual([{ a: 1, b: 2 }]);
  });

  it("are those of the types that its keywords imply", () => {
    expect(valuesOf({ minimum: 3, maximum: 3 })).toEqual([3]);
    expect(valuesOf({ minLength: 2, maxLength: 2 })).toEqual(["ä€", "42", "aa"]);
    expect(valuesOf({ maxItems: 0 })).toEqual([[]]);
    expect(valuesOf({ maxProperties: 0 })).toEqual([{}]);
    expect(valuesOf({ type: ["null", "boolean"] })).toEqual([null, false, true]);
  });
});

describe("the reader's schema", () => {
  it("adds its limits, names and values", () => {
    const reader = { type: "integer", minimum: 7 } as const;
    expect(valuesOf({ type: "integer", minimum: 6, maximum: 9 }, { reader })).toEqual([6, 7, 9, 8]);
    expect(valuesOf({ type: "number", minimum: 6, maximum: 7 }, { reader })).toEqual([6, 7, 6.5]);
    expect(valuesOf({ type: "string", minLength: 4 }, { reader: { enum: ["four", "five"] } })).toEqual([
      "four",
      "five",
      "aaaa",
      "aaaaa",
    ]);
    expect(
      valuesOf(
        { type: "object" },
        { reader: { properties: { a: { const: 1 } } }, writesOnlyDeclared: false },
      ),
    ).toContainEqual({ a: 1 });
    expect(valuesOf(true, { reader: { type: "integer", minimum: 50, maximum: 50 } })).toContain(50);
    const items = { type: "array", items: { type: "string", maxLength: 7 } } as const;
    expect(valuesOf({ type: "array", items: { type: "string" } }, { reader: items })).toContainEqual([
      "a".repeat(8),
    ]);
    expect(valuesOf({ type: "string" }, { reader: { type: "string", pattern: "^r" } })).toContain(
      "matches ^r",
    );
    expect(valuesOf({ type: "string" }, { reader: { type: "string", format: "date" } })).toContain(
      "2026-11-05",
    );
  });
});
