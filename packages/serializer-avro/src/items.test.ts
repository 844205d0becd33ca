import { describe, expect, it } from "vitest";
import { avro } from "./avro-serializer.js";
import { errorOf, framed, read, write } from "./messages.test-support.js";
import type { AvroSchema } from "./schema/normalize-schema.js";

const arrayOf = (items: AvroSchema) => ({ type: "array", items }) as const;
const pair = {
  type: "record",
  name: "Pair",
  fields: [
    { name: "a", type: "int" },
    { name: "b", type: "null" },
  ],
} as const;

const wide = {
  type: "record",
  name: "Wide",
  fields: Array.from({ length: 9 }, (_, index) => ({ name: `f${index}`, type: ["null", "long"] as const })),
} as const;
const wideValue = Object.fromEntries(
  wide.fields.map(({ name }, index) => [name, index === 0 ? null : index]),
);

const boxed = {
  type: "record",
  name: "Boxed",
  fields: [
    { name: "box", type: pair },
    { name: "list", type: arrayOf("int") },
    { name: "at", type: { type: "long", logicalType: "timestamp-millis" } },
  ],
} as const;

const localTime = { type: "long", logicalType: "local-timestamp-millis" } as const;

const pairValue = { a: 1, b: null };

describe("the items of a body", () => {
  const bodies: [string, AvroSchema, unknown, number][] = [
    ["in an array", arrayOf("int"), [1, 2, 3], 3],
    ["in a map", { type: "map", values: "int" }, { a: 1, b: 2 }, 2],
    ["in arrays in arrays", arrayOf(arrayOf("null")), [[null], [null, null]], 5],
    ["in a record, where eight scalar fields are one", wide, wideValue, 2],
    ["in records in an array", arrayOf(pair), [pairValue, pairValue], 4],
    ["in fields that are not scalars", boxed, { box: pairValue, list: [], at: new Date(5) }, 4],
    ["that are converted to text", arrayOf(localTime), ["2026-11-05T12:34:56.789"], 4],
    ["that are byte strings", arrayOf("bytes"), [Uint8Array.of(1), Uint8Array.of()], 8],
    ["that are of fixed size", arrayOf({ type: "fixed", name: "F", size: 0 }), [new Uint8Array(0)], 4],
  ];

  it.each(bodies)("are counted %s", (_, schema, value, count) => {
    const serializer = avro({ schema });
    const body = write(serializer, value, { maxItems: count });
    expect(read(serializer, body, { maxItems: count })).toEqual(value);
    expect(errorOf(() => read(serializer, body, { maxItems: count - 1 })).reason).toBe("items-exceeded");
    expect(errorOf(() => write(serializer, value, { maxItems: count - 1 })).message).toContain(
      `holds more than ${count - 1} items`,
    );
  });

  it("are also counted as the reader schema has them", () => {
    const added = { name: "list", type: arrayOf("int"), default: [1] };
    const reader = { ...pair, fields: [...pair.fields, added] };
    const serializer = avro({ schema: arrayOf(reader), writerSchemas: [arrayOf(pair)] });
    const body = write(avro({ schema: arrayOf(pair) }), [{ a: 1, b: null }]);
    expect(read(serializer, body, { maxItems: 3 })).toEqual([{ a: 1, b: null, list: [1] }]);
    expect(errorOf(() => read(serializer, body, { maxItems: 2 })).reason).toBe("items-exceeded");
  });

  it("are counted in blocks with a byte size", () => {
    const serializer = avro({ schema: arrayOf(arrayOf("null")) });
    // A block of one item in three bytes: an array of three nulls, which take no bytes.
    const body = framed(serializer, [], [1, 6, 5, 0, 0, 0]);
    expect(read(serializer, body, { maxItems: 4 })).toEqual([[null, null, null]]);
    expect(errorOf(() => read(serializer, body, { maxItems: 3 })).reason).toBe("items-exceeded");
  });

  it("are counted in a large body before any value is created", () => {
    const serializer = avro({ schema: arrayOf(arrayOf({ type: "map", values: "string" })) });
    const body = write(serializer, Array(100_000).fill([{ x: "y" }]));
    expect(read(serializer, body, { maxItems: 300_000 })).toHaveLength(100_000);
    const heapBefore = process.memoryUsage().heapUsed;
    expect(errorOf(() => read(serializer, body, { maxItems: 299_999 })).reason).toBe("items-exceeded");
    expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(4 * 1024 * 1024);
  });
});
