import { describe, expect, it } from "vitest";
import { avroTypeOf } from "../structure/avro-type.js";
import type { ProtobufField, ProtobufMessage } from "../structure/protobuf-type.js";
import { avroValues } from "./avro-values.js";
import { localName, protobufValues } from "./protobuf-values.js";
import { integers, ofEntries, ofItems, ofMembers } from "./variations.js";

const int32 = [0, 1, -1, 1000, 2_147_483_647, -2_147_483_648];
const uint32 = [0, 1, 1000, 4_294_967_295];
const int64 = [
  0n,
  1n,
  -1n,
  1000n,
  9_223_372_036_854_775_807n,
  -9_223_372_036_854_775_808n,
  1_099_511_627_776n,
  9_007_199_254_740_993n,
];
const uint64 = [0n, 1n, 1000n, 18_446_744_073_709_551_615n, 1_099_511_627_776n, 9_007_199_254_740_993n];
const texts = ["", "a", "ä€", "😀", "42"];
const bytes = [new Uint8Array(0), Uint8Array.of(0x61), Uint8Array.of(0xff, 0xfe, 0x80)];
const floats = [0, 1.5, -1, 16_777_216];
const doubles = [0, 1.5, -1, 1e300, 0.1];

describe("variations", () => {
  it("of members differ from the smallest in one, and then in all", () => {
    expect(ofMembers({ a: [0, 1, 2], b: ["x", "y"] })).toEqual([
      { a: 0, b: "x" },
      { a: 1, b: "x" },
      { a: 2, b: "x" },
      { a: 0, b: "y" },
      { a: 2, b: "y" },
    ]);
    expect(ofMembers({ a: [0, 1] })).toEqual([{ a: 0 }, { a: 1 }]);
    expect(ofMembers({})).toEqual([{}]);
  });

  it("are no more than 256 of one part", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => index);
    expect(ofMembers({ a: many, b: many })).toHaveLength(256);
    expect(ofItems(many)).toHaveLength(258);
    expect(ofEntries(many)).toHaveLength(258);
  });

  it("of lists and maps are empty, of one and of two", () => {
    expect(ofItems([1, 2, 3])).toEqual([[], [1], [2], [3], [1, 2]]);
    expect(ofItems([1])).toEqual([[], [1]]);
    expect(ofItems([1, 2])).toEqual([[], [1], [2], [1, 2]]);
    expect(ofEntries([1, 2])).toEqual([{}, { key: 1 }, { key: 2 }, { key: 1, other: 2 }]);
    expect(ofEntries([1])).toEqual([{}, { key: 1 }]);
  });

  it("of integers have the limits of their bits", () => {
    expect([integers(64, true), integers(64, false)]).toEqual([int64, uint64]);
    expect(integers(32, true)).toEqual(int32.map(BigInt));
  });
});

describe("the values of an Avro schema", () => {
  it.each<[unknown, readonly unknown[]]>([
    ["null", [null]],
    ["boolean", [false, true]],
    ["int", int32],
    ["long", int64],
    [
      { type: "long", logicalType: "timestamp-millis" },
      [0n, 1n, 1_700_000_000_000n, -1n, 1_700_000_000_000_123n],
    ],
    ["float", floats],
    ["double", doubles],
    ["string", texts],
    [{ type: "string", logicalType: "uuid" }, ["123e4567-e89b-12d3-a456-426614174000"]],
    ["bytes", bytes],
    [
      { type: "bytes", logicalType: "decimal", precision: 3 },
      [Uint8Array.of(0), Uint8Array.of(1), Uint8Array.of(3, 0xe7), Uint8Array.of(0xfc, 0x19)],
    ],
    [{ type: "fixed", name: "F", size: 2 }, [Uint8Array.of(0, 0), Uint8Array.of(1, 1)]],
    [{ type: "enum", name: "E", symbols: ["A", "B"] }, ["A", "B"]],
    [{ type: "array", items: "boolean" }, [[], [false], [true], [false, true]]],
    [{ type: "map", values: "boolean" }, [{}, { key: false }, { key: true }, { key: false, other: true }]],
    [
      ["null", "boolean"],
      [null, { boolean: false }, { boolean: true }],
    ],
  ])("%j", (schema, expected) => {
    expect(avroValues(avroTypeOf(schema))).toEqual(expected);
  });

  it("have the name of the branch in unions, and branches with little in them first", () => {
    const record = { type: "record", name: "acme.R", fields: [{ name: "a", type: "boolean" }] };
    expect(avroValues(avroTypeOf([record, "null", { type: "array", items: "boolean" }, "boolean"]))).toEqual([
      null,
      { boolean: false },
      { boolean: true },
      { "acme.R": { a: false } },
      { "acme.R": { a: true } },
      { array: [] },
      { array: [false] },
      { array: [true] },
      { array: [false, true] },
    ]);
  });

  it("of recursive records end, and there are none of one that cannot end", () => {
    const list = { type: "record", name: "L", fields: [{ name: "next", type: ["null", "L"] }] };
    const [first, ...longer] = avroValues(avroTypeOf(list));
    expect(first).toEqual({ next: null });
    expect(JSON.stringify(longer.at(-1)).match(/next/g)).toHaveLength(3);
    const endless = { type: "record", name: "L", fields: [{ name: "next", type: "L" }] };
    expect(avroValues(avroTypeOf(endless))).toEqual([]);
  });
});

