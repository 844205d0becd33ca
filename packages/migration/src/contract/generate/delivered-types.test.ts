import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { create, createFileRegistry, fromJson } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from "@bufbuild/protobuf/wkt";
import { createPipeline, defineMessage, type Serializer } from "@waybill/core";
import type { VersionSchemas } from "@waybill/core/pipeline";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { jsonSchema } from "@waybill/serializer-json/json-schema";
import { msgpack } from "@waybill/serializer-msgpack";
import { protobuf } from "@waybill/serializer-protobuf";
import { expect, it } from "vitest";
import { contractOf, typeDeclarations } from "../../contract.js";

interface Case {
  readonly name: string;
  readonly serializer: Serializer;
  readonly schemas: VersionSchemas;
  /** What is written. */
  readonly body: unknown;
}

const avroRecord = {
  type: "record",
  name: "shop.Order",
  fields: [
    { name: "id", type: "long" },
    { name: "count", type: "int" },
    { name: "weight", type: "double" },
    { name: "isPaid", type: "boolean" },
    { name: "at", type: { type: "long", logicalType: "timestamp-micros" } },
    { name: "day", type: { type: "int", logicalType: "date" } },
    { name: "localTime", type: { type: "long", logicalType: "local-timestamp-millis" } },
    { name: "time", type: { type: "int", logicalType: "time-millis" } },
    { name: "exactTime", type: { type: "long", logicalType: "time-micros" } },
    { name: "price", type: { type: "bytes", logicalType: "decimal", precision: 8, scale: 2 } },
    { name: "key", type: { type: "string", logicalType: "uuid" } },
    { name: "every", type: { type: "fixed", name: "Every", size: 12, logicalType: "duration" } },
    { name: "status", type: { type: "enum", name: "Status", symbols: ["OPEN", "PAID"] } },
    {
      name: "lines",
      type: {
        type: "array",
        items: { type: "record", name: "Line", fields: [{ name: "sku", type: "string" }] },
      },
    },
    { name: "labels", type: { type: "map", values: "string" } },
    { name: "next", type: ["null", "Order"], default: null },
    { name: "note", type: ["null", "string"] },
    { name: "either", type: ["int", "double"] },
    { name: "raw", type: "bytes" },
    { name: "code", type: { type: "fixed", name: "Code", size: 2 } },
  ],
};

const order = {
  id: 2n ** 60n,
  count: 3,
  weight: 1.5,
  isPaid: true,
  at: new Date(1_762_344_000_000),
  day: new Date(1_762_300_800_000),
  localTime: "2026-11-05T12:00:00.000",
  time: 43_200_000,
  exactTime: 43_200_000_000n,
  price: "12.50",
  key: "123e4567-e89b-12d3-a456-426614174000",
  every: { months: 1, days: 2, milliseconds: 3 },
  status: "OPEN",
  lines: [{ sku: "a" }],
  labels: { a: "b" },
  next: null,
  note: "gift",
  either: { int: 1 },
  raw: Uint8Array.of(1, 2),
  code: Uint8Array.of(3, 4),
};

const orderSchema = {
  type: "object",
  properties: {
    id: { type: "integer" },
    count: { type: "integer", minimum: 0, maximum: 100 },
    at: { type: "string", format: "date-time" },
    status: { enum: ["open", "paid", 7, null] },
    lines: { type: "array", items: { $ref: "#/$defs/line" } },
    place: {
      type: "array",
      prefixItems: [{ type: "number" }, { type: "number" }],
      items: false,
      minItems: 2,
    },
    labels: { type: "object", additionalProperties: { type: "string" } },
    parent: { anyOf: [{ type: "null" }, { $ref: "#" }] },
    "e-mail": { type: ["string", "null"] },
  },
  required: ["id", "lines", "status"],
  $defs: { line: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] } },
};

const jsonOrder = {
  id: 2n ** 60n,
  count: 3,
  at: "2026-11-05T12:00:00Z",
  status: "paid",
  lines: [{ sku: "a" }],
  place: [1, 2],
  labels: { a: "b" },
  parent: { id: 1, lines: [], status: 7, parent: null },
  "e-mail": null,
};

const field = (name: string, number: number, type: string, more: object = {}) => ({
  name,
  number,
  label: "LABEL_OPTIONAL",
  type: `TYPE_${type}`,
  ...more,
});
const wkt = (name: string) => ({ typeName: `.google.protobuf.${name}` });

const protobufFile = fromJson(FileDescriptorProtoSchema, {
  name: "shop.proto",
  package: "shop",
  syntax: "proto3",
  dependency: [
    "google/protobuf/wrappers.proto",
    "google/protobuf/struct.proto",
    "google/protobuf/timestamp.proto",
  ],
  enumType: [
    {
      name: "Status",
      value: [
        { name: "OPEN", number: 0 },
        { name: "PAID", number: 1 },
      ],
    },
  ],
  messageType: [
    {
      name: "Order",
      oneofDecl: [{ name: "payment" }, { name: "_note" }],
      nestedType: [
        {
          name: "CountsEntry",
          options: { mapEntry: true },
          field: [field("key", 1, "STRING"), field("value", 2, "INT64")],
        },
      ],
      field: [
        field("order_id", 1, "INT64"),
        field("total", 2, "UINT64", { options: { jstype: "JS_STRING" } }),
        field("is_paid", 3, "BOOL"),
        field("weight", 4, "DOUBLE"),
        field("raw", 5, "BYTES"),
        field("status", 6, "ENUM", { typeName: ".shop.Status" }),
        field("lines", 7, "MESSAGE", { typeName: ".shop.Line", label: "LABEL_REPEATED" }),
        field("counts", 8, "MESSAGE", { typeName: ".shop.Order.CountsEntry", label: "LABEL_REPEATED" }),
        field("iban", 9, "STRING", { oneofIndex: 0 }),
        field("card", 10, "BYTES", { oneofIndex: 0 }),
        field("note", 11, "STRING", { oneofIndex: 1, proto3Optional: true }),
        field("discount", 12, "MESSAGE", wkt("Int64Value")),
        field("details", 13, "MESSAGE", wkt("Struct")),
        field("at", 14, "MESSAGE", wkt("Timestamp")),
        field("parent", 15, "MESSAGE", { typeName: ".shop.Order" }),
      ],
    },
    { name: "Line", field: [field("sku", 1, "STRING")] },
  ],
} as never);
const registry = createFileRegistry(
  create(FileDescriptorSetSchema, {
    file: [
      file_google_protobuf_wrappers.proto,
      file_google_protobuf_struct.proto,
      file_google_protobuf_timestamp.proto,
      protobufFile,
    ],
  }),
);

