// #region imports
import { bodyType, createPipeline, defineMessage } from "@waybill/core";
import { cloudEvents, dapr, envelopes, massTransit, nserviceBus } from "@waybill/envelopes";
import { json } from "@waybill/serializer-json";
// #endregion
import { expect, it } from "vitest";

it("README: reads messages of several buses", async () => {
  // #region example
  const orderPlaced = defineMessage("order-placed", {
    version: 1,
    schemas: { 1: { body: bodyType<{ id: string }>() } },
  });
  const types = { "Shop.Contracts.OrderPlaced": "order-placed" };
  const pipeline = createPipeline({
    serializer: json(),
    messageTypes: [orderPlaced],
    messageTypeResolver: envelopes([
      nserviceBus({ types }),
      massTransit({ types }),
      cloudEvents({ types: { "com.shop.order.placed": "order-placed" } }),
      dapr({ types: { orders: "order-placed" } }),
    ]),
  });
  // #endregion
  const body = new TextEncoder().encode('{"id":"A-1042"}');
  const applicationProperties = { "NServiceBus.EnclosedMessageTypes": "Shop.Contracts.OrderPlaced, Shop" };
  expect(await pipeline.deserialize({ body, applicationProperties })).toMatchObject({
    body: { id: "A-1042" },
    report: { messageType: "order-placed" },
  });
});
