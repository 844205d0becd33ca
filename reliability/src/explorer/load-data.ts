import { setTimeout as pause } from "node:timers/promises";
import type { Broker } from "@waybill/broker";
import type { EncodedMessage, Transport } from "@waybill/core";

/** How many messages the long list has. */
export const million = 1_000_000;

const batchSize = 5_000;

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
