import { ServiceBusClient } from "@azure/service-bus";
import { bodyType, defineMessage, type Serializer } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { type NamespaceMatchers, namespaceMatchers, openTestNamespace } from "./index.js";

expect.extend(namespaceMatchers);
declare module "vitest" {
  interface Matchers<T> extends NamespaceMatchers<T> {}
}

const serializer = json();
const orderPlaced = defineMessage("order-placed", {
  version: 1,
  schemas: { 1: bodyType<{ id: number; total: number }>() },
});

function open() {
  return openTestNamespace({
    queues: { orders: { maxDeliveryCount: 2 } },
    topics: { events: {}, news: { subscriptions: ["all"] } },
  });
}

describe("a spy", () => {
  it("lists messages by definition and by a predicate of the value", async () => {
    await using namespace = await open();
    const sender = namespace.createClient({ serializer, messageTypes: [orderPlaced] }).createSender("orders");
    await sender.sendMessages([
      orderPlaced.message({ id: 1, total: 4 }),
      orderPlaced.message({ id: 2, total: 6 }),
    ]);
    await sender.sendMessages({ body: { total: 9 } });
    const ids: number[] = namespace.sent(orderPlaced, (order) => order.total > 5).map(({ body }) => body.id);
    expect(ids).toEqual([2]);
    expect(namespace.sent("orders", orderPlaced, (order) => order.total < 5)).toHaveLength(1);
    expect(namespace.sent<{ total: number }>("orders", ({ total }) => total > 5)).toHaveLength(2);
    expect(namespace.sent((_, { message }) => message.subject === "order-placed")).toHaveLength(2);
  });

  it("reads bodies of asynchronous serializers, too, once somebody waits", async () => {
    await using namespace = await open();
    const slow: Serializer = {
      ...serializer,
      deserialize: async (...given) => serializer.deserialize(...given),
    };
    const client = namespace.createClient({ serializer: slow });
    await client.createSender("orders").sendMessages({ body: { total: 6 } });
    const where = ({ total }: { total: number }) => total > 5;
    expect(await namespace.waitFor("sent", "orders", { where })).toHaveLength(1);
  });

  it("lists what was published to a topic, with and without subscriptions", async () => {
    await using namespace = await open();
    const client = namespace.createClient({ serializer, messageTypes: [orderPlaced] });
    await client.createSender("events").sendMessages(orderPlaced.message({ id: 3, total: 1 }));
    await client.createSender("news").sendMessages({ body: "hello" });
    expect(namespace.published("events", orderPlaced)[0]?.body.id).toBe(3);
    expect(namespace.published().map(({ entity, body }) => [entity, body])).toEqual([
      ["events", { id: 3, total: 1 }],
      ["news", "hello"],
    ]);
    expect(namespace.sent().map(({ entity }) => entity)).toEqual(["news/Subscriptions/all"]);
  });

  it("records a scheduled message once", async () => {
    await using namespace = await open();
    const client = namespace.createClient({ serializer });
    const at = new Date(namespace.clock.now() + 1_000);
    for (const entity of ["orders", "events"])
      await client.createSender(entity).scheduleMessages({ body: entity }, at);
    namespace.clock.advance(1_000);
    expect(namespace.sent("orders").map(({ body }) => body)).toEqual(["orders"]);
    expect(namespace.published("events").map(({ body }) => body)).toEqual(["events"]);
  });

  it("lists failed deliveries, and why a message was dead-lettered, with delivery counts", async () => {
    await using namespace = await open();
    const client = namespace.createClient({ serializer });
    client.createReceiver("orders").subscribe({
      processMessage() {
        throw new Error("cannot be done");
      },
      processError() {},
    });
    await client.createSender("orders").sendMessages({ body: { total: 1 } });
    await namespace.quiet();
    expect(namespace.faulted("orders").map(({ reason, deliveryCount }) => [reason, deliveryCount])).toEqual([
      ["abandoned", 0],
      ["abandoned", 1],
    ]);
    const [dead] = namespace.deadLettered<{ total: number }>("orders", ({ total }) => total === 1);
    expect(dead).toMatchObject({ reason: "MaxDeliveryCountExceeded", deliveryCount: 2 });
    expect(dead?.description).toContain("Message could not be consumed");
    expect(namespace.consumed("orders")).toEqual([]);
  });

  it("counts what is received and deleted as consumed, with its body", async () => {
    await using namespace = await open();
    const client = namespace.createClient({ serializer });
    await client.createSender("orders").sendMessages({ body: 1 });
    await client.createReceiver("orders", { receiveMode: "receiveAndDelete" }).receiveMessages(1);
    expect(namespace.consumed("orders").map(({ body }) => body)).toEqual([1]);
  });

  it("lists a lock that expired", async () => {
    await using namespace = await open();
    const client = namespace.createClient({ serializer });
    await client.createSender("orders").sendMessages({ body: 1 });
    await client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 0 }).receiveMessages(1);
    namespace.clock.advance(60_000);
    expect(namespace.faulted("orders")[0]?.reason).toBe("lock-expired");
  });

  it("refuses the names of entities that do not exist, or are of the other kind", async () => {
    await using namespace = await open();
    expect(() => namespace.sent("ordres")).toThrow(
      "sent: 'ordres' does not exist in this namespace. Did you mean 'orders'?",
    );
    expect(() => namespace.deadLettered("news/Subscriptions/al")).toThrow(
      "Did you mean 'news/Subscriptions/all'?",
    );
    expect(() => namespace.sent("events")).toThrow(`published("events") has what was sent to it`);
    expect(() => namespace.published("orders")).toThrow(`sent("orders") has what was sent to it`);
    await expect(namespace.waitFor("sent", "ordres")).rejects.toThrow("does not exist");
    await expect(namespace.settled("ordres")).rejects.toThrow("ordres");
    expect(namespace.consumed("ORDERS/$DeadLetterQueue")).toEqual([]);
    await namespace.broker.deleteEntity("orders");
    expect(() => namespace.sent("orders")).toThrow("does not exist");
  });
});