const field = (number: number, name: string, type: string, more: Partial<ProtobufField> = {}) => ({
  name,
  number,
  type,
  isRepeated: false,
  isRequired: false,
  isOptional: false,
  oneof: undefined,
  message: undefined,
  isMap: false,
  values: undefined,
  default: undefined,
  isLongText: false,
  ...more,
});
const message = (...fields: readonly ProtobufField[]): ProtobufMessage => ({
  name: "M",
  fields: new Map(fields.map((each) => [each.number, each])),
  reserved: [],
});
const one = (type: string, more: Partial<ProtobufField> = {}) =>
  protobufValues(message(field(1, "a", type, more)));
const each = (values: readonly unknown[]) => [{}, ...values.map((a) => ({ a }))];

describe("the values of a Protobuf message", () => {
  it.each<[string, readonly unknown[]]>([
    ["double", doubles],
    ["float", floats],
    ["int32", int32],
    ["sint32", int32],
    ["sfixed32", int32],
    ["uint32", uint32],
    ["fixed32", uint32],
    ["int64", int64],
    ["sint64", int64],
    ["sfixed64", int64],
    ["uint64", uint64],
    ["fixed64", uint64],
    ["bool", [false, true]],
    ["string", texts],
    ["bytes", bytes],
    ["enum", [0]],
  ])("have a %s or leave it out", (type, expected) => {
    expect(one(type)).toEqual(each(expected));
  });

  it("have every value of an enum, and leave out nothing that is required", () => {
    expect(one("enum", { values: { numbers: [0, 3, 7], isClosed: true } })).toEqual(each([0, 3, 7]));
    expect(one("bool", { isRequired: true })).toEqual([{ a: false }, { a: true }]);
    expect(one("message")).toEqual([{}]);
  });

  it("have lists, and maps with keys of each type", () => {
    expect(one("bool", { isRepeated: true })).toEqual([
      { a: [] },
      { a: [false] },
      { a: [true] },
      { a: [false, true] },
    ]);
    const entry = (key: string) => message(field(1, "key", key), field(2, "value", "bool"));
    const map = (key: string) => one("message", { isMap: true, isRepeated: true, message: entry(key) });
    expect(map("string")).toEqual([
      { a: {} },
      { a: { key: false } },
      { a: { key: true } },
      { a: { key: false, other: true } },
    ]);
    expect(map("int32")).toEqual([{ a: {} }, { a: { 1: false } }, { a: { 1: true } }]);
    expect(map("bool")).toEqual([{ a: {} }, { a: { true: false } }, { a: { true: true } }]);
    expect(one("message", { isMap: true, message: message() })).toEqual([{ a: {} }]);
  });

  it("have each choice of a oneof, or none", () => {
    const choice = message(
      field(1, "iban_no", "bool", { oneof: "paid_by" }),
      field(2, "card", "enum", { oneof: "paid_by" }),
    );
    expect(protobufValues(choice)).toEqual([
      {},
      { paidBy: { case: "ibanNo", value: false } },
      { paidBy: { case: "ibanNo", value: true } },
      { paidBy: { case: "card", value: 0 } },
    ]);
  });

  it("of recursive messages end", () => {
    const fields = new Map<number, ProtobufField>();
    const list: ProtobufMessage = { name: "L", fields, reserved: [] };
    fields.set(1, field(1, "next", "message", { message: list }));
    expect(protobufValues(list)).toEqual([{}, { next: {} }, { next: { next: {} } }]);
  });

  it("have the names of protobuf-es", () => {
    expect(["order_id", "order__id_", "toString", "a1_b2", "Upper_Case"].map(localName)).toEqual([
      "orderId",
      "orderId",
      "toString$",
      "a1B2",
      "UpperCase",
    ]);
  });
});
