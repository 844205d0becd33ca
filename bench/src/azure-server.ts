import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { order } from "./payloads.js";

// The broker process of one side of the suite `azure`: a broker server in memory, started with `--expose-gc`. It reports its connection
// string, and prepares its queue on request.

/** A request of the bench: empty the queue, or fill it up to a number of messages, and collect garbage. */
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
