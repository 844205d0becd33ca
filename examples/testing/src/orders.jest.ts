import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { json } from "@waybill/serializer-json";
import { type NamespaceMatchers, namespaceMatchers, perTest } from "@waybill/testing";
import type {} from "expect";
import { placeOrders } from "./place-orders.js";

expect.extend(namespaceMatchers);
declare module "expect" {
  interface Matchers<R extends void | Promise<void>> extends NamespaceMatchers<R> {}
}

const namespace = perTest({ beforeEach, afterEach }, { queues: ["orders", "placed"] });

describe("orders", () => {
  it("are placed", async () => {
    const client = namespace().createClient({ serializer: json() });
    placeOrders(client);
    await client.createSender("orders").sendMessages({ body: { id: 7, amount: 1 } });
    const [placed] = await namespace().waitFor("sent", "placed");
    expect(placed?.message?.subject).toBe("order-placed");
  });

  it("with an amount of 0 are dead-lettered after ten attempts", async () => {
    const client = namespace().createClient({ serializer: json() });
    placeOrders(client);
    await client.createSender("orders").sendMessages({ body: { id: 8, amount: 0 } });
    const [dead] = await namespace().waitFor("deadLettered", "orders");
    expect(dead?.reason).toBe("MaxDeliveryCountExceeded");
    expect(namespace()).not.toHaveSent("placed");
    expect(namespace()).toHaveDeadLettered("orders");
  });
});
