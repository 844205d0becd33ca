import { ServiceBusClient } from "@azure/service-bus";
import { bodyType, defineMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { openTestNamespace } from "./index.js";

const serializer = json();

describe("a test's namespace", () => {
  it("is separate, with the entities that it declares", async () => {
    await using one = await openTestNamespace({
      queues: { orders: { maxDeliveryCount: 2 }, failures: {} },
      topics: {
        events: {
          subscriptions: {
            all: {},
            large: { rules: [{ name: "large", filter: { type: "sql", expression: "amount > 10" } }] },
          },
        },
      },
    });
    await using other = await openTestNamespace({ queues: ["orders"], topics: ["events"] });
    expect(one.broker.listEntities().map(({ path }) => path)).toEqual([
      "orders",
      "failures",
      "events",
      "events/Subscriptions/all",
      "events/Subscriptions/large",
    ]);
    await one.createClient({ serializer }).createSender("orders").sendMessages({ body: 1 });
    expect(one.sent("orders")).toHaveLength(1);
    expect(other.sent()).toHaveLength(0);
  });

  it("refuses misspelt options, at every level", async () => {
    const refusal = (options: object) => openTestNamespace(options).catch((error: Error) => error.message);
    expect(await refusal({ queue: ["orders"] })).toBe(
      'openTestNamespace: there is no option "queue"; did you mean "queues"?',
    );
    expect(await refusal({ queues: { orders: { maxDeliverycount: 2 } } })).toBe(
      "'orders' has no property maxDeliverycount; did you mean \"maxDeliveryCount\"?",
    );
    expect(await refusal({ topics: { events: { subscription: ["all"] } } })).toBe(
      'topic \'events\': there is no option "subscription"; did you mean "subscriptions"?',
    );
    expect(await refusal({ topics: { events: { subscriptions: { all: { rule: [] } } } } })).toBe(
      "subscription 'all' of 'events': there is no option \"rule\"; did you mean \"rules\"?",
    );
    expect(await refusal({ queues: [{ name: "orders" }] })).toBe(
      "queues must be names, or an object with the options by name: { orders: {} }.",
    );
    expect(await refusal({ topics: { events: { subscriptions: "all" } } })).toBe(
      "subscriptions of 'events' must be names, or an object with the options by name: { orders: {} }.",
    );
    await using namespace = await openTestNamespace({ queues: ["orders"] });
    const misspelt = { timeoutMs: 1 } as object;
    await expect(namespace.until(() => true, misspelt)).rejects.toThrow('did you mean "timeoutInMs"?');
    await expect(namespace.waitFor("sent", "orders", misspelt)).rejects.toThrow(
      'waitFor: there is no option "timeoutMs"',
    );
    await expect(namespace.listen({ ports: 0 } as object)).rejects.toThrow(
      'serve: there is no option "ports"',
    );
  });

  it("shows what was sent, handled and dead-lettered, with its content", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"] });
    const client = namespace.createClient({ serializer });
    await client.createSender("orders").sendMessages([
      { body: { id: 1 }, messageId: "good" },
      { body: { id: 2 }, messageId: "bad", subject: "order" },
    ]);
    const processor = client.createReceiver("orders").subscribe({
      async processMessage({ messageId }) {
        if (messageId === "bad") throw new Error("cannot be done");
      },
      async processError() {},
    });
    const [handled] = await namespace.waitFor("consumed", "orders");
    expect(handled?.messageId).toBe("good");
    const [dead] = await namespace.waitFor("deadLettered", "orders");
    expect(dead).toMatchObject({ messageId: "bad", reason: "MaxDeliveryCountExceeded" });
    const [, sent] = namespace.sent("orders");
    expect(sent?.message?.subject).toBe("order");
    expect(sent?.message?.body).toMatchObject({
      section: "data",
      bytes: new TextEncoder().encode('{"id":2}'),
    });
    expect(sent?.body).toEqual({ id: 2 });
    expect(handled?.body).toEqual({ id: 1 });
    await processor.close();
  });

  it("shows the values of a message type, with its type", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"] });
    const placed = defineMessage("placed", { version: 1, schemas: { 1: bodyType<{ id: number }>() } });
    const client = namespace.createClient({ serializer, messageTypes: [placed] });
    const sender = client.createSender("orders");
    await sender.sendMessages(placed.message({ id: 7 }));
    await namespace.createClient({ serializer }).createSender("orders").sendMessages({ body: "note" });
    await namespace.waitFor("sent", "orders", { count: 2 });
    const [first, ...others] = namespace.sent("orders", placed);
    const id: number | undefined = first?.body.id;
    expect([id, others]).toEqual([7, []]);
    expect(namespace.sent("orders").map(({ body }) => body)).toEqual([{ id: 7 }, "note"]);
  });

  it("has a clock that does not advance by itself", async () => {
    await using namespace = await openTestNamespace({ queues: { reminders: { lockDurationMs: 30_000 } } });
    const client = namespace.createClient({ serializer });
    const at = new Date(namespace.clock.now() + 86_400_000);
    await client.createSender("reminders").scheduleMessages({ body: "later" }, at);
    const receiver = client.createReceiver("reminders");
    expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 })).toHaveLength(0);
    namespace.clock.advance(86_400_000);
    const [message] = await receiver.receiveMessages(1);
    expect(message?.body).toBe("later");
  });

  it("can inject faults", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"] });
    const sender = namespace.createClient({ serializer }).createSender("orders");
    namespace.faults.fill("orders");
    await expect(sender.sendMessages({ body: 1 })).rejects.toMatchObject({ code: "quota-exceeded" });
    namespace.faults.clear();
    await sender.sendMessages({ body: 1 });
    expect(namespace.sent("orders")).toHaveLength(1);
  });

  it("can be used over the network by programs in other languages", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"], startAt: new Date() });
    const server = await namespace.listen();
    expect(await namespace.listen()).toBe(server);
    const client = new ServiceBusClient(server.connectionString);
    await client.createSender("orders").sendMessages({ body: "over AMQP" });
    const [message] = await client
      .createReceiver("orders", { receiveMode: "receiveAndDelete" })
      .receiveMessages(1);
    expect(message?.body).toBe("over AMQP");
    await client.close();
    expect(namespace.sent("orders")).toHaveLength(1);
  });

  it("reports what it recorded when a wait times out", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"] });
    await namespace.createClient({ serializer }).createSender("orders").sendMessages({ body: 1 });
    await expect(namespace.waitFor("consumed", "orders", { timeoutInMs: 5 })).rejects.toThrow(
      "Waited 5 ms for 1 messages consumed at 'orders'. Seen there: sent 1, published 0, consumed 0, faulted 0, deadLettered 0.",
    );
  });

  it("can be emptied", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"] });
    await namespace.createClient({ serializer }).createSender("orders").sendMessages({ body: 1 });
    await namespace.reset();
    expect(namespace.sent()).toHaveLength(0);
    expect(namespace.broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("waits until all messages of an entity are settled, and reports how many are left", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"] });
    const client = namespace.createClient({ serializer });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    const receiver = client.createReceiver("orders");
    const [first, second] = await receiver.receiveMessages(2);
    if (first === undefined || second === undefined) throw new Error("nothing came");
    await receiver.completeMessage(first);
    await expect(namespace.settled("orders", { timeoutInMs: 20 })).rejects.toThrow(
      "Waited 20 ms until 'orders' was settled; 1 messages wait or are locked.",
    );
    const settled = namespace.settled("orders");
    await receiver.deadLetterMessage(second);
    await settled;
  });

  it("waits until a condition of the test is true", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"] });
    const client = namespace.createClient({ serializer });
    const seen: unknown[] = [];
    client.createReceiver("orders").subscribe({
      processMessage: ({ body }) => void seen.push(body),
      processError: () => {},
    });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    await namespace.until(() => seen.length === 2);
    await expect(namespace.until(() => false, { timeoutInMs: 5 })).rejects.toThrow("Waited 5 ms until");
  });

  it("loses the lock of the message with a sequence number", async () => {
    await using namespace = await openTestNamespace({ queues: ["orders"] });
    const client = namespace.createClient({ serializer });
    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    const receiver = client.createReceiver("orders");
    const [first, second] = await receiver.receiveMessages(2);
    if (first === undefined || second === undefined) throw new Error("nothing came");
    namespace.faults.loseLock("orders", second.sequenceNumber);
    await receiver.completeMessage(first);
    await expect(receiver.completeMessage(second)).rejects.toThrow("message-lock-lost");
    expect(() => namespace.faults.loseLock("orders", 99n)).toThrow("sequence number 99");
  });
});
