import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";

// The process behind the suite `azure`: a broker in memory on the network, started with `--expose-gc`. It tells its connection string, and
// then makes its queues ready when told.

/** What the bench asks of it: queues to be emptied, queues to hold so many messages, and no garbage left from before. */
export interface ReadyRequest {
  readonly purge: readonly string[];
  readonly fill: Readonly<Record<string, number>>;
  readonly body: string;
}

const lockDurationMs = 300_000;
const broker = createBroker();
for (const queue of ["raw", "waybill", "raw-sink", "waybill-sink"]) {
  await broker.createQueue(queue, { lockDurationMs, maxSizeInMegabytes: 81_920 });
}
const server = await serve(broker, { port: 0 });

process.on("message", async ({ purge, fill, body }: ReadyRequest) => {
  for (const queue of purge) await broker.purge(queue);
  for (const [queue, count] of Object.entries(fill)) await fillUp(queue, count, Buffer.from(body));
  gc?.();
  process.send?.("ready");
});
process.on("disconnect", () => process.exit());
process.send?.(server.connectionString);

async function fillUp(queue: string, count: number, bytes: Uint8Array): Promise<void> {
  const message = { contentType: "application/json", body: { section: "data", bytes } } as const;
  const missing = count - broker.getEntity(queue).activeMessageCount;
  for (let sent = 0; sent < missing; sent += 100) {
    await broker
      .sender(queue)
      .sendBatch(Array.from({ length: Math.min(100, missing - sent) }, () => message));
  }
}
