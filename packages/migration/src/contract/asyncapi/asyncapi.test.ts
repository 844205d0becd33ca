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
