import type { Serializer } from "@waybill/core";
import { type AvroSchema, avro } from "@waybill/serializer-avro";
import { cbor } from "@waybill/serializer-cbor";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { label } from "./growing-body.js";

/** A value that grows in one dimension, and the serializers that write it. */
export interface GrowingValue {
  readonly serializer: () => Serializer;
  /** A value that takes about as many bytes. */
  readonly make: (bytes: number) => unknown;
}

const plain = {
  JSON: () => json({ writeBigInts: "number", writeBytes: "base64" }),
  MessagePack: msgpack,
  CBOR: cbor,
};

/** Values that every format without a schema writes. */
const values: Readonly<Record<string, GrowingValue["make"]>> = {
  numbers: (bytes) => Array.from({ length: bytes / 4 }, (_, index) => index),
  fractions: (bytes) => Array.from({ length: bytes / 9 }, (_, index) => index + 0.25),
  "integers beyond 2^53": (bytes) =>
    Array.from({ length: bytes / 17 }, (_, index) => 2n ** 60n + BigInt(index)),
  texts: (bytes) => Array.from({ length: bytes / 8 }, (_, index) => label(index)),
  "a text": (bytes) => "word ".repeat(bytes / 5),
  "a text with escapes": (bytes) => '"\n'.repeat(bytes / 4),
  "a text of two bytes a character": (bytes) => "€".repeat(bytes / 3),
  dates: (bytes) => Array.from({ length: bytes / 24 }, (_, index) => new Date(index)),
  "byte strings": (bytes) => Array.from({ length: bytes / 12 }, () => Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)),
  keys: (bytes) => Object.fromEntries(Array.from({ length: bytes / 8 }, (_, index) => [label(index), 0])),
  "objects with keys of their own": (bytes) =>
    Array.from({ length: bytes / 12 }, (_, index) => ({ [label(index)]: 0 })),
  "objects of one shape": (bytes) =>
    Array.from({ length: bytes / 16 }, (_, index) => ({ id: index, ok: true })),
  "one object again and again": (bytes) => Array.from({ length: bytes / 12 }, () => shared),
  "arrays in arrays": (bytes) => Array.from({ length: bytes / 320 }, () => nested(64)),
  "members that are undefined": (bytes) => Array.from({ length: bytes / 8 }, () => ({ id: 1, a: undefined })),
};

const shared = Object.freeze({ id: 1, name: "x" });

function nested(depth: number): unknown {
  return depth === 0 ? 0 : [nested(depth - 1), "abc"];
}

const record = (fields: Readonly<Record<string, AvroSchema>>): AvroSchema => ({
  type: "record",
  name: "R",
  fields: Object.entries(fields).map(([name, type]) => ({ name, type })),
});
const branches = Array.from({ length: 64 }, (_, index) => ({ type: "fixed", name: `F${index}`, size: 1 }));
const symbols = Array.from({ length: 64 }, (_, index) => `S${index}`);

/** Items of Avro: their schema, one of them, and how many bytes it takes. */
const avroItems: Readonly<Record<string, readonly [schema: AvroSchema, item: unknown, bytes: number]>> = {
  longs: ["long", 7, 1],
  strings: ["string", "abc", 4],
  "byte strings": ["bytes", Uint8Array.of(1), 2],
  dates: [{ type: "long", logicalType: "timestamp-micros" }, new Date(0), 1],
  decimals: [{ type: "bytes", logicalType: "decimal", precision: 30, scale: 2 }, "12345678.25", 6],
  "symbols of an enum": [{ type: "enum", name: "E", symbols }, "S63", 1],
  "branches of a union": [branches, { F63: Uint8Array.of(1) }, 3],
  records: [record({ id: "int", name: "string" }), { id: 1, name: "x" }, 3],
  "optional fields": [record({ a: ["null", "string"] }), { a: "x" }, 3],
};

/** Written values of every format, such as `JSON, written: keys`. */
export const growingValues: ReadonlyMap<string, GrowingValue> = new Map([
  ...Object.entries(plain).flatMap(([format, serializer]) =>
    Object.entries(values).map(
      ([name, make]) => [`${format}, written: ${name}`, { serializer, make }] as const,
    ),
  ),
  ...Object.entries(avroItems).map(
    ([name, [items, item, size]]) =>
      [
        `Avro, written: ${name}`,
        {
          serializer: () => avro({ schema: { type: "array", items } }),
          make: (bytes: number) => Array.from({ length: bytes / size }, () => item),
        },
      ] as const,
  ),
  [
    "Avro, written: keys",
    {
      serializer: () => avro({ schema: { type: "map", values: "int" } }),
      make: (bytes) => Object.fromEntries(Array.from({ length: bytes / 8 }, (_, index) => [label(index), 0])),
    },
  ],
]);
