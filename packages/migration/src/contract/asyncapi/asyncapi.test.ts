import { Parser } from "@asyncapi/parser";
import { createPipeline, defineMessage, type Pipeline } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { ordersPipeline } from "../../../test/orders.js";
import { checkContract, contractOf, formatContract, fromAsyncApi, toAsyncApi } from "../../contract.js";

it("is valid for the official parser, and names channels, operations, messages and content types", async () => {
  const contract = contractOf(ordersPipeline(), {
    service: "orders",
    sends: ["orders"],
    receives: ["orders", "events/Subscriptions/billing"],
  });
  const text = JSON.stringify(toAsyncApi(contract, { host: "shop.servicebus.windows.net" }));
  const { document, diagnostics } = await new Parser().parse(text);
  expect(diagnostics.filter(({ severity }) => severity === 0)).toEqual([]);
  expect(document?.info().title()).toBe("orders");
  expect(
    document
      ?.channels()
      .all()
      .map((channel) => channel.address()),
  ).toEqual(["orders", "events/Subscriptions/billing"]);
  expect(
    document
      ?.operations()
      .all()
      .map((operation) => `${operation.action()} ${operation.channels().all()[0]?.address()}`),
  ).toEqual(["send orders", "receive events/Subscriptions/billing", "receive orders"]);
  expect(
    document
      ?.components()
      .messages()
      .all()
      .map((message) => [message.id(), message.contentType()]),
  ).toEqual([
    ["order-placed-v3-msgpack", "application/vnd.msgpack"],
    ["order-placed-v1-json", "application/json"],
    ["order-placed-v2-avro", "application/avro"],
  ]);
  const { messages } = (JSON.parse(text) as { components: { messages: Record<string, object> } }).components;
  expect(messages["order-placed-v2-avro"]).toMatchObject({
    payload: { schemaFormat: "application/vnd.apache.avro;version=1.9.0", schema: { type: "record" } },
  });
  expect(messages["order-placed-v1-json"]).toMatchObject({ payload: { type: "object" } });
});

it("names messages without a schema in the main format", () => {
  const pipeline = createPipeline({
    serializer: json(),
    additionalDeserializers: [msgpack()],
    messageTypes: [defineMessage("ping", { version: 2, unused: [1] })],
  });
  const contract = contractOf(pipeline, { service: "s", receives: ["pings"] });
  const { components } = toAsyncApi(contract) as { components: { messages: Record<string, object> } };
  expect(Object.keys(components.messages)).toEqual(["ping-v2-json"]);
  expect(components.messages["ping-v2-json"]).not.toHaveProperty("payload");
});

