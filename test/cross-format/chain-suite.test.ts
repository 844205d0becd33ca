import { chainCases, type SerializerSubject } from "@waybill/conformance";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, it } from "vitest";

const orders = [
  { id: "A-1042", amount: 129.95, lines: ["lamp", "bulb"] },
  { id: "", amount: 0, lines: [] },
  { id: "[1,2]", amount: -1, lines: Array.from({ length: 100 }, (_, index) => `line ${index}`) },
];

const schema = {
  type: "record",
  name: "Order",
  fields: [
    { name: "id", type: "string" },
    { name: "amount", type: "double" },
    { name: "lines", type: { type: "array", items: "string" } },
  ],
} as const;

describe("the serializers of waybill can share a chain", () => {
  const subjects = [() => json(), () => avro({ schema }), () => msgpack()].map(orderSubject);
  for (const { name, run } of chainCases(subjects)) it(name, run);
});

function orderSubject(create: SerializerSubject["create"]): SerializerSubject {
  return {
    create,
    values: orders.map((value, index) => ({ name: `order ${index}`, value })),
    marked: (marker) => ({ ...orders[0], id: marker }),
    nesting: undefined,
  };
}
