import { createPipeline, defineMessage } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { type ContractOptions, contractOf } from "../../contract.js";
import { contractSchemaOf } from "./contract-of.js";

const order = { type: "object", properties: { id: { type: "integer" } } };
const record = { type: "record", name: "Order", fields: [{ name: "id", type: "long" }] };

const pipeline = createPipeline({
  serializer: json(),
  additionalDeserializers: [avro()],
  messageTypes: [
    defineMessage("order-placed", {
      version: 12,
      unused: [1, 3, 4, 5, 6, 7, 8],
      removed: [10, 9],
      unversioned: 2,
      aliases: ["placed", "order"],
      schemas: { 2: { avro: record }, 11: { body: (value: unknown) => value }, 12: { json: order } },
      upcasters: { 2: (body) => body, 11: (body) => body },
      downcasters: { 12: (body) => body },
    }),
    defineMessage("ping", { version: 1 }),
  ],
});

describe("a contract", () => {
  it("says of every member what the pipeline and the options say", () => {
    const { serializers, ...contract } = contractOf(pipeline, {
      service: "orders",
      sends: ["b", "a"],
      receives: ["d", "c"],
      alsoWrites: {
        "order-placed": [
          { version: 2, serializer: "avro" },
          { version: 12, serializer: "json" },
        ],
      },
    });
    expect(
      serializers.map(({ name, mediaTypes, needsSchema }) => [name, mediaTypes[0], needsSchema]),
    ).toEqual([
      ["json", "application/json", undefined],
      ["avro", "application/avro", true],
    ]);
    expect(contract).toMatchInlineSnapshot(`
      {
        "entities": {
          "receives": [
            "c",
            "d",
          ],
          "sends": [
            "a",
            "b",
          ],
        },
        "messageTypes": [
          {
            "aliases": [
              "order",
              "placed",
            ],
            "name": "order-placed",
            "removed": [
              9,
              10,
            ],
            "unversioned": 2,
            "version": 12,
            "versions": [
              {
                "isWritable": false,
                "schemas": {
                  "avro": {
                    "fingerprint": "efc47743616bd53d",
                    "language": "avro",
                    "schema": {
                      "schema": {
                        "fields": [
                          {
                            "name": "id",
                            "type": "long",
                          },
                        ],
                        "name": "Order",
                        "type": "record",
                      },
                    },
                  },
                },
                "upcasts": [
                  11,
                  12,
                ],
                "version": 2,
              },
              {
                "body": {
                  "language": "code",
                },
                "isWritable": true,
                "schemas": {},
                "upcasts": [
                  12,
                ],
                "version": 11,
              },
              {
                "isWritable": true,
                "schemas": {
                  "json": {
                    "fingerprint": "96111275b2e08fc0",
                    "language": "json-schema",
                    "schema": {
                      "properties": {
                        "id": {
                          "type": "integer",
                        },
                      },
                      "type": "object",
                    },
                  },
                },
                "upcasts": [],
                "version": 12,
              },
            ],
            "writes": [
              {
                "serializer": "json",
                "version": 12,
              },
              {
                "serializer": "avro",
                "version": 2,
              },
            ],
          },
          {
            "aliases": [],
            "name": "ping",
            "removed": [],
            "unversioned": 1,
            "version": 1,
            "versions": [
              {
                "isWritable": true,
                "schemas": {},
                "upcasts": [],
                "version": 1,
              },
            ],
            "writes": [
              {
                "serializer": "json",
                "version": 1,
              },
            ],
          },
        ],
        "service": "orders",
        "waybillContract": 1,
      }
    `);
  });

  it.each<[NonNullable<ContractOptions["chain"]>, object]>([
    [{}, {}],
    [{ compression: { coding: "gzip" } }, { compression: "gzip" }],
    [{ contentEncoding: "ignore" }, { contentEncoding: "ignore" }],
    [{ encryption: {} as never }, { isEncrypted: true }],
    [{ claimCheck: {} as never }, { hasClaimChecks: true }],
    [{ maxBodyBytes: 7 }, { maxBodyBytes: 7 }],
    [{ maxDepth: 8 }, { maxDepth: 8 }],
  ])("says which options of its chain matter: %j", (chain, said) => {
    expect(contractOf(pipeline, { service: "orders", chain }).chain).toEqual({
      compression: false,
      contentEncoding: "undo",
      isEncrypted: false,
      hasClaimChecks: false,
      ...said,
    });
    expect(contractOf(pipeline, { service: "orders" })).not.toHaveProperty("chain");
  });

  it.each([undefined, "", 7])("is not made for the service %j", (service) => {
    expect(() => contractOf(pipeline, { service: service as never })).toThrow(
      new TypeError("contractOf: service must be the name of the service."),
    );
  });

  it("does not say that its main serializer writes what it cannot write", () => {
    const chain = createPipeline({
      serializer: avro(),
      additionalDeserializers: [json()],
      messageTypes: [defineMessage("ping", { version: 1, schemas: { 1: { json: order } } })],
    });
    expect(contractOf(chain, { service: "orders" }).messageTypes[0]?.writes).toEqual([]);
  });

  it("has the same fingerprint for the same schema, whatever the order of its members", () => {
    const one = contractSchemaOf({ language: "json-schema", schema: { type: "object", minProperties: 1 } });
    expect(one).toEqual({
      language: "json-schema",
      fingerprint: "76e35dbb0ad1e10d",
      schema: { type: "object", minProperties: 1 },
    });
    const schema = { minProperties: 1, type: "object", title: undefined };
    const other = contractSchemaOf({ language: "json-schema", schema });
    expect(other.fingerprint).toBe(one.fingerprint);
    expect(Object.keys(other.schema as object)).toEqual(["minProperties", "type"]);
    expect(contractSchemaOf({ language: "avro" } as never)).toEqual({ language: "code" });
  });
});
