import { describe, expect, it } from "vitest";
import { avro } from "../avro-serializer.js";
import { roundTrip } from "../messages.test-support.js";
import { fingerprint } from "./compiled-schema.js";
import { type AvroSchema, normalizeSchema } from "./normalize-schema.js";

const fieldsOf = (...types: AvroSchema[]) => types.map((type, index) => ({ name: `f${index}`, type }));

describe("a schema", () => {
  const refused: [string, unknown, RegExp][] = [
    ["null", null, /schema: must be a type name/],
    ["a number", 5, /schema: must be a type name/],
    ["text that is not JSON", "{", /not valid JSON/],
    [
      "an unknown type",
      { type: "record", name: "R", fields: fieldsOf("text") },
      /fields\[0\] "f0": the type "text" is not defined/,
    ],
    ["an unknown type that every object inherits", { type: "constructor" }, /"constructor" is not defined/],
    ["a record without a name", { type: "record", fields: [] }, /needs a name/],
    ["a record without fields", { type: "record", name: "R" }, /needs an array of fields/],
    [
      "a field without a name",
      { type: "record", name: "R", fields: [{ type: "int" }] },
      /fields\[0\]: undefined is not an Avro name/,
    ],
    [
      "a name that contains code",
      { type: "record", name: "R", fields: [{ name: "a;b()", type: "int" }] },
      /not an Avro name/,
    ],
    [
      "a field named __proto__",
      { type: "record", name: "R", fields: [{ name: "__proto__", type: "int" }] },
      /"__proto__" is not supported/,
    ],
    ["a symbol named __proto__", { type: "enum", name: "E", symbols: ["__proto__"] }, /"__proto__" is not/],
    ["a type named __proto__", { type: "fixed", name: "__proto__", size: 1 }, /"__proto__" is not supported/],
    ["a symbol that is listed twice", { type: "enum", name: "E", symbols: ["A", "A"] }, /listed twice/],
    [
      "two fields with the same name",
      {
        type: "record",
        name: "R",
        fields: [
          { name: "a", type: "int" },
          { name: "a", type: "int" },
        ],
      },
      /duplicate field name/,
    ],
    [
      "two types with the same name",
      { type: "record", name: "R", fields: fieldsOf({ type: "fixed", name: "R", size: 1 }) },
      /defined twice/,
    ],
    ["the name of a primitive", { type: "fixed", name: "a.string", size: 1 }, /name of a primitive/],
    ["an empty union", [], /at least one branch/],
    ["a union in a union", ["int", ["null"]], /\[1\]: a union cannot contain a union/],
    ["a union with a duplicate type", ["int", "int"], /duplicate union branch/],
    ["an enum without symbols", { type: "enum", name: "E", symbols: [] }, /needs an array of symbols/],
    [
      "an enum default that is not a symbol",
      { type: "enum", name: "E", symbols: ["A"], default: "B" },
      /one of its symbols/,
    ],
    ["a fixed without a size", { type: "fixed", name: "F" }, /size of a fixed/],
    ["an array without items", { type: "array" }, /schema.items: must be/],
    [
      "a default of another type",
      { type: "record", name: "R", fields: [{ name: "a", type: "int", default: "x" }] },
      /incompatible field default/,
    ],
    [
      "aliases that are not a list",
      { type: "record", name: "R", aliases: "S", fields: [] },
      /aliases must be an array/,
    ],
    [
      "an unknown order",
      { type: "record", name: "R", fields: [{ name: "a", type: "int", order: "up" }] },
      /unknown order/,
    ],
  ];
  it.each(refused)("is refused with %s", (_, schema, text) => {
    expect(() => avro({ schema: schema as AvroSchema })).toThrow(TypeError);
    expect(() => avro({ schema: schema as AvroSchema })).toThrow(text);
  });

  it("is refused if it is nested endlessly", () => {
    const schema: { type: string; items: unknown } = { type: "array", items: "int" };
    schema.items = schema;
    expect(() => avro({ schema })).toThrow(/nests deeper than 128/);
  });

  it("may be JSON text, a name, or a type inside a type object", () => {
    expect(roundTrip(avro({ schema: '{"type":"array","items":"int"}' }), [1])).toEqual([1]);
    expect(roundTrip(avro({ schema: '"int"' }), 1)).toBe(1);
    expect(roundTrip(avro({ schema: { type: { type: "int" } } }), 1)).toBe(1);
  });

  it("resolves names in the enclosing namespace", () => {
    const inner = { type: "fixed", name: "F", size: 1 };
    const qualified = {
      type: "record",
      name: "a.b.R",
      fields: fieldsOf(inner, "F", "a.b.F", { ...inner, name: "c.F" }, "c.F"),
    };
    const schema = {
      type: "record",
      name: "R",
      namespace: "a.b",
      fields: fieldsOf(inner, "a.b.F", "F", { ...inner, namespace: "c" }, "c.F"),
    };
    expect(fingerprint(qualified)).toBe(fingerprint(schema));
    const value = Object.fromEntries([0, 1, 2, 3, 4].map((index) => [`f${index}`, Uint8Array.of(index)]));
    expect(roundTrip(avro({ schema }), value)).toEqual(value);
  });

  it("distinguishes a type without a namespace from one of the same name in the enclosing namespace", () => {
    const fixed = (size: number, namespace?: string) => ({
      type: "fixed",
      name: "F",
      size,
      ...(namespace === undefined ? {} : { namespace }),
    });
    const schema = { type: "record", name: "a.R", fields: fieldsOf(fixed(1), fixed(2, ""), "F", ".F") };
    const value = {
      f0: Uint8Array.of(1),
      f1: Uint8Array.of(1, 2),
      f2: Uint8Array.of(1),
      f3: Uint8Array.of(1, 2),
    };
    expect(roundTrip(avro({ schema }), value)).toEqual(value);
  });

  it("is copied without unknown attributes", () => {
    const schema = { type: "map", values: { type: "long", doc: "count", logicalType: "made-up" }, extra: 1 };
    expect(normalizeSchema(schema, new Set())).toEqual({ type: "map", values: { type: "long" } });
  });
});
