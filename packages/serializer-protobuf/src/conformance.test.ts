import { createRegistry, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { StructSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { type SerializerSubject, serializerCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { protobuf } from "./protobuf-serializer.js";

const registry = createRegistry(StructSchema, ValueSchema);
const struct = (json: JsonValue) => fromJson(StructSchema, json);

const subject: SerializerSubject = {
  create: () => protobuf({ registry }),
  message: { contentType: "application/protobuf; proto=google.protobuf.Struct" },
  values: [
    { name: "an order", value: struct({ id: "A-1042", lines: [{ sku: "lamp", quantity: 2 }], paid: true, note: null }) },
    { name: "numbers", value: struct({ numbers: [0, -1, 0.5, 1e300] }) },
    { name: "texts of many scripts", value: struct({ greeting: "Grüße, 世界 🌍" }) },
    { name: "an object with the keys of every object", value: struct({ constructor: "a", toString: "b" }) },
    {
      name: "an object that a message can be made of",
      value: { fields: { id: { kind: { case: "numberValue", value: 7 } } } },
      becomes: { value: struct({ id: 7 }) },
    },
    { name: "a member that is no field", value: { id: 7 }, isRefused: true },
    { name: "a message of another type", value: fromJson(ValueSchema, 7), isRefused: true },
    { name: "a number", value: 7, isRefused: true },
    { name: "null", value: null, isRefused: true },
    { name: "undefined", value: undefined, isRefused: true },
    { name: "an array", value: [], isRefused: true },
  ],
  marked: (marker) => struct({ order: [{ note: `${marker}é` }] }),
  nesting: undefined,
  hostile: [
    { name: "a length beyond the end", bytes: Uint8Array.of(0x0a, 0x7f, 0x01), reason: "truncated" },
    { name: "a number that never ends", bytes: new Uint8Array(12).fill(0xff), reason: "malformed" },
    { name: "a field of the number 0", bytes: Uint8Array.of(0x00, 0x01), reason: "malformed" },
    { name: "the end of a group that is not open", bytes: Uint8Array.of(0x0c), reason: "malformed" },
    { name: "a group that is not closed", bytes: Uint8Array.of(0x7b, 0x08, 0x01), reason: "truncated" },
    { name: "100,000 nested groups", bytes: new Uint8Array(100_000).fill(0x7b), reason: "depth-exceeded" },
    { name: "ill-formed UTF-8", bytes: illFormedText(), reason: "utf8-invalid" },
  ],
};

/** `Value { string_value: … }` of two bytes that are no UTF-8, in a `ListValue` in a `Struct`. */
function illFormedText(): Uint8Array {
  const text = toBinary(StructSchema, struct({ a: ["é"] }));
  const at = text.lastIndexOf(0xc3);
  return text.map((byte, index) => (index === at ? 0xff : byte));
}

describe("protobuf", () => {
  for (const { name, run } of serializerCases(subject)) it(name, run);
});
