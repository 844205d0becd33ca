import fc from "fast-check";
import { narrow } from "./tagged-value.js";

const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 40 }), fc.string({ maxLength: 300 }));
const key = fc
  .string({ unit: "grapheme-ascii", minLength: 1, maxLength: 12 })
  .filter(
    (name) => !["__proto__", "prototype", "constructor", "toJSON"].includes(name) && !/^\d+$/.test(name),
  );
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(narrow);
const double = fc.double({ noNaN: true }).map((value) => (value === 0 ? 0 : value));
const bytes = fc.uint8Array({ maxLength: 64 });
const instant = fc.date({
  min: new Date("1970-01-01T00:00:00Z"),
  max: new Date("2100-01-01T00:00:00Z"),
  noInvalidDate: true,
});

/** What formats without a schema can hold, nested. `more` are the scalars that one format has beside those of all. */
export function plainValues(more: readonly fc.Arbitrary<unknown>[] = []): fc.Arbitrary<unknown> {
  const scalar = fc.oneof(text, int64, double, fc.boolean(), fc.constant(null), bytes, instant, ...more);
  return fc.letrec((tie) => ({
    node: fc.oneof({ depthSize: "small", withCrossShrink: true }, scalar, tie("list"), tie("map")),
    list: fc.array(tie("node"), { maxLength: 6 }),
    map: fc.dictionary(key, tie("node"), { maxKeys: 6, noNullPrototype: true }),
  })).map;
}

/** Integers beyond 64 bits, which CBOR has and MessagePack has not. */
export const bigIntegers = fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }).map(narrow);

/** A schema with every kind of type. Source: Avro specification 1.11, Schema Declaration. */
export const avroSchema = {
  type: "record",
  name: "Everything",
  namespace: "shop",
  fields: [
    { name: "text", type: "string" },
    { name: "int", type: "int" },
    { name: "long", type: "long" },
    { name: "double", type: "double" },
    { name: "flag", type: "boolean" },
    { name: "bytes", type: "bytes" },
    { name: "fixed", type: { type: "fixed", name: "Four", size: 4 } },
    { name: "kind", type: { type: "enum", name: "Kind", symbols: ["SMALL", "LARGE"] } },
    { name: "note", type: ["null", "string"] },
    { name: "numbers", type: { type: "array", items: "long" } },
    { name: "tags", type: { type: "map", values: "string" } },
    { name: "parent", type: ["null", "Everything"] },
  ],
} as const;

/** Values of {@link avroSchema}. */
export function avroValues(): fc.Arbitrary<unknown> {
  const record = (parent: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.record(
      {
        text,
        int: fc.integer(),
        long: int64,
        double,
        flag: fc.boolean(),
        bytes,
        fixed: fc.uint8Array({ minLength: 4, maxLength: 4 }),
        kind: fc.constantFrom("SMALL", "LARGE"),
        note: fc.option(text),
        numbers: fc.array(int64, { maxLength: 5 }),
        tags: fc.dictionary(key, text, { maxKeys: 4, noNullPrototype: true }),
        parent,
      },
      { noNullPrototype: true },
    );
  return record(fc.option(record(fc.constant(null))));
}

/** What Confluent's Avro serializer takes: its longs are numbers. */
export const confluentAvroSchema = {
  type: "record",
  name: "Order",
  namespace: "shop",
  fields: [
    { name: "id", type: "string" },
    { name: "cents", type: "long" },
    { name: "ratio", type: "double" },
    { name: "isPaid", type: "boolean" },
    { name: "note", type: ["null", "string"] },
    { name: "tags", type: { type: "map", values: "string" } },
    { name: "numbers", type: { type: "array", items: "int" } },
  ],
} as const;

/** Values of {@link confluentAvroSchema}. Longs only up to 2^52: beyond, avsc, which that library reads and writes with, loses signs. */
export function confluentAvroValues(): fc.Arbitrary<unknown> {
  return fc.record(
    {
      id: text,
      cents: fc.maxSafeInteger().map((cents) => Math.trunc(cents / 2)),
      ratio: double,
      isPaid: fc.boolean(),
      note: fc.option(text),
      tags: fc.dictionary(key, text, { maxKeys: 4, noNullPrototype: true }),
      numbers: fc.array(fc.integer(), { maxLength: 5 }),
    },
    { noNullPrototype: true },
  );
}

/** A JSON Schema of the same. */
export const jsonSchema = {
  $id: "https://example.com/order.json",
  type: "object",
  properties: { id: { type: "string" }, ratio: { type: "number" }, lines: { type: "array" } },
  required: ["id", "ratio"],
} as const;

/** Values of {@link jsonSchema}. Fractions only up to 10^9: an integer beyond 2^53 in JSON is exact here, and not there. */
export function jsonValues(): fc.Arbitrary<unknown> {
  const ratio = fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((value) => (value === 0 ? 0 : value));
  const item = fc.oneof(text, fc.maxSafeInteger(), ratio, fc.boolean(), fc.constant(null));
  return fc.record({ id: text, ratio, lines: fc.array(item, { maxLength: 5 }) }, { noNullPrototype: true });
}
