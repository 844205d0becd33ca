import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";

// The process behind the suite `azure`: a broker in memory on the network. It prints its connection string, and fills its queues when told.

/** What the bench asks of it: so many messages more in a queue. */
export interface FillRequest {
  readonly queue: string;
  readonly count: number;
  readonly body: string;
}

const lockDurationMs = 300_000;

const broker = createBroker();
for (const queue of ["raw", "waybill"]) {
  await broker.createQueue(queue, { lockDurationMs, maxSizeInMegabytes: 81_920 });
  await broker.createQueue(`${queue}-sink`, { lockDurationMs, maxSizeInMegabytes: 81_920 });
}
const server = await serve(broker, { port: 0 });

process.on("message", async ({ queue, count, body }: FillRequest) => {
  const bytes = Buffer.from(body);
  const sender = broker.sender(queue);
  const message = { contentType: "application/json", body: { section: "data", bytes } } as const;
  for (let sent = 0; sent < count; sent += 100) {
    await sender.sendBatch(Array.from({ length: Math.min(100, count - sent) }, () => message));
  }
  // What was only sent is not kept.
  for (const sink of ["raw-sink", "waybill-sink"]) await broker.purge(sink);
  process.send?.("filled");
});
process.on("disconnect", () => process.exit());
process.send?.(server.connectionString);
