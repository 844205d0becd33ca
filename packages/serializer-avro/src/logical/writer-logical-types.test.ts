import { describe, expect, it } from "vitest";
import { avro } from "../avro-serializer.js";
import { errorOf, read, write } from "../messages.test-support.js";
import type { AvroSchema } from "../schema/normalize-schema.js";

const decimal = (precision: number, scale: number) =>
  ({ type: "bytes", logicalType: "decimal", precision, scale }) as const;
const long = (logicalType: string) => ({ type: "long", logicalType }) as const;
const price = (type: AvroSchema) =>
  ({ type: "record", name: "Price", fields: [{ name: "value", type }] }) as const;

/** The value that a consumer with `reader` reads if it was written with `writer`, whose id the message has. */
function readAcross(writer: AvroSchema, reader: AvroSchema, value: unknown): unknown {
  const bytes = write(avro({ schema: writer, schemaId: "w1", framing: "raw" }), value);
  const listed = { schema: reader, schemaId: "r1", writerSchemas: [{ schema: writer, schemaId: "w1" }] };
  const fromList = read(avro({ ...listed, framing: "raw" }), bytes, { schemaId: "w1" });
  const fromSource = read(avro({ schema: reader, schemaById: () => writer }), bytes, { schemaId: "w1" });
  expect(fromSource).toEqual(fromList);
  return fromList;
}

describe("a body with a schema id, whose schema differs from the reader's only in logical types,", () => {
  it("keeps the value of its decimals", () => {
    const value = { value: "1234.50" };
    expect(readAcross(price(decimal(10, 2)), price(decimal(12, 4)), value)).toEqual({ value: "1234.5000" });
    expect(readAcross(price(decimal(10, 0)), price(decimal(12, 2)), { value: "-7" })).toEqual({
      value: "-7.00",
    });
  });

  it("keeps the instant of its timestamps", () => {
    const at = new Date(1762346096789);
    for (const [writer, reader] of [
      ["timestamp-micros", "timestamp-millis"],
      ["timestamp-millis", "timestamp-micros"],
    ] as const)
      expect(readAcross(price(long(writer)), price(long(reader)), { value: at })).toEqual({ value: at });
  });

  it("keeps the time of its local timestamps", () => {
    const micros = long("local-timestamp-micros");
    const millis = long("local-timestamp-millis");
    expect(readAcross(micros, millis, "1969-12-31T23:59:59.999999")).toBe("1969-12-31T23:59:59.999");
    expect(readAcross(millis, micros, "2026-11-05T12:34:56.789")).toBe("2026-11-05T12:34:56.789000");
  });

  it("keeps them inside arrays, maps, unions and records", () => {
    const inside = (type: AvroSchema) =>
      price({ type: "array", items: { type: "map", values: ["null", price(type)] } } as never);
    const nested = (type: AvroSchema) =>
      ({ ...inside(type), name: "Prices", fields: inside(type).fields }) as const;
    const value = { value: [{ a: { value: "1.5" }, b: null }] };
    expect(readAcross(nested(decimal(4, 1)), nested(decimal(6, 3)), value)).toEqual({
      value: [{ a: { value: "1.500" }, b: null }],
    });
  });

  it("is refused if the schemas cannot have the same meaning", () => {
    const pairs: [AvroSchema, AvroSchema][] = [
      [decimal(10, 4), decimal(10, 2)],
      [decimal(10, 2), decimal(10, 4)],
      [long("timestamp-millis"), long("local-timestamp-millis")],
      [long("time-micros"), long("timestamp-micros")],
      [long("timestamp-nanos"), long("timestamp-micros")],
      [{ type: "int", logicalType: "time-millis" }, long("time-micros")],
    ];
    for (const [writer, reader] of pairs) {
      const listed = { schema: reader, schemaId: "r1", writerSchemas: [{ schema: writer, schemaId: "w1" }] };
      expect(() => avro({ ...listed, framing: "raw" })).toThrow(/cannot be read/);
      const fromSource = avro({ schema: reader, schemaById: () => writer });
      expect(errorOf(() => read(fromSource, Uint8Array.of(2), { schemaId: "w1" })).reason).toBe(
        "schema-violation",
      );
    }
  });

  it("is refused if raw types have numbers of different units", () => {
    const reader = long("timestamp-millis");
    const listed = { schema: reader, schemaId: "r1", framing: "raw", rawLogicalTypes: "all" } as const;
    const writer = (schema: AvroSchema) => [{ schema, schemaId: "w1" }];
    expect(() => avro({ ...listed, writerSchemas: writer(long("timestamp-micros")) })).toThrow(
      /cannot be read/,
    );
    const plain = avro({ ...listed, writerSchemas: writer("long") });
    expect(read(plain, Uint8Array.of(14), { schemaId: "w1" })).toBe(7);
  });
});

describe("two schemas with the same fingerprint and different logical types", () => {
  const schema = price(decimal(12, 4));
  const other = price(decimal(10, 2));

  it("are refused in single-object encoding, which cannot distinguish them", () => {
    const listings = [
      { schema, writerSchemas: [other] },
      { schema: price("bytes"), writerSchemas: [schema, other] },
      { schema, writerSchemas: [price("bytes")] },
    ];
    for (const listing of listings)
      expect(() => avro(listing)).toThrow(/differs from it only in logical types/);
    expect(() => avro({ schemas: { Paid: listings[0]! } })).toThrow(/schema of "Paid", writerSchemas\[0\]/);
  });

  it("count as one if only names, documentation or a scale of zero differ", () => {
    const named = { ...other, fields: [{ ...other.fields[0], aliases: ["amount"], doc: "in euros" }] };
    expect(() => avro({ schema: other, writerSchemas: [named] })).not.toThrow();
    const { scale: _, ...whole } = decimal(4, 0);
    expect(() => avro({ schema: whole, writerSchemas: [decimal(4, 0)] })).not.toThrow();
  });

  it("do not read a body without an id if ids are written", () => {
    const bytes = write(avro({ schema: other }), { value: "1234.50" });
    const serializer = avro({
      schema,
      schemaId: "r1",
      writerSchemas: [{ schema: other, schemaId: "w1" }],
      framing: "raw",
    });
    expect(errorOf(() => read(serializer, bytes)).reason).toBe("schema-unknown");
  });
});
