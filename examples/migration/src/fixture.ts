import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { createManualClock, openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import type { Pipeline } from "@waybill/core";
import { type Census, queueReadStore, takeCensus } from "@waybill/migration/census";
import { queueBeaconStore } from "@waybill/migration/plan";
import { localCatalog, localTransport } from "@waybill/transport-local";
import { Ledger } from "./ledger.js";

/** The queue of orders, and the queue of beacons and read records. */
export const orders = "orders";
const capabilities = "capabilities";

/** A day of the story: the broker on its files, and everything else that is kept between processes. */
export type Fixture = Awaited<ReturnType<typeof openFixture>>;

/** Opens the broker in a directory, at eight in the morning of a day; everything that became due meanwhile happens at once. */
export async function openFixture(directory: string, day: number) {
  const clock = createManualClock(new Date(Date.UTC(2026, 2, 1 + day, 8)));
  const broker = await openBroker({ storage: await openDurableStorage(join(directory, "broker")), clock });
  const existing = new Set(broker.listEntities().map(({ path }) => path));
  for (const queue of [orders, capabilities]) if (!existing.has(queue)) await broker.createQueue(queue);
  const transport = localTransport(broker);
  const catalog = localCatalog(broker);
  const censuses = join(directory, "censuses");
  mkdirSync(censuses, { recursive: true });

  return {
    directory,
    clock,
    now: () => new Date(clock.now()),
    broker,
    transport,
    beacons: queueBeaconStore(transport, capabilities),
    reads: queueReadStore(transport, capabilities, { lifetimeInMs: 30 * 86_400_000 }),
    ledger: new Ledger(directory),
    /** Takes a census, and keeps it with those of other days. */
    async takeCensus(pipeline: Pipeline): Promise<Census> {
      const census = await takeCensus({ transport, catalog, pipeline });
      writeFileSync(join(censuses, String(clock.now())), serialize(census));
      return census;
    },
    /** The censuses of this day and the days before. */
    earlierCensuses: () =>
      readdirSync(censuses).map((name) => deserialize(readFileSync(join(censuses, name))) as Census),
    async [Symbol.asyncDispose](): Promise<void> {
      await transport.close();
      await broker.close();
    },
  };
}
