import { type AvroSchema, avro } from "@waybill/serializer-avro";
import avsc from "avsc";
import { counted, type GrowingBodies, label, nested, type Piece, repeated } from "./growing-body.js";

/** A number in zig-zag form. Source: Avro specification 1.12, "Binary encoding". */
function long(value: number): number[] {
  const bytes: number[] = [];
  let rest = value * 2;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
}

const record = (fields: Readonly<Record<string, AvroSchema>>): AvroSchema => ({
  type: "record",
  name: "R",
  fields: Object.entries(fields).map(([name, type]) => ({ name, type })),
});
const symbols = Array.from({ length: 64 }, (_, index) => `S${index}`);
const branches = Array.from({ length: 64 }, (_, index) => ({ type: "fixed", name: `F${index}`, size: 1 }));

/** Of Confluent's framing. */
const framingBytes = 5;

export const avroBodies: GrowingBodies = {
  longs: items("long", [0x02]),
  doubles: items("double", [1, 2, 3, 4, 5, 6, 7, 0x3f]),
  strings: items("string", [0x06, ...Buffer.from("abc")]),
  "byte strings": { ...items("bytes", [0x02, 1]), bare: bareItems("bytes") },
  decimals: items({ type: "bytes", logicalType: "decimal", precision: 30, scale: 2 }, [
    0x14,
    ...Buffer.alloc(10, 7),
  ]),
  timestamps: items({ type: "long", logicalType: "timestamp-micros" }, [0x80, 0x90, 0xcd, 0xdd, 0x0c]),
  "local timestamps": items(
    { type: "long", logicalType: "local-timestamp-micros" },
    [0x80, 0x90, 0xcd, 0xdd, 0x0c],
  ),
  UUIDs: items({ type: "fixed", name: "U", size: 16, logicalType: "uuid" }, Buffer.alloc(16, 7)),
  "symbols of an enum": items({ type: "enum", name: "E", symbols }, long(63)),
  "branches of a union": { ...items(branches, [...long(63), 1]), bare: bareItems(branches) },
  "records of one field": items(record({ a: "int" }), [0x02]),
  "records of an empty array": items(record({ a: { type: "array", items: "null" } }), [0]),
  "items of no bytes": items({ type: "array", items: "null" }, [0x7e, 0]),
  "empty maps": items({ type: "map", values: "int" }, [0]),
  "blocks of one item": framed({ type: "array", items: "long" }, repeated([], [0x02, 0x02], [0])),
  "blocks with their size": framed({ type: "array", items: "long" }, repeated([], [0x01, 0x02, 0x02], [0])),
  keys: framed(
    { type: "map", values: "int" },
    counted(long, (index) => [0x0c, ...Buffer.from(label(index)), 0x02], [0]),
  ),
  "the length of a string": framed("string", (bytes) =>
    Buffer.concat([Buffer.from(long(bytes)), Buffer.alloc(bytes, "é")]),
  ),
  "records in records": framed(
    { type: "record", name: "R", fields: [{ name: "next", type: ["null", "R"] }] },
    repeated([], [0x02], [0]),
  ),
  "text in records in records": framed(
    {
      type: "record",
      name: "R",
      fields: [{ name: "next", type: ["string", "R"] }],
    },
    nested(
      (bytes) => Buffer.concat([Buffer.from([0, ...long(bytes)]), Buffer.alloc(bytes, "x")]),
      () => [[0x02], []],
    ),
  ),
  "symbols that the reader lacks": framedAs(
    { type: "array", items: { type: "enum", name: "E", symbols } },
    { type: "array", items: { type: "enum", name: "E", symbols: ["S0"], default: "S0" } },
    counted(long, long(63), [0]),
  ),
  "fields that the reader skips": framedAs(
    { type: "array", items: record({ a: "string", b: { type: "array", items: "int" } }) },
    { type: "array", items: record({ b: { type: "array", items: "int" } }) },
    counted(long, [0x02, 0x61, 0x02, 0x02, 0], [0]),
  ),
};

function items(schema: AvroSchema, item: Piece): GrowingBodies[string] {
  return framed({ type: "array", items: schema }, counted(long, item, [0]));
}

/** Reads items with avsc alone. */
function bareItems(schema: AvroSchema): (bytes: Uint8Array) => unknown {
  const type = avsc.Type.forSchema({ type: "array", items: schema } as avsc.Schema, { wrapUnions: true });
  return (bytes) => type.fromBuffer(Buffer.from(bytes.subarray(framingBytes)));
}

function framed(schema: AvroSchema, make: (bytes: number) => Buffer): GrowingBodies[string] {
  return framedAs(schema, schema, make);
}

/** A body in Confluent's framing, whose header needs no value. */
function framedAs(
  writer: AvroSchema,
  reader: AvroSchema,
  make: (bytes: number) => Buffer,
): GrowingBodies[string] {
  return {
    contentType: "application/avro",
    serializer: () =>
      avro({
        schema: reader,
        schemaId: 1,
        writerSchemas: [{ schema: writer, schemaId: 2 }],
        framing: "confluent",
      }),
    make: (bytes) => Buffer.concat([Buffer.from([0, 0, 0, 0, 2]), make(bytes)]),
  };
}