it("has a place for everything that a contract says, or an extension", () => {
  const contract = contractOf(ordersPipeline(), {
    service: "orders",
    sends: ["events.v1"],
    receives: ["events.v1"],
    alsoWrites: { "order-placed": [{ version: 1, serializer: "json" }] },
  });
  const { serializers, ...rest } = contract;
  const document = toAsyncApi({ ...rest, serializers: serializers.map(({ options: _, ...each }) => each) });
  expect(document).not.toHaveProperty("servers");
  expect(toAsyncApi(contract, { version: "2.0.0", host: "h" })).toMatchObject({
    info: { version: "2.0.0" },
    servers: { namespace: { host: "h", protocol: "amqps" } },
  });
  expect(document).toMatchInlineSnapshot(`
    {
      "asyncapi": "3.0.0",
      "channels": {
        "events-v1": {
          "address": "events.v1",
          "messages": {
            "order-placed-v1-json": {
              "$ref": "#/components/messages/order-placed-v1-json",
            },
            "order-placed-v2-avro": {
              "$ref": "#/components/messages/order-placed-v2-avro",
            },
            "order-placed-v3-msgpack": {
              "$ref": "#/components/messages/order-placed-v3-msgpack",
            },
          },
        },
      },
      "components": {
        "messages": {
          "order-placed-v1-json": {
            "contentType": "application/json",
            "headers": {
              "properties": {
                "messageVersion": {
                  "const": 1,
                },
              },
              "required": [
                "messageVersion",
              ],
              "type": "object",
            },
            "name": "order-placed",
            "payload": {
              "properties": {
                "id": {
                  "type": "integer",
                },
                "total": {
                  "type": "string",
                },
              },
              "required": [
                "id",
                "total",
              ],
              "type": "object",
            },
            "title": "order-placed version 1",
            "x-waybill": {
              "form": {
                "serializer": "json",
                "version": 1,
              },
              "isWritten": true,
              "type": {
                "aliases": [],
                "removed": [],
                "unversioned": 1,
                "version": 3,
              },
              "version": {
                "body": {
                  "language": "code",
                },
                "isWritable": true,
                "schemas": {
                  "json": {
                    "fingerprint": "7af5534188736a7c",
                    "language": "json-schema",
                    "schema": {
                      "properties": {
                        "id": {
                          "type": "integer",
                        },
                        "total": {
                          "type": "string",
                        },
                      },
                      "required": [
                        "id",
                        "total",
                      ],
                      "type": "object",
                    },
                  },
                },
                "upcasts": [
                  2,
                  3,
                ],
                "version": 1,
              },
            },
          },
          "order-placed-v2-avro": {
            "contentType": "application/avro",
            "headers": {
              "properties": {
                "messageVersion": {
                  "const": 2,
                },
              },
              "required": [
                "messageVersion",
              ],
              "type": "object",
            },
            "name": "order-placed",
            "payload": {
              "schema": {
                "fields": [
                  {
                    "name": "id",
                    "type": "int",
                  },
                  {
                    "name": "cents",
                    "type": "long",
                  },
                ],
                "name": "Order",
                "type": "record",
              },
              "schemaFormat": "application/vnd.apache.avro;version=1.9.0",
            },
            "title": "order-placed version 2",
            "x-waybill": {
              "form": {
                "serializer": "avro",
                "version": 2,
              },
              "isWritten": false,
              "type": {
                "aliases": [],
                "removed": [],
                "unversioned": 1,
                "version": 3,
              },
              "version": {
                "body": {
                  "language": "code",
                },
                "isWritable": true,
                "schemas": {
                  "avro": {
                    "fingerprint": "e346521576dc7ee8",
                    "language": "avro",
                    "schema": {
                      "schema": {
                        "fields": [
                          {
                            "name": "id",
                            "type": "int",
                          },
                          {
                            "name": "cents",
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
                  3,
                ],
                "version": 2,
              },
            },
          },
          "order-placed-v3-msgpack": {
            "contentType": "application/vnd.msgpack",
            "headers": {
              "properties": {
                "messageVersion": {
                  "const": 3,
                },
              },
              "required": [
                "messageVersion",
              ],
              "type": "object",
            },
            "name": "order-placed",
            "title": "order-placed version 3",
            "x-waybill": {
              "form": {
                "serializer": "msgpack",
                "version": 3,
              },
              "isWritten": true,
              "type": {
                "aliases": [],
                "removed": [],
                "unversioned": 1,
                "version": 3,
              },
              "version": {
                "body": {
                  "language": "code",
                },
                "isWritable": true,
                "schemas": {},
                "upcasts": [],
                "version": 3,
              },
            },
          },
        },
      },
      "info": {
        "title": "orders",
        "version": "1.0.0",
        "x-waybill": {
          "chain": undefined,
          "serializers": [
            {
              "mediaTypes": [
                "application/vnd.msgpack",
                "application/msgpack",
                "application/x-msgpack",
                "application/messagepack",
                "application/x-messagepack",
                "application/vnd.messagepack",
                "binary/messagepack",
                "+msgpack",
              ],
              "name": "msgpack",
            },
            {
              "mediaTypes": [
                "application/avro",
                "avro/binary",
                "application/vnd.apache.avro",
                "application/x-avro",
                "+avro",
              ],
              "name": "avro",
              "needsSchema": true,
            },
            {
              "mediaTypes": [
                "application/json",
                "text/json",
                "application/x-json",
                "text/x-json",
                "+json",
              ],
              "name": "json",
            },
          ],
        },
      },
      "operations": {
        "receive-events-v1": {
          "action": "receive",
          "channel": {
            "$ref": "#/channels/events-v1",
          },
          "messages": [
            {
              "$ref": "#/channels/events-v1/messages/order-placed-v1-json",
            },
            {
              "$ref": "#/channels/events-v1/messages/order-placed-v2-avro",
            },
            {
              "$ref": "#/channels/events-v1/messages/order-placed-v3-msgpack",
            },
          ],
        },
        "send-events-v1": {
          "action": "send",
          "channel": {
            "$ref": "#/channels/events-v1",
          },
          "messages": [
            {
              "$ref": "#/channels/events-v1/messages/order-placed-v3-msgpack",
            },
            {
              "$ref": "#/channels/events-v1/messages/order-placed-v1-json",
            },
          ],
        },
      },
    }
  `);
});

