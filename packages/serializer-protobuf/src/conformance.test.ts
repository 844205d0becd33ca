import { create, createRegistry, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import {
  BytesValueSchema,
  FieldMaskSchema,
  Int32ValueSchema,
  Int64ValueSchema,
  SourceCodeInfo_LocationSchema,
  StringValueSchema,
  StructSchema,
  TimestampSchema,
  UninterpretedOption_NamePartSchema,
  UninterpretedOptionSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { type SerializerSubject, serializerCases } from "@waybill/conformance";
import { createPipeline } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { protobuf } from "./protobuf-serializer.js";

const registry = createRegistry(
  BytesValueSchema,
  FieldMaskSchema,
  Int32ValueSchema,
  Int64ValueSchema,
  SourceCodeInfo_LocationSchema,
  StringValueSchema,
  StructSchema,
  TimestampSchema,
  UninterpretedOption_NamePartSchema,
  UninterpretedOptionSchema,
  ValueSchema,
);
const typed = (name: string) => ({ contentType: `application/protobuf; proto=google.protobuf.${name}` });
const struct = (json: JsonValue) => fromJson(StructSchema, json);

const subject: SerializerSubject = {
  create: () => protobuf({ registry }),
  message: { contentType: "application/protobuf; proto=google.protobuf.Struct" },
  values: [
    {
      name: "an order",
      value: struct({ id: "A-1042", lines: [{ sku: "lamp", quantity: 2 }], paid: true, note: null }),
    },
    { name: "numbers", value: struct({ numbers: [0, -1, 0.5, 1e300] }) },
    { name: "strings in many scripts", value: struct({ greeting: "Grüße, 世界 🌍" }) },
    { name: "an object with the keys of every object", value: struct({ constructor: "a", toString: "b" }) },
    {
      name: "an object that can be converted to a message",
      value: { fields: { id: { kind: { case: "numberValue", value: 7 } } } },
      becomes: { value: struct({ id: 7 }) },
    },
    { name: "a member that is not a field", value: { id: 7 }, isRefused: true },
    { name: "a message of another type", value: fromJson(ValueSchema, 7), isRefused: true },
    {
      name: "a map with a __proto__ key",
      value: { fields: JSON.parse('{"__proto__":{"kind":{"case":"numberValue","value":7}}}') as unknown },
      isRefused: true,
    },
    { name: "a number", value: 7, isRefused: true },
    { name: "null", value: null, isRefused: true },
    { name: "undefined", value: undefined, isRefused: true },
    { name: "an array", value: [], isRefused: true },
  ],
  marked: (marker) => struct({ order: [{ note: `${marker}é` }] }),
  nesting: undefined,
  isUnframed: true,
  bodies: [
    {
      name: "a required field in a divided message",
      bytes: Uint8Array.of(0x10, 0x01, 0x0a, 0x01, 0x61),
      value: create(UninterpretedOption_NamePartSchema, { namePart: "a", isExtension: true }),
      message: typed("UninterpretedOption.NamePart"),
    },
    {
      name: "the number 150, protobuf.dev, Encoding, A Simple Message",
      bytes: Uint8Array.of(0x08, 0x96, 0x01),
      value: create(Int32ValueSchema, { value: 150 }),
      message: typed("Int32Value"),
    },
    {
      name: "the smallest int64, from protobuf.dev, Encoding",
      bytes: Uint8Array.of(0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01),
      value: create(Int64ValueSchema, { value: -(2n ** 63n) }),
      message: typed("Int64Value"),
    },
    {
      name: "the text testing, protobuf.dev, Encoding, Length-Delimited Records",
      bytes: Uint8Array.of(0x0a, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67),
      value: create(StringValueSchema, { value: "testing" }),
      message: typed("StringValue"),
    },
    {
      name: "a time before 1970",
      bytes: Uint8Array.of(0x08, ...new Array(9).fill(0xff), 0x01, 0x10, 0x80, 0xca, 0xb5, 0xee, 0x01),
      value: create(TimestampSchema, { seconds: -1n, nanos: 500_000_000 }),
      message: typed("Timestamp"),
    },
  ],
  hostile: [
    { name: "a length beyond the end", bytes: Uint8Array.of(0x0a, 0x7f, 0x01), reason: "truncated" },
    { name: "a number that never ends", bytes: new Uint8Array(12).fill(0xff), reason: "malformed" },
    { name: "a field of the number 0", bytes: Uint8Array.of(0x00, 0x01), reason: "malformed" },
    { name: "the end of a group that was not started", bytes: Uint8Array.of(0x0c), reason: "malformed" },
    { name: "a group that is not closed", bytes: Uint8Array.of(0x7b, 0x08, 0x01), reason: "truncated" },
    { name: "100,000 nested groups", bytes: new Uint8Array(100_000).fill(0x7b), reason: "depth-exceeded" },
    {
      name: "a string field with a number as its value",
      bytes: Uint8Array.of(0x08, 0x05, 0x61, 0x62, 0x63, 0x64, 0x65),
      message: typed("StringValue"),
      reason: "malformed",
    },
    {
      name: "packed numbers that end inside a number",
      bytes: Uint8Array.of(0x0a, 0x02, 0x01, 0x80, 0x12, 0x01, 0x01),
      message: typed("SourceCodeInfo.Location"),
      reason: "truncated",
    },
    { name: "ill-formed UTF-8", bytes: illFormedText(), reason: "utf8-invalid" },
    {
      name: "a __proto__ key in a map",
      bytes: Uint8Array.of(0x0a, 0x0f, 0x0a, 0x09, ...Buffer.from("__proto__"), 0x12, 0x02, 0x08, 0x00),
      reason: "key-forbidden",
    },
    {
      name: "a message that lacks a required field",
      bytes: Uint8Array.of(0x0a, 0x01, 0x61),
      message: typed("UninterpretedOption.NamePart"),
      reason: "malformed",
    },
    {
      name: "a message in a list that lacks a required field",
      bytes: Uint8Array.of(0x12, 0x05, 0x0a, 0x01, 0x61, 0x10, 0x01, 0x12, 0x02, 0x10, 0x01),
      message: typed("UninterpretedOption"),
      reason: "malformed",
    },
  ],
};

/** `Value { string_value: … }` of two bytes that are not UTF-8, in a `ListValue` in a `Struct`. */
function illFormedText(): Uint8Array {
  const text = toBinary(StructSchema, struct({ a: ["é"] }));
  const at = text.lastIndexOf(0xc3);
  return text.map((byte, index) => (index === at ? 0xff : byte));
}

describe("protobuf", () => {
  for (const { name, run } of serializerCases(subject)) it(name, run);

  it.each([
    "application/protobuf",
    "application/x-protobuf",
    "application/vnd.google.protobuf",
    "application/x-google-protobuf",
    "application/proto",
  ])("reads a body under %s", async (mediaType) => {
    const pipeline = createPipeline({ serializer: protobuf({ registry }) });
    const value = struct({ id: 7 });
    const contentType = `${mediaType}; proto=google.protobuf.Struct`;
    const outcome = await pipeline.deserialize({ body: toBinary(StructSchema, value), contentType });
    expect(outcome).toMatchObject({ status: "decoded", body: value });
  });
});

/** Types whose values can have exactly the maximum number of items. */
const limited: Readonly<Record<string, (count: number) => unknown>> = {
  FieldMask: (count) => create(FieldMaskSchema, { paths: new Array(count).fill("a") }),
  "SourceCodeInfo.Location": (count) =>
    create(SourceCodeInfo_LocationSchema, { path: new Array(count).fill(300) }),
};

describe.each(Object.entries(limited))("protobuf, %s", (name, items) => {
  const counted: SerializerSubject = { ...subject, message: typed(name), items };
  const cases = serializerCases(counted).filter((each) => each.name.startsWith("items:"));
  for (const { name, run } of cases) it(name, run);
});
