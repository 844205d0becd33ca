import { WaybillClientProxy } from "@waybill/nestjs";
import { json } from "@waybill/serializer-json";
import { openTestNamespace } from "@waybill/testing";
import { lastValueFrom } from "rxjs";
import { describe, expect, it } from "vitest";
import { messageTypes, orderPlaced, priceAsked } from "./messages.js";
import { OrdersService } from "./orders.service.js";
import { start } from "./start.js";

async function open() {
  const namespace = await openTestNamespace({ queues: ["orders", "shipments", "replies"] });
  const app = await start(namespace.transport, 0);
  const client = namespace.createClient({ serializer: json(), messageTypes });
  return {
    namespace,
    app,
    client,
    async [Symbol.asyncDispose]() {
      await app.close();
      await namespace.close();
    },
  };
}

describe("the application", () => {
  it("places orders and ships them", async () => {
    await using opened = await open();
    const { client, namespace, app } = opened;
    await client.createSender("orders").sendMessages(orderPlaced.message({ orderId: "o-1", items: 2 }));
    await namespace.settled("orders");
    expect(app.get(OrdersService).placed).toEqual([{ orderId: "o-1", items: 2 }]);
    expect(namespace.sent("shipments")).toHaveLength(1);
  });

  it("dead-letters an invalid order for the reason of its exception filter", async () => {
    await using opened = await open();
    const { client, namespace } = opened;
    await client.createSender("orders").sendMessages(orderPlaced.message({ orderId: "o-1", items: 0 }));
    const [dead] = await namespace.waitFor("deadLettered", "orders");
    expect(dead?.reason).toBe("InvalidOrder");
  });

  it("answers requests", async () => {
    await using opened = await open();
    const { client } = opened;
    // #region proxy
    const proxy = new WaybillClientProxy(client, { queueOrTopic: "orders", replyTo: "replies" });
    const answer = await lastValueFrom(proxy.send(priceAsked, { item: "tea" }));
    // #endregion
    expect(answer).toEqual({ item: "tea", price: 3 });
    await proxy.close();
  });

  it("tells its readiness by HTTP", async () => {
    await using opened = await open();
    const response = await fetch(`${await opened.app.getUrl()}/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      status: "ok",
      details: { serviceBus: { clientStatus: "ready" } },
    });
  });
});
