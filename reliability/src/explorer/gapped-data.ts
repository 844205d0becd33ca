import { setImmediate } from "node:timers/promises";
import type { Broker } from "@waybill/broker";
import type { EncodedMessage, Transport } from "@waybill/core";

/** How many messages the queue with gaps has left. */
export const gappedCount = 1_000;

/**
 * Fills a partitioned queue, and takes most of its first messages away: its sequence numbers have gaps of every size. Each message that is left has a
 * time of its own.
 */
export async function fillGapped(broker: Broker, transport: Transport): Promise<void> {
  await broker.createQueue("gapped", { enablePartitioning: true });
  for (const queue of ["followed", "passed"]) await broker.createQueue(queue);
  const sender = transport.createSender("gapped");
  const taken = 2_000;
  for (let id = 0; id < gappedCount + taken; id++) {
    if (id >= taken) await nextMillisecond();
    await sender.send([small(id, `key-${id % 5}`)]);
  }
  await take(transport, "gapped", taken);
}

/** Sends messages to the queue that the page follows. */
export async function sendFollowed(transport: Transport, count: number): Promise<void> {
  await transport.createSender("followed").send(Array.from({ length: count }, (_, id) => small(id)));
}

/** Sends messages to the queue `passed`, and takes all of them. */
export async function passThrough(transport: Transport, count: number): Promise<void> {
  await transport.createSender("passed").send(Array.from({ length: count }, (_, id) => small(id)));
  await take(transport, "passed", count);
}

/** Completes the oldest messages of a queue. */
export async function take(transport: Transport, queue: string, count: number): Promise<void> {
  const receiver = transport.createReceiver({ queue }, "peekLock");
  for (let left = count; left > 0; ) {
    const messages = await receiver.receive({ maxMessages: Math.min(left, 200), maxWaitTimeInMs: 0 });
    for (const { settlement } of messages) if (settlement !== undefined) await receiver.complete(settlement);
    left -= messages.length;
  }
  await receiver.close();
}

async function nextMillisecond(): Promise<void> {
  for (const before = Date.now(); Date.now() === before; ) await setImmediate();
}

function small(id: number, partitionKey?: string): EncodedMessage {
  return {
    body: new TextEncoder().encode(`{"id":${id}}`),
    messageId: `gap-${id}`,
    contentType: "application/json",
    ...(partitionKey !== undefined && { partitionKey }),
  };
}
