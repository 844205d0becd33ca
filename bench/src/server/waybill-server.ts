import { createBroker, openBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";

/** Serves the queues of the bench to anyone, in memory or durable in a directory. Resolves with the port. */
export async function serveWaybill(directory?: string): Promise<number> {
  const broker =
    directory === undefined
      ? createBroker()
      : await openBroker({ storage: await openDurableStorage(directory) });
  for (const queue of ["orders", "requests", "replies"]) {
    await broker.createQueue(queue, { maxSizeInMegabytes: 81_920 });
  }
  const { port } = await serve(broker, { port: 0, acceptAnyone: true });
  return port;
}
