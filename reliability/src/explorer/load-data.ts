import { setTimeout as pause } from "node:timers/promises";
import { type Broker, createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import type { EncodedMessage, Transport } from "@waybill/core";
import { localTransport } from "@waybill/transport-local";

/** How many messages the long list has. */
export const million = 1_000_000;

const batchSize = 5_000;

/** How many queues the namespace with many entities has, each with an active message and two dead letters. */
export const queueCount = 1_000;

/** A broker of its own for them. */
export interface ThousandQueues extends AsyncDisposable {
  readonly connectionString: string;
}

/** Serves it over AMQP. */
export async function serveThousand(): Promise<ThousandQueues> {
  const broker = createBroker();
  const transport = localTransport(broker);
  for (let id = 0; id < queueCount; id++) {
    const queue = `queue-${String(id).padStart(4, "0")}`;
    await broker.createQueue(queue);
    const sender = transport.createSender(queue);
    await sender.send([numbered(1), numbered(2), numbered(3)]);
    await sender.close();
    const receiver = transport.createReceiver({ queue }, "peekLock");
    for (const { settlement = {} } of await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 0 }))
      await receiver.deadLetter(settlement, { deadLetterReason: "Late" });
    await receiver.close();
  }
  const server = await serve(broker, { port: 0 });
  return {
    connectionString: server.connectionString,
    async [Symbol.asyncDispose]() {
      await server.close();
      await transport.close();
      await broker.close();
    },
  };
}

/** Fills the queue `million`. */
export async function fillMillion(broker: Broker, transport: Transport): Promise<void> {
  await broker.createQueue("million", { maxSizeInMegabytes: 81_920 });
  const sender = transport.createSender("million");
  for (let first = 0; first < million; first += batchSize)
    await sender.send(Array.from({ length: batchSize }, (_, index) => numbered(first + index)));
}

/** Sends to the queue `busy` at a steady pace. */
export async function flood(
  broker: Broker,
  transport: Transport,
  perSecond: number,
  seconds: number,
): Promise<void> {
  await broker.createQueue("busy");
  const sender = transport.createSender("busy");
  const startedAt = performance.now();
  for (let sent = 0; sent < perSecond * seconds; ) {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
    const count = Math.min(due - sent, 1_000);
    if (count > 0) await sender.send(Array.from({ length: count }, (_, index) => numbered(sent + index)));
    sent += Math.max(count, 0);
    await pause(20);
  }
}

function numbered(number: number): EncodedMessage {
  return {
    body: new TextEncoder().encode(`{"n":${number}}`),
    messageId: `n-${number}`,
    contentType: "application/json",
    subject: "numbered",
  };
}
