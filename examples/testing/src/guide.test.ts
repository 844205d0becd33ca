import { bodyType, defineMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { openTestNamespace } from "@waybill/testing";
import { expect, it } from "vitest";

it("advances the clock instead of waiting", async () => {
  // #region clock
  await using namespace = await openTestNamespace({ queues: ["reminders"] });
  const client = namespace.createClient({ serializer: json() });
  const inAnHour = new Date(namespace.clock.now() + 3_600_000);
  await client.createSender("reminders").scheduleMessages({ body: { remind: "me" } }, inAnHour);

  const receiver = client.createReceiver("reminders");
  expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 })).toEqual([]);
  namespace.clock.advance(3_600_000);
  expect(await receiver.receiveMessages(1)).toHaveLength(1);
  // #endregion
});

it("waits until everything is settled", async () => {
  // #region settled
  await using namespace = await openTestNamespace({ queues: ["orders"] });
  const client = namespace.createClient({ serializer: json() });
  const totals: number[] = [];
  client.createReceiver("orders").subscribe({
    processMessage: ({ body }) => void totals.push((body as { total: number }).total),
    processError: ({ error }) => console.error(error),
  });
  await client.createSender("orders").sendMessages([{ body: { total: 10 } }, { body: { total: 5 } }]);

  await namespace.settled("orders"); // nothing waits, nothing is locked
  await namespace.until(() => totals.length === 2); // a condition of your own
  expect(namespace.consumed("orders")).toHaveLength(2);
  expect(namespace.deadLettered("orders")).toEqual([]);
  // #endregion
});

it("records sent, handled and dead-lettered messages", async () => {
  // #region spies
  await using namespace = await openTestNamespace({ queues: ["orders"] });
  const client = namespace.createClient({ serializer: json() });
  await client.createSender("orders").sendMessages({ body: { id: 7 }, subject: "order-placed" });
  expect(namespace.sent("orders")[0]?.message?.subject).toBe("order-placed");
  expect((await namespace.waitFor("sent", "orders"))[0]?.body).toEqual({ id: 7 });

  const receiver = client.createReceiver("orders");
  for (const message of await receiver.receiveMessages(1))
    await receiver.deadLetterMessage(message, { deadLetterReason: "NoTaxRate" });
  const [dead] = await namespace.waitFor("deadLettered", "orders");
  expect(dead?.reason).toBe("NoTaxRate");
  // #endregion
});

it("finds messages by type and by value", async () => {
  // #region typed-spies
  const orderPlaced = defineMessage("order-placed", {
    version: 1,
    schemas: { 1: bodyType<{ id: number; total: number }>() },
  });
  await using namespace = await openTestNamespace({ queues: ["orders"], topics: ["events"] });
  const client = namespace.createClient({ serializer: json(), messageTypes: [orderPlaced] });
  await client.createSender("orders").sendMessages(orderPlaced.message({ id: 7, total: 9 }));
  await client.createSender("events").sendMessages({ body: "nobody subscribes" });

  expect(namespace.sent(orderPlaced, (order) => order.total > 5)).toHaveLength(1);
  expect(namespace.sent("orders", orderPlaced)[0]?.body.id).toBe(7);
  expect(namespace.published("events")[0]?.body).toBe("nobody subscribes");
  // #endregion
});

it("injects faults for a given message", async () => {
  // #region faults
  await using namespace = await openTestNamespace({ queues: ["orders"] });
  const client = namespace.createClient({ serializer: json() });
  await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
  const receiver = client.createReceiver("orders");
  const [first, second] = await receiver.receiveMessages(2);
  if (first === undefined || second === undefined) throw new Error("Two messages were sent.");

  namespace.faults.loseLock("orders", second.sequenceNumber);
  await receiver.completeMessage(first);
  await expect(receiver.completeMessage(second)).rejects.toMatchObject({ code: "message-lock-lost" });

  namespace.faults.throttle("orders", 1);
  await expect(receiver.peekMessages(1)).rejects.toMatchObject({ code: "service-busy" });
  // #endregion
});
