import { Parser } from "@asyncapi/parser";
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