describe("quiet", () => {
  it("comes when nothing is in flight, however many messages follow from one", async () => {
    await using namespace = await openTestNamespace({ queues: ["first", "second", "unread"] });
    const client = namespace.createClient({ serializer });
    const pass = (from: string, to: string) =>
      client.createReceiver(from).subscribe(
        {
          processMessage: ({ body }) => client.createSender(to).sendMessages({ body }),
          processError() {},
        },
        { maxConcurrentCalls: 1 },
      );
    pass("first", "second");
    pass("second", "unread");
    const bodies = Array.from({ length: 20 }, (_, index) => ({ body: index }));
    await client.createSender("first").sendMessages(bodies);
    await namespace.quiet();
    expect(namespace.sent("unread")).toHaveLength(20);
  });

  it("says what is in flight when it does not come", async () => {
    await using namespace = await open();
    const client = namespace.createClient({ serializer });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    await client.createReceiver("orders").receiveMessages(1);
    await expect(namespace.quiet({ timeoutInMs: 20 })).rejects.toThrow(
      "Waited 20 ms until nothing was in flight; 'orders' has 1 locked, 0 waiting.",
    );
  });

  it("waits for consumers of the official SDK, too", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"], startAt: new Date() });
    const { connectionString } = await namespace.listen();
    const client = new ServiceBusClient(connectionString);
    const done: unknown[] = [];
    client.createReceiver("orders").subscribe({
      processMessage: async ({ body }) => void done.push(body),
      processError: async () => {},
    });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
    await namespace.until(() => namespace.broker.getEntity("orders").totalMessageCount < 3);
    await namespace.quiet();
    expect(done).toEqual([1, 2, 3]);
    await client.close();
  });
});

describe("a topology", () => {
  it("may forward to what comes later, and says who forwards to nothing", async () => {
    await using namespace = await openTestNamespace({
      queues: {
        inbox: { forwardTo: "orders" },
        orders: { forwardDeadLetteredMessagesTo: "failures" },
        failures: {},
      },
    });
    await namespace.createClient({ serializer }).createSender("inbox").sendMessages({ body: 1 });
    expect(namespace.sent("orders")).toHaveLength(1);
    await expect(openTestNamespace({ queues: { inbox: { forwardTo: "ordres" } } })).rejects.toThrow(
      "ForwardTo of 'inbox' is 'ordres', which does not exist.",
    );
  });

  it("may come from the official emulator's Config.json, with more entities beside it", async () => {
    const config = new URL("../../../docker/Config.json", import.meta.url);
    await using namespace = await openTestNamespace({ config, queues: { inbox: { forwardTo: "orders" } } });
    expect(namespace.broker.listEntities().map(({ path }) => path)).toEqual([
      "orders",
      "inbox",
      "events",
      "events/Subscriptions/all",
    ]);
  });
});

describe("the matchers", () => {
  it("accept what the spies accept, and say what was seen", async () => {
    await using namespace = await open();
    const client = namespace.createClient({ serializer, messageTypes: [orderPlaced] });
    await client.createSender("orders").sendMessages(orderPlaced.message({ id: 1, total: 4 }));
    await client.createSender("events").sendMessages({ body: 1 });
    expect(namespace).toHaveSent(orderPlaced, ({ total }) => total > 3);
    expect(namespace).not.toHaveSent("orders", orderPlaced, ({ total }) => total > 5);
    expect(namespace).toHavePublished("events");
    expect(namespace).not.toHaveConsumed();
    expect(namespace).not.toHaveFaulted("orders");
    expect(() => expect(namespace).toHaveDeadLettered("orders", orderPlaced)).toThrow(
      "Expected a message deadLettered at 'orders' of type 'order-placed', but there are none. Seen there: sent 1, published 0,",
    );
    expect(() => expect(namespace).not.toHaveSent()).toThrow("Expected no message sent, but there is 1.");
    expect(() => expect(namespace).not.toHaveSent("ordres")).toThrow("does not exist");
  });
});
