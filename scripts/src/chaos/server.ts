import { openBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";

// The process that is killed: a broker on durable storage, served over AMQP. Arguments: directory, port, key. Prints its port when ready.

const [directory, port, key] = process.argv.slice(2) as [string, string, string];

const broker = await openBroker({ storage: await openDurableStorage(directory) });
if (!broker.listEntities().some(({ path }) => path === "work")) {
  // Every kill costs what is locked a delivery; good messages must not run out of them.
  await broker.createQueue("work", { lockDurationMs: 30_000, maxDeliveryCount: 1_000 });
}
const server = await serve(broker, {
  port: Number(port),
  keys: [{ name: "RootManageSharedAccessKey", key, rights: ["Manage"] }],
});
process.stdout.write(`${server.port}\n`);
