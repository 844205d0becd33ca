import { type SerializerSubject, serializerCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { avro } from "./avro-serializer.js";
import { fingerprint } from "./schema/compiled-schema.js";

const line = {
  type: "record",
  name: "Line",
  fields: [
    { name: "sku", type: "string" },
    { name: "quantity", type: "int" },
  ],
} as const;

const order = {
  type: "record",
  name: "Order",
  namespace: "shop",
  fields: [
    { name: "id", type: "string" },
    { name: "amount", type: "double" },
    { name: "rate", type: "float", default: 1.5 },
    { name: "paid", type: "boolean", default: false },
    { name: "number", type: "long", default: 0 },
    { name: "note", type: ["null", "string"], default: null },
    { name: "status", type: { type: "enum", name: "Status", symbols: ["NEW", "SHIPPED"] }, default: "NEW" },
    { name: "lines", type: { type: "array", items: line }, default: [] },
    { name: "tags", type: { type: "map", values: "string" }, default: {} },
    { name: "payload", type: "bytes", default: "" },
    {
      name: "checksum",
      type: { type: "fixed", name: "Checksum", size: 4 },
      default: "\u0000\u0000\u0000\u0000",
    },
    { name: "at", type: { type: "long", logicalType: "timestamp-millis" }, default: 0 },
  ],
} as const;

const full = {
  id: "A-1042",
  amount: 129.95,
  rate: 0.25,
  paid: true,
  number: 7,
  note: "Zoë, 日本, \u{1f600}",
  status: "SHIPPED",
  lines: [
    { sku: "lamp", quantity: 2 },
    { sku: "bulb", quantity: -12 },
  ],
  tags: { colour: "red", "": "empty" },
  payload: Uint8Array.of(0, 1, 253, 254, 255),
  checksum: Uint8Array.of(1, 2, 3, 4),
  at: new Date("2026-11-05T12:34:56.789Z"),
};

const orderSubject: SerializerSubject = {
  create: () => avro({ schema: order }),
  values: [
    { name: "an order", value: full },
    {
      name: "an order of defaults",
      value: { id: "", amount: 0 },
      becomes: {
        value: {
          id: "",
          amount: 0,
          rate: 1.5,
          paid: false,
          number: 0,
          note: null,
          status: "NEW",
          lines: [],
          tags: {},
          payload: new Uint8Array(),
          checksum: new Uint8Array(4),
          at: new Date(0),
        },
      },
    },
    { name: "an order of extremes", value: { ...full, amount: Number.NaN, rate: Number.NEGATIVE_INFINITY } },
    { name: "a negative zero", value: { ...full, amount: -0 } },
    { name: "a long beyond 2^53", value: { ...full, number: 2n ** 63n - 1n } },
    { name: "the smallest long", value: { ...full, number: -(2n ** 63n) } },
    { name: "a small bigint", value: { ...full, number: 5n }, becomes: { value: { ...full, number: 5 } } },
    { name: "5,000 lines", value: { ...full, lines: Array.from({ length: 5000 }, () => full.lines[0]!) } },
    { name: "a long string", value: { ...full, note: "lamp ".repeat(20_000) } },
    { name: "a long payload", value: { ...full, payload: new Uint8Array(100_000).fill(7) } },
    { name: "an instance of a class", value: Object.assign(new (class Order {})(), full) },
    { name: "an object without prototype", value: Object.assign(Object.create(null) as object, full) },
    { name: "null", value: null, isRefused: true },
    { name: "undefined", value: undefined, isRefused: true },
    { name: "a string", value: "lamp", isRefused: true },
    { name: "an array", value: [full], isRefused: true },
    { name: "an order without id", value: { ...full, id: undefined }, isRefused: true },
    { name: "a name of the wrong type", value: { ...full, id: 7 }, isRefused: true },
    {
      name: "an int beyond 32 bits",
      value: { ...full, lines: [{ sku: "a", quantity: 2 ** 40 }] },
      isRefused: true,
    },
    { name: "a fraction as int", value: { ...full, lines: [{ sku: "a", quantity: 1.5 }] }, isRefused: true },
    { name: "a long beyond 64 bits", value: { ...full, number: 2n ** 63n }, isRefused: true },
    {
      name: "a number that a long cannot represent exactly",
      value: { ...full, number: 2 ** 63 },
      isRefused: true,
    },
    { name: "an enum symbol that every object has", value: { ...full, status: "toString" }, isRefused: true },
    { name: "an unknown enum symbol", value: { ...full, status: "LOST" }, isRefused: true },
    { name: "a lone surrogate", value: { ...full, id: "\ud800" }, isRefused: true },
    { name: "a fixed of the wrong size", value: { ...full, checksum: new Uint8Array(5) }, isRefused: true },
    { name: "an invalid date", value: { ...full, at: new Date(Number.NaN) }, isRefused: true },
    {
      name: "a map with a __proto__ key",
      value: { ...full, tags: JSON.parse('{"__proto__":"red"}') as unknown },
      isRefused: true,
    },
  ],
  marked: (marker) => ({ ...full, id: marker, tags: { colour: marker } }),
  nesting: undefined,
};

describe("avro() passes the conformance suite for serializers", () => {
  for (const { name, run } of serializerCases(orderSubject)) it(name, run);
});

describe("avro() with Azure's framing passes the conformance suite for serializers", () => {
  const subject: SerializerSubject = {
    ...orderSubject,
    create: () => avro({ schema: order, schemaId: "0123456789abcdef0123456789ABCDEF", framing: "raw" }),
    message: { contentType: "avro/binary+0123456789abcdef0123456789ABCDEF" },
    isRecognisable: false,
  };
  for (const { name, run } of serializerCases(subject)) it(name, run);
});

describe("avro() with Confluent's framing passes the conformance suite for serializers", () => {
  const subject: SerializerSubject = {
    ...orderSubject,
    create: () => avro({ schema: order, schemaId: "7", framing: "confluent" }),
  };
  for (const { name, run } of serializerCases(subject)) it(name, run);
});

describe("avro() with a recursive schema passes the conformance suite for serializers", () => {
  const tree = {
    type: "record",
    name: "Node",
    fields: [
      { name: "label", type: "string", default: "" },
      { name: "next", type: ["null", "Node"], default: null },
    ],
  } as const;
  const header = singleObjectHeader(fingerprint(tree));
  const subject: SerializerSubject = {
    create: () => avro({ schema: tree }),
    values: [
      { name: "one node", value: { label: "a", next: null } },
      { name: "three nodes", value: { label: "a", next: { label: "b", next: { label: "c", next: null } } } },
      { name: "a node that contains itself", value: cyclicNode(), isRefused: true },
    ],
    marked: (marker) => ({ label: "a", next: { label: marker, next: null } }),
    nesting: {
      value: (depth) => Array.from({ length: depth }).reduce<unknown>((next) => ({ label: "", next }), null),
      bytes(depth) {
        const nodes = Array.from({ length: depth }, (_, index) => [0, index < depth - 1 ? 2 : 0]);
        return Uint8Array.from([...header, ...nodes.flat()]);
      },
    },
    hostile: [
      {
        name: "a string that declares 2^50 bytes",
        bytes: Uint8Array.of(...header, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x04),
      },
      { name: "a string of negative length", bytes: Uint8Array.of(...header, 0x01, 0x00) },
      {
        name: "a string that is not UTF-8",
        bytes: Uint8Array.of(...header, 2, 0xff, 0),
        reason: "utf8-invalid",
      },
      { name: "a branch that the union does not have", bytes: Uint8Array.of(...header, 0, 4) },
      { name: "an endless integer", bytes: Uint8Array.of(...header, ...Array<number>(100).fill(0xff)) },
      {
        name: "an unknown fingerprint",
        bytes: Uint8Array.of(0xc3, 0x01, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0),
        reason: "schema-unknown",
      },
      { name: "a body without a header", bytes: Uint8Array.of(0, 0), reason: "identity-missing" },
    ],
  };
  for (const { name, run } of serializerCases(subject)) it(name, run);
});

describe("avro() with collections at the root passes the conformance suite for serializers", () => {
  const map = { type: "map", values: { type: "array", items: "null" } } as const;
  const header = singleObjectHeader(fingerprint(map));
  const subject: SerializerSubject = {
    create: () => avro({ schema: map }),
    values: [
      { name: "a map of arrays of nulls", value: { a: [null, null], b: [] } },
      { name: "an empty map", value: {} },
    ],
    marked: (marker) => ({ [marker]: [null] }),
    nesting: undefined,
    hostile: [
      {
        name: "an array that declares 2*10^8 nulls, which take no bytes",
        bytes: Uint8Array.of(...header, 2, 2, 0x61, 0x80, 0x88, 0xde, 0xbe, 0x01, 0, 0),
        reason: "count-exceeded",
      },
      {
        name: "a map that declares 2^50 entries",
        bytes: Uint8Array.of(...header, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x04),
      },
      {
        name: "a __proto__ key",
        bytes: Uint8Array.of(...header, 2, 18, ...new TextEncoder().encode("__proto__"), 2, 0, 0, 0),
        reason: "key-forbidden",
      },
    ],
  };
  for (const { name, run } of serializerCases(subject)) it(name, run);
});

function cyclicNode(): unknown {
  const node: Record<string, unknown> = { label: "a" };
  node.next = node;
  return node;
}

/** `C3 01` and the fingerprint, least significant byte first. Source: Avro specification 1.12, "Single-object encoding". */
function singleObjectHeader(id: bigint): Uint8Array {
  const header = new DataView(new ArrayBuffer(10));
  header.setUint16(0, 0xc301);
  header.setBigUint64(2, id, true);
  return new Uint8Array(header.buffer);
}
