import { type SerializerSubject, serializerCases } from "@waybill/conformance";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { describe, it } from "vitest";
import { bytes, memorySource, order, orderSchema } from "./order.test-support.js";
import { registryAvro } from "./serializers/registry-avro.js";
import { registryJson } from "./serializers/registry-json.js";
import type { SchemaFraming } from "./sources/schema-source.js";

const jsonSchema = {
  type: "object",
  properties: { id: { type: "string" }, cents: { type: "integer" }, lines: { type: "array" } },
  required: ["id"],
};
const schemas = {
  7: { definition: JSON.stringify(orderSchema), format: "avro" },
  8: { definition: JSON.stringify(jsonSchema), format: "json" },
} as const;

const orders = [
  { name: "an order", value: order },
  { name: "an order of many scripts", value: { id: "Zoë 注文 🌍", cents: 2 ** 53 - 1 } },
  { name: "an order beyond 2^53", value: { id: "", cents: 2n ** 63n - 1n } },
  { name: "an order without a member", value: { cents: 1 }, isRefused: true },
  { name: "a number", value: 7, isRefused: true },
  { name: "undefined", value: undefined, isRefused: true },
] as const;

function avroSubject(framing: SchemaFraming): SerializerSubject {
  return {
    create: () =>
      registryAvro(avro, {
        source: memorySource(schemas, [framing]),
        schema: { schema: orderSchema, schemaId: 7 },
      }),
    values: orders,
    marked: (marker) => ({ id: marker, cents: 1 }),
    nesting: undefined,
    isRecognisable: framing !== "azure",
    hostile: [
      { name: "an id that nobody knows", bytes: bytes("00 00000009"), reason: "schema-unknown" },
      { name: "a header alone", bytes: bytes("00 00000007", new Uint8Array()), reason: "truncated" },
    ].filter(() => framing === "confluent") as SerializerSubject["hostile"] & object,
  };
}

const jsonSubject: SerializerSubject = {
  create: () =>
    registryJson(json, {
      source: memorySource(schemas, ["confluent"]),
      schema: { schema: jsonSchema, schemaId: 8 },
    }),
  values: [
    { name: "an order", value: order },
    { name: "an order with lines", value: { id: "A", lines: [1, "b", null, { c: [] }] } },
    { name: "an order of another type", value: { id: 7 }, isRefused: true },
    { name: "undefined", value: undefined, isRefused: true },
  ],
  marked: (marker) => ({ id: marker }),
  nesting: undefined,
  recognises: ["json"],
  recognisesEmptyContainers: true,
};

describe.each([
  ["registryAvro, Confluent's framing", avroSubject("confluent")],
  ["registryAvro, Azure's", avroSubject("azure")],
  ["registryJson", jsonSubject],
])("%s", (_, subject) => {
  for (const { name, run } of serializerCases(subject)) it(name, run);
});