describe("an AsyncAPI document as a baseline", () => {
  it("is read back as the contract from which it was written, also without entities", () => {
    const pipeline = ordersPipeline();
    for (const entities of [{}, { sends: ["orders"], receives: ["orders"] }]) {
      const contract = contractOf(pipeline, {
        service: "orders",
        ...entities,
        chain: { maxDepth: 64 },
        alsoWrites: { "order-placed": [{ version: 2, serializer: "avro" }] },
      });
      const document: unknown = JSON.parse(JSON.stringify(toAsyncApi(contract)));
      expect(formatContract(fromAsyncApi(document, { name: "asyncapi.json", own: contract }))).toBe(
        formatContract(contract),
      );
    }
  });

  /** A document of another tool. */
  const document = {
    asyncapi: "3.0.0",
    info: { title: "shop", version: "1.4.0" },
    defaultContentType: "application/json",
    channels: {
      orders: { address: "orders", messages: { placed: { $ref: "#/components/messages/OrderPlaced" } } },
    },
    operations: { place: { action: "send", channel: { $ref: "#/channels/orders" } } },
    components: {
      messages: {
        OrderPlaced: { name: "order-placed", payload: { $ref: "#/components/schemas/Order" } },
        OrderPaid: {
          contentType: "application/avro",
          headers: { type: "object", properties: { messageVersion: { const: 3 } } },
          payload: { schemaFormat: "application/vnd.apache.avro+json;version=1.9.0", schema: "string" },
        },
      },
      schemas: {
        Order: {
          type: "object",
          properties: { id: { $ref: "#/components/schemas/Id" } },
          required: ["id"],
          additionalProperties: false,
          externalDocs: { url: "https://example.org" },
        },
        Id: { type: "integer", "x-owner": "shop" },
      },
    },
  };

  it("may be of another tool: its messages get the serializers of this commit", async () => {
    const chain = (id: unknown) =>
      createPipeline({
        serializer: json(),
        messageTypes: [
          defineMessage("order-placed", {
            version: 1,
            schemas: {
              1: {
                json: { type: "object", properties: { id }, required: ["id"], additionalProperties: false },
              },
            },
          }),
        ],
      });
    const verdicts = async (pipeline: Pipeline) => {
      const contract = contractOf(pipeline, { service: "shop" });
      const baseline = fromAsyncApi(document, { name: "asyncapi.json", own: contract });
      const { findings } = await checkContract({
        contract,
        pipeline,
        baselines: [{ name: "asyncapi.json", contract: baseline }],
        mode: "backward",
      });
      return findings.map(({ messageType, direction, version, verdict }) => [
        messageType,
        direction,
        version,
        verdict,
      ]);
    };
    const own = ["order-placed", "within", 1, "compatible"];
    const unknown = ["OrderPaid", "backward", 3, "incompatible"];
    expect(await verdicts(chain({ type: "number" }))).toEqual([
      unknown,
      ["order-placed", "backward", 1, "compatible"],
      own,
    ]);
    expect(await verdicts(chain({ type: "string" }))).toEqual([
      unknown,
      ["order-placed", "backward", 1, "incompatible"],
      own,
    ]);
  });

  it("gets a version, a format and a schema for each message of another tool", () => {
    const own = contractOf(ordersPipeline(), { service: "orders" });
    const other = {
      asyncapi: "3.1.0",
      info: { title: "shop" },
      defaultContentType: "Application/MSGPACK; charset=utf-8",
      channels: {
        orders: {
          address: "orders",
          messages: {
            placed: { $ref: "#/components/messages/a~1b~0c%20d" },
            plain: { contentType: "text/csv", headers: { properties: { messageVersion: { const: 0 } } } },
            circle: { $ref: "#/channels/orders/messages/circle" },
          },
        },
        paid: { address: "paid", messages: { paid: { name: "paid", payload: { $ref: "#/nowhere" } } } },
      },
      operations: {
        send: { action: "send", channel: { $ref: "#/channels/paid" } },
        some: {
          action: "send",
          channel: { $ref: "#/channels/orders" },
          messages: [{ $ref: "#/channels/orders/messages/placed" }],
        },
        again: { action: "receive", channel: { $ref: "#/channels/orders" } },
        twice: { action: "receive", channel: { $ref: "#/channels/orders" } },
      },
      components: {
        messages: {
          "a/b~c d": {
            name: "placed",
            contentType: "application/json",
            headers: { properties: { messageVersion: { const: 2 } } },
            payload: {
              schemaFormat: "application/schema+json;version=draft-07",
              schema: { $ref: "#/components/schemas/Id", discriminator: "kind", "x-note": 1 },
            },
          },
          older: {
            name: "placed",
            contentType: "application/json",
            headers: { properties: { messageVersion: { const: 1.5 } } },
            payload: { schemaFormat: "application/vnd.oai.openapi", schema: {} },
          },
        },
      },
    };
    expect(fromAsyncApi(other, { name: "a.json", own })).toMatchInlineSnapshot(`
      {
        "entities": {
          "receives": [
            "orders",
          ],
          "sends": [
            "orders",
            "paid",
          ],
        },
        "messageTypes": [
          {
            "aliases": [],
            "name": "circle",
            "removed": [],
            "version": 1,
            "versions": [
              {
                "isWritable": true,
                "schemas": {},
                "upcasts": [],
                "version": 1,
              },
            ],
            "writes": [],
          },
          {
            "aliases": [],
            "name": "paid",
            "removed": [],
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
                "serializer": "msgpack",
                "version": 1,
              },
            ],
          },
          {
            "aliases": [],
            "name": "placed",
            "removed": [],
            "version": 2,
            "versions": [
              {
                "isWritable": true,
                "schemas": {
                  "json": {
                    "language": "code",
                  },
                },
                "upcasts": [],
                "version": 1,
              },
              {
                "isWritable": true,
                "schemas": {
                  "json": {
                    "fingerprint": "06c92d345e441a13",
                    "language": "json-schema",
                    "schema": {
                      "$schema": "http://json-schema.org/draft-07/schema#",
                      "allOf": [
                        {
                          "$ref": "#/definitions/Id",
                        },
                      ],
                    },
                  },
                },
                "upcasts": [],
                "version": 2,
              },
            ],
            "writes": [
              {
                "serializer": "json",
                "version": 2,
              },
            ],
          },
          {
            "aliases": [],
            "name": "plain",
            "removed": [],
            "version": 1,
            "versions": [
              {
                "isWritable": true,
                "schemas": {},
                "upcasts": [],
                "version": 1,
              },
            ],
            "writes": [],
          },
        ],
        "serializers": [
          {
            "mediaTypes": [
              "application/json",
              "text/json",
              "application/x-json",
              "text/x-json",
              "+json",
            ],
            "name": "json",
            "options": {
              "byteOrderMark": "strip",
              "readUnsafeIntegers": "bigint",
              "writeBigInts": "refuse",
              "writeBytes": "refuse",
            },
          },
          {
            "mediaTypes": [
              "text/csv",
            ],
            "name": "text/csv",
          },
          {
            "mediaTypes": [
              "application/vnd.msgpack",
              "application/msgpack",
              "application/x-msgpack",
              "application/messagepack",
              "application/x-messagepack",
              "application/vnd.messagepack",
              "binary/messagepack",
              "+msgpack",
            ],
            "name": "msgpack",
            "options": {},
          },
        ],
        "service": "shop",
        "waybillContract": 1,
      }
    `);
  });

  it.each([
    [{}, "it is not an AsyncAPI 3 document"],
    [{ asyncapi: "2.6.0", info: { title: "a" } }, "it is not an AsyncAPI 3 document"],
    [{ asyncapi: "3.0.0" }, "its info has no title"],
  ])("is refused if it is none: %j", (value, why) => {
    const own = contractOf(ordersPipeline(), { service: "orders" });
    expect(() => fromAsyncApi(value, { name: "a.json", own })).toThrow(
      `a.json cannot be read as a contract: ${why}.`,
    );
  });
});
