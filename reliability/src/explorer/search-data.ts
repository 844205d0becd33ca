import type { Broker } from "@waybill/broker";
import type { Transport } from "@waybill/core";

/** How many messages the queue has that takes a while to search. */
export const searchedCount = 60_000;

/** How many messages the queue has that is searched under load. */
export const largeCount = 300_000;

const batchSize = 1_000;

/** Makes a queue with so many messages, whose ids begin with its name. */
export async function fillSearched(
  broker: Broker,
  transport: Transport,
  queue: string,
  count: number,
): Promise<void> {
  await broker.createQueue(queue);
  const sender = transport.createSender(queue);
  for (let first = 0; first < count; first += batchSize) {
    const ids = Array.from({ length: batchSize }, (_, index) => first + index);
    await sender.send(
      ids.map((id) => ({
        body: new TextEncoder().encode(`{"id":${id}}`),
        messageId: `${queue}-${id}`,
        contentType: "application/json",
        applicationProperties: { tenant: `tenant-${id % 7}` },
      })),
    );
  }
}
