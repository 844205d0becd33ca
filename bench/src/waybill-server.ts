import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";

/** Serves a queue `orders` in memory to anyone; resolves with the port. */
export async function serveWaybill(): Promise<number> {
  const broker = createBroker();
  await broker.createQueue("orders", { maxSizeInMegabytes: 81_920 });
  const { port } = await serve(broker, { port: 0, acceptAnyone: true });
  return port;
}
