import { createPipeline, defineMessage, type Pipeline } from "@waybill/core";
import type { VersionSchemas } from "@waybill/core/pipeline";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { protobuf } from "@waybill/serializer-protobuf";
import { describe, expect, it } from "vitest";
import { contractOf, typeDeclarations } from "../../contract.js";
import { protobufOf } from "../corpus.test-support.js";

const written = (pipeline: Pipeline) => typeDeclarations(contractOf(pipeline, { service: "orders" }));

const chain = (
  serializer: Parameters<typeof createPipeline>[0]["serializer"],
  schemas: VersionSchemas = {},
) =>
  createPipeline({
    serializer,
    messageTypes: [defineMessage("order-placed", { version: 1, schemas: { 1: schemas } })],
  });

describe("the types of message types", () => {
  it("are those of values that json() delivers", () => {
    const schema = {
      type: "object",
      properties: {
        id: { type: "integer" },
        count: { type: "integer", minimum: 0, maximum: 100 },
        at: { type: "string", format: "date-time", description: "When it was placed" },
        status: { enum: ["open", "paid"] },
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
      required: ["id", "lines"],
      $defs: { line: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] } },
    };
    expect(written(chain(json(), { json: schema }))).toMatchInlineSnapshot(`
      "// Written by waybill types from the schemas of the message types. Do not change it by hand.

      /** "order-placed", version 1. */
      export interface OrderPlacedV1Line {
        readonly sku: string;
      }

      export interface OrderPlacedV1 {
        readonly id: number | bigint;
        readonly count?: number;
        /** When it was placed */
        readonly at?: string;
        readonly status?: "open" | "paid";
        readonly lines: readonly OrderPlacedV1Line[];
        readonly place?: readonly [number, number];
        readonly labels?: {
          readonly [name: string]: string;
        };
        readonly parent?: null | OrderPlacedV1;
        readonly "e-mail"?: null | string;
      }
      "
    `);
  });

  it("are those of values that avro() delivers", () => {
    const schema = {
      type: "record",
      name: "shop.Order",
      fields: [
        { name: "id", type: "long" },
        { name: "at", type: { type: "long", logicalType: "timestamp-millis" } },
        { name: "price", type: { type: "bytes", logicalType: "decimal", precision: 8, scale: 2 } },
        { name: "status", type: { type: "enum", name: "Status", symbols: ["OPEN", "PAID"] } },
        {
          name: "lines",
          type: {
            type: "array",
            items: { type: "record", name: "Line", fields: [{ name: "sku", type: "string" }] },
          },
        },
        { name: "next", type: ["null", "Order"], default: null },
        { name: "either", type: ["int", "double"] },
        { name: "raw", type: { type: "map", values: "bytes" } },
      ],
    };
    expect(written(chain(avro({ longs: "bigint" }), { avro: schema }))).toMatchInlineSnapshot(`
      "// Written by waybill types from the schemas of the message types. Do not change it by hand.

      /** "order-placed", version 1. */
      export interface OrderPlacedV1 {
        readonly id: bigint;
        readonly at: Date;
        readonly price: string;
        readonly status: OrderPlacedV1Status;
        readonly lines: readonly OrderPlacedV1Line[];
        readonly next: null | OrderPlacedV1;
        readonly either: { readonly int: number } | { readonly double: number };
        readonly raw: {
          readonly [name: string]: Uint8Array;
        };
      }

      export type OrderPlacedV1Status = "OPEN" | "PAID";

      export interface OrderPlacedV1Line {
        readonly sku: string;
      }
      "
    `);
  });

  it("are those of messages that protobuf() delivers", () => {
    const { registry, message } = protobufOf(
      "message Order { int64 order_id = 1; optional string note = 2; repeated Line lines = 3; map<string, Line> by_sku = 4; oneof payment { string iban = 5; bytes card = 6; } Order parent = 7; } message Line { string sku = 1; }",
    );
    expect(written(chain(protobuf({ registry, typeOf: () => message })))).toMatchInlineSnapshot(`
      "// Written by waybill types from the schemas of the message types. Do not change it by hand.

      /** "order-placed", version 1. */
      export interface OrderPlacedV1 {
        readonly $typeName: "shop.Order";
        readonly orderId: bigint;
        readonly note?: string;
        readonly lines: readonly OrderPlacedV1Line[];
        readonly bySku: {
          readonly [name: string]: OrderPlacedV1Line;
        };
        readonly parent?: OrderPlacedV1;
        readonly payment: { readonly case: undefined; readonly value?: undefined } | { readonly case: "iban"; readonly value: string } | { readonly case: "card"; readonly value: Uint8Array };
      }

      export interface OrderPlacedV1Line {
        readonly $typeName: "shop.Line";
        readonly sku: string;
      }
      "
    `);
  });

  it("are declared under the name of the whole also where that is no object, or is not named in itself", () => {
    const list = { type: "array", items: { type: "string" } };
    expect(written(chain(json(), { json: list }))).toContain(
      "export type OrderPlacedV1 = readonly string[];",
    );
    expect(written(chain(avro(), { avro: { type: "map", values: "int" } }))).toMatch(
      /export (?:type|interface) OrderPlacedV1 (?:= )?\{\s+readonly \[name: string\]: number;/,
    );
  });

  it("are those of another format's schema where neither the main one nor all have one", () => {
    const pipeline = createPipeline({
      serializer: avro(),
      additionalDeserializers: [json()],
      messageTypes: [
        defineMessage("order-placed", { version: 1, schemas: { 1: { json: { type: "null" } } } }),
      ],
    });
    expect(written(pipeline)).toContain("export type OrderPlacedV1 = null;");
  });

  it("are unknown where the schema is code", () => {
    expect(written(chain(json(), { body: (value: unknown) => value }))).toContain(
      "export type OrderPlacedV1 = unknown;",
    );
  });
});
