import type { Broker } from "@waybill/broker";
import { createPipeline, type EncodedMessage, type Transport, WaybillClient } from "@waybill/core";
import type { EntityAddress } from "@waybill/core/transport";
import { encodeShipment } from "../../../examples/main-job/dist/encode-shipment.js";
import { fullRound, planShipment } from "../../../examples/main-job/dist/plan.js";
import { consumerSerializers } from "../../../examples/main-job/dist/serializers.js";

/** What the page must find. */
export interface DemoFacts {
  /** Messages of the demo. */
  readonly sent: number;
  /** Those that a consumer of the year before, whose chain had no MessagePack, dead-lettered. */
  readonly deadLetters: number;
  /** Those of them that today's chain reads. */
  readonly readable: number;
}

/** How many orders are dead-lettered, to be repaired. */
export const repairCount = 100;

/** How many invoices, and how many orders beside them, are dead-lettered in the queue whose repair is killed. */
export const invoiceCount = 60;
export const orderCount = 15;

/**
 * The demo's webhooks of three eras, as they wait and as an older consumer left them; orders to be repaired; and one of everything else that an
 * entity can have.
 */
export async function fillDemo(broker: Broker, transport: Transport): Promise<DemoFacts> {
  const shipments = await Promise.all(
    Array.from({ length: fullRound }, (_, number) => encodeShipment(planShipment(number))),
  );
  for (const queue of ["webhooks", "deliveries", "orders", "later"]) await broker.createQueue(queue);
  for (const queue of ["webhooks", "deliveries"]) await transport.createSender(queue).send(shipments);
  await consumeAsBefore(transport);
  await fillOrders(transport);
  await fillInvoices(broker, transport);
  await fillOthers(broker, transport);
  const dead = await transport.createReceiver({ queue: "deliveries", subQueue: "deadLetter" }, "peekLock");
  const letters = await dead.peek({ maxMessages: 10_000 });
  const today = createPipeline(consumerSerializers());
  const outcomes = await Promise.all(letters.map((letter) => today.deserialize(letter as EncodedMessage)));
  const readable = outcomes.filter(({ status }) => status === "decoded").length;
  return { sent: shipments.length, deadLetters: letters.length, readable };
}

/** The chain of the year before: Avro and JSON. */
async function consumeAsBefore(transport: Transport): Promise<void> {
  const { additionalDeserializers = [], ...chain } = consumerSerializers();
  const older = additionalDeserializers.filter(({ name }) => name !== "msgpack");
  await using client = new WaybillClient(transport, {
    ...chain,
    additionalDeserializers: older,
    circuitBreaker: false,
    consumerVersion: "deliveries 1.0",
  });
  const receiver = client.createReceiver("deliveries");
  for (;;) {
    const messages = await receiver.receiveMessages(100, { maxWaitTimeInMs: 0 });
    for (const message of messages) await receiver.completeMessage(message);
    const [left] = await transport
      .createReceiver({ queue: "deliveries" }, "peekLock")
      .peek({ maxMessages: 1 });
    if (left === undefined) return;
  }
}

async function fillOrders(transport: Transport): Promise<void> {
  const orders = Array.from({ length: repairCount }, (_, id) => json(id, `order-${id}`));
  await transport.createSender("orders").send(orders);
  await deadLetterAll(transport, { queue: "orders" }, repairCount, "PaymentServiceDown");
}

/** Locks are short, since a killed process leaves some behind. */
async function fillInvoices(broker: Broker, transport: Transport): Promise<void> {
  await broker.createQueue("invoices", { lockDurationMs: 5_000 });
  for (const queue of ["repaired", "from-billing"]) await broker.createQueue(queue);
  await broker.createTopic("invoiced");
  for (const name of ["billing", "audit"]) await broker.createSubscription("invoiced", name);
  const invoices = Array.from({ length: invoiceCount }, (_, id) => json(id, `invoice-${id}`));
  await transport.createSender("invoices").send(invoices);
  await deadLetterAll(transport, { queue: "invoices" }, invoiceCount, "PaymentServiceDown");
  const orders = Array.from({ length: orderCount }, (_, id) => json(id, `invoiced-order-${id}`));
  await transport.createSender("invoices").send(orders);
  await deadLetterAll(transport, { queue: "invoices" }, orderCount, "CustomerUnknown");
  await transport.createSender("invoiced").send([json(1, "invoiced-1"), json(2, "invoiced-2")]);
  await deadLetterAll(transport, { topic: "invoiced", subscription: "billing" }, 2, "PaymentServiceDown");
}

async function deadLetterAll(
  transport: Transport,
  address: EntityAddress,
  count: number,
  deadLetterReason: string,
): Promise<void> {
  const receiver = transport.createReceiver(address, "peekLock");
  const messages = await receiver.receive({ maxMessages: count, maxWaitTimeInMs: 0 });
  for (const { settlement = {} } of messages) await receiver.deadLetter(settlement, { deadLetterReason });
  await receiver.close();
}

async function fillOthers(broker: Broker, transport: Transport): Promise<void> {
  await broker.createTopic("events");
  await broker.createSubscription("events", "billing");
  await transport.createRuleManager("events", "billing").createRule({
    name: "large",
    filter: { sqlExpression: "amount > 100 AND sys.Label = 'order'" },
    action: "SET priority = 'high'",
  });
  await transport.createSender("events").send([json(1, "event-1")]);
  await broker.createQueue("baskets", { requiresSession: true });
  await transport.createSender("baskets").send([{ ...json(1, "basket-1"), sessionId: "customer-7" }]);
  await using client = new WaybillClient(transport, consumerSerializers());
  await using session = await client.acceptSession("baskets", "customer-7");
  await session.setSessionState({ items: 3 }, { contentType: "application/json" }).catch(() => {});
  const later = transport.createSender("later");
  await later.schedule([json(1, "scheduled-1")], new Date(Date.now() + 86_400_000));
  const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  await later.send([
    { ...json(2, "question"), replyTo: "answers", applicationProperties: { traceparent: trace } },
    { ...json(3, "answer"), correlationId: "question" },
  ]);
  const receiver = transport.createReceiver({ queue: "later" }, "peekLock");
  await later.send([json(4, "deferred-1")]);
  const received = await receiver.receive({ maxMessages: 10, maxWaitTimeInMs: 0 });
  for (const { messageId, settlement = {} } of received)
    await (messageId === "deferred-1" ? receiver.defer(settlement) : receiver.abandon(settlement));
  await receiver.close();
}

function json(id: number, messageId: string): EncodedMessage {
  const body = new TextEncoder().encode(JSON.stringify({ id, lines: [{ sku: `sku-${id}` }] }));
  return { body, messageId, contentType: "application/json" };
}
