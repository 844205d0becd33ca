import type { Broker } from "@waybill/broker";
import type { Transport } from "@waybill/core";

/** How many messages the queue has that takes a while to search. */
export const searchedCount = 60_000;

const batchSize = 1_000;

/** Fills the queue `searched`. */
export async function fillSearched(broker: Broker, transport: Transport): Promise<void> {
  await broker.createQueue("searched");
  const sender = transport.createSender("searched");
  for (let first = 0; first < searchedCount; first += batchSize) {
    const ids = Array.from({ length: batchSize }, (_, index) => first + index);
    await sender.send(
      ids.map((id) => ({
        body: new TextEncoder().encode(`{"id":${id}}`),
        messageId: `searched-${id}`,
        contentType: "application/json",
        applicationProperties: { tenant: `tenant-${id % 7}` },
      })),
    );
  }
}