const protobufOrder = {
  orderId: 2n ** 60n,
  total: "18446744073709551615",
  isPaid: true,
  weight: 1.5,
  raw: Uint8Array.of(1),
  status: 1,
  lines: [{ sku: "a" }],
  counts: { a: 5n },
  payment: { case: "card", value: Uint8Array.of(9) },
  note: "gift",
  discount: 7n,
  details: { reason: ["new", 1, null] },
  at: { seconds: 1_762_344_000n, nanos: 0 },
  parent: { orderId: 1n },
};

const cases: readonly Case[] = [
  { name: "avro-auto", serializer: avro(), schemas: { avro: avroRecord }, body: order },
  { name: "avro-bigint", serializer: avro({ longs: "bigint" }), schemas: { avro: avroRecord }, body: order },
  {
    name: "avro-raw",
    serializer: avro({ rawLogicalTypes: "all", unions: "always" }),
    schemas: {
      avro: {
        type: "record",
        name: "Order",
        fields: avroRecord.fields.filter(({ name }) => ["at", "day", "price", "note"].includes(name)),
      },
    },
    body: { at: 1, day: 2, price: Uint8Array.of(4), note: { string: "gift" } },
  },
  {
    name: "json",
    serializer: json({ writeBigInts: "number" }),
    schemas: { json: orderSchema },
    body: jsonOrder,
  },
  {
    name: "json-text",
    serializer: json({ writeBigInts: "number", readUnsafeIntegers: "string" }),
    schemas: {
      json: { type: "object", properties: { id: { type: ["integer", "string"] } }, required: ["id"] },
    },
    body: { id: 2n ** 60n },
  },
  { name: "msgpack", serializer: msgpack(), schemas: { body: jsonSchema(orderSchema) }, body: jsonOrder },
  {
    name: "protobuf",
    serializer: protobuf({ registry, typeOf: () => "shop.Order" }),
    schemas: {},
    body: protobufOrder,
  },
];

/** The value as TypeScript: bigints, dates and bytes are those of the value, not of JSON. */
function sourceOf(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof Uint8Array) return `Uint8Array.of(${[...value].join(", ")})`;
  if (Array.isArray(value)) return `[${value.map(sourceOf).join(", ")}]`;
  if (value === undefined) return "undefined";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value);
  return `{ ${members.map(([name, each]) => `${JSON.stringify(name)}: ${sourceOf(each)}`).join(", ")} }`;
}

it("are those of the values that the serializers deliver, and message types infer from them", async () => {
  const directory = mkdtempSync(join(tmpdir(), "waybill-types-"));
  try {
    for (const { name, serializer, schemas, body } of cases) {
      const type = defineMessage("order-placed", { version: 1, schemas: { 1: schemas } });
      const pipeline = createPipeline({ serializer, messageTypes: [type] });
      const message = await pipeline.serialize({ subject: "order-placed", body });
      const outcome = await pipeline.deserialize(message);
      expect(outcome.status, `${name}: ${JSON.stringify(outcome.report)}`).toBe("decoded");
      const delivered = outcome.status === "decoded" ? outcome.body : undefined;
      writeFileSync(
        join(directory, `${name}.ts`),
        typeDeclarations(contractOf(pipeline, { service: "orders" })),
      );
      writeFileSync(
        join(directory, `${name}.test.ts`),
        `import { bodyType, defineMessage } from "@waybill/core";
import type { OrderPlacedV1 } from "./${name}.js";

export const delivered: OrderPlacedV1 = ${sourceOf(delivered)};
const orderPlaced = defineMessage("order-placed", { version: 1, schemas: { 1: bodyType<OrderPlacedV1>() } });
orderPlaced.message(delivered);
// @ts-expect-error: a text is no order.
orderPlaced.message("order");
// @ts-expect-error: it has no such member.
export const other = delivered.other;
`,
      );
    }
    const core = fileURLToPath(new URL("../../../../core/dist/index.d.ts", import.meta.url));
    writeFileSync(
      join(directory, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: true,
          target: "es2022",
          module: "nodenext",
          types: [],
          paths: { "@waybill/core": [core] },
        },
      }),
    );
    const tsc = fileURLToPath(new URL("../../../../../node_modules/typescript/bin/tsc", import.meta.url));
    expect(compile(tsc, directory)).toBe("");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

/** What the compiler finds. */
function compile(tsc: string, cwd: string): string {
  try {
    return execFileSync(process.execPath, [tsc, "--pretty", "false", "-p", "."], { cwd, encoding: "utf8" });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}
