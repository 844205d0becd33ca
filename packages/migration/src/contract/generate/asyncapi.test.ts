import { Parser } from "@asyncapi/parser";
import { createPipeline, defineMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { expect, it } from "vitest";
import { ordersPipeline } from "../../../test/orders.js";
import { contractOf, toAsyncApi } from "../../contract.js";

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
