import { createBroker, createManualClock } from "@waybill/broker";
import { type EntitySetting, type TransportSubject, transportCases } from "@waybill/conformance";
import { WaybillClient } from "@waybill/core";
import { namespaces } from "@waybill/core/namespaces";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";

describe("one client of two namespaces", () => {
  async function open() {
    const [shop, billing] = [createBroker(), createBroker()];
    await shop.createQueue("orders");
    await billing.createQueue("billing-invoices", { requiresSession: true });
    // #region namespaces
    const transport = namespaces(
      { shop: localTransport(shop), billing: localTransport(billing) },
      (queueOrTopic) => (queueOrTopic.startsWith("billing-") ? "billing" : "shop"),
    );
    const client = new WaybillClient(transport, { serializer: json() });
    // #endregion
    return { shop, billing, client };
  }

  it("handles a queue of one and sends to a queue of the other", async () => {
    const { shop, billing, client } = await open();
    const invoices = client.createSender("billing-invoices");
    client.subscribe("orders", {
      processMessage: ({ messageId }) =>
        invoices.sendMessages({ body: { invoiceFor: messageId }, sessionId: "customer-7" }),
      processError: () => {},
    });
    await client.createSender("orders").sendMessages({ messageId: "o-1", body: {} });
    const session = await client.acceptNextSession("billing-invoices");
    const [invoice] = await session.receiveMessages(1);
    expect(invoice?.body).toEqual({ invoiceFor: "o-1" });
    await session.completeMessage(invoice!);
    await client.close();
    expect(shop.getEntity("orders").totalMessageCount).toBe(0);
    expect(billing.getEntity("billing-invoices").totalMessageCount).toBe(0);
  });

  it("refuses a namespace that there is not", () => {
    const transport = namespaces({ shop: localTransport(createBroker()) }, () => "shops");
    const client = new WaybillClient(transport, { serializer: json() });
    expect(() => client.createSender("orders")).toThrow(
      '"orders": It is said to be in the namespace "shops"',
    );
    expect(() => namespaces({}, () => "shop")).toThrow(TypeError);
  });
});

describe("namespaces() passes the conformance suite for transports", () => {
  let count = 0;
  const create = async () => {
    const clock = createManualClock(new Date("2026-11-05T12:00:00Z"));
    const brokers = { north: createBroker({ clock }), south: createBroker({ clock }) };
    const transport = namespaces(
      { north: localTransport(brokers.north), south: localTransport(brokers.south) },
      (name) => (name.startsWith("north") ? "north" : "south"),
    );
    // Entities that forward to each other are in one namespace.
    const place = ++count % 2 === 0 ? "north" : "south";
    const broker = brokers[place];
    let created = 0;
    return {
      transport,
      async createQueue(setting: EntitySetting): Promise<string> {
        const queue = `${place}-queue-${++created}`;
        await broker.createQueue(queue, setting);
        return queue;
      },
      async createTopic(subscriptions: readonly string[], setting: EntitySetting): Promise<string> {
        const topic = `${place}-topic-${++created}`;
        await broker.createTopic(topic);
        for (const name of subscriptions) await broker.createSubscription(topic, name, setting);
        return topic;
      },
      async advance(durationMs: number): Promise<void> {
        clock.advance(durationMs);
        await new Promise((resolve) => setImmediate(resolve));
      },
      now: () => new Date(clock.now()),
      async [Symbol.asyncDispose](): Promise<void> {
        await transport.close();
        await Promise.all([brokers.north.close(), brokers.south.close()]);
      },
    };
  };
  const subject: TransportSubject = {
    create,
    capabilities: ["scheduling", "deferral", "sessions", "sessionEnumeration", "rules", "transferDeadLetter"],
    maxMessageBytes: 1024 * 1024,
  };
  for (const { name, run } of transportCases(subject)) it(name, run);
});
