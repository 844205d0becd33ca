import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { order } from "./payloads.js";

// The process behind a side of the suite `azure`: a broker in memory on the network, started with `--expose-gc`. It tells its connection
// string, and then makes its queue ready when told.

/** What the bench asks of it: the queue emptied, or filled up to so many messages; and no garbage left from before. */
export interface ReadyRequest {
  readonly purge: boolean;
  readonly fill: number;
}

const lockDurationMs = 300_000;
const bytes = Buffer.from(JSON.stringify(order(2_000)));
const message = { contentType: "application/json", body: { section: "data", bytes } } as const;
const broker = createBroker();
await broker.createQueue("orders", { lockDurationMs, maxSizeInMegabytes: 81_920 });
const server = await serve(broker, { port: 0 });

process.on("message", async ({ purge, fill }: ReadyRequest) => {
  if (purge) await broker.purge("orders");
  await fillUp(fill);
  gc?.();
  process.send?.("ready");
});
process.on("disconnect", () => process.exit());
process.send?.(server.connectionString);

async function fillUp(count: number): Promise<void> {
  const missing = count - broker.getEntity("orders").activeMessageCount;
  for (let sent = 0; sent < missing; sent += 100) {
    await broker
      .sender("orders")
      .sendBatch(Array.from({ length: Math.min(100, missing - sent) }, () => message));
  }
}
