import { type Broker, createBroker, openBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";

/** Serves the queues of the bench to anyone, in memory or durable in a directory. Resolves with the port. */
export async function serveWaybill(directory?: string): Promise<number> {
  const broker = directory === undefined ? createBroker() : await openDurable(directory);
  for (const queue of ["orders", "requests", "replies"]) {
    await broker.createQueue(queue, { maxSizeInMegabytes: 81_920 });
  }
  const { port } = await serve(broker, { port: 0, acceptAnyone: true });
  return port;
}

async function openDurable(directory: string): Promise<Broker> {
  const { openDurableStorage } = await import("@waybill/broker-storage-lmdb");
  return await openBroker({ storage: await openDurableStorage(directory) });
}
