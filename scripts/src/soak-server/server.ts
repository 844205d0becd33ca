import { openBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";

// The server that is killed: a broker on durable storage, on the network. Answers each message of its parent with a measurement.
// Arguments: directory, port, duration of a lock in ms. Wants `--expose-gc`, so that what it measures is not garbage.

/** What the server measures of itself after a collection. */
export interface Measurement {
  readonly heapBytes: number;
  /** The heap and what stands outside of it: buffers of messages and sockets. */
  readonly usedBytes: number;
  readonly residentBytes: number;
  /** Clients' connections, open or half-open. */
  readonly sockets: number;
  /** Messages held, in every state. */
  readonly messages: number;
}

const [directory, port, lockMs] = process.argv.slice(2) as [string, string, string];
const broker = await openBroker({ storage: await openDurableStorage(directory) });
if (broker.listEntities().length === 0) {
  const options = { lockDurationMs: Number(lockMs), maxDeliveryCount: 2000 };
  await broker.createQueue("orders", options);
  await broker.createQueue("visits", { ...options, requiresSession: true });
  await broker.createTopic("news");
  await broker.createSubscription("news", "red", options);
  await broker.createSubscription("news", "blue", options);
}
const key = { name: "soak", key: "soak", rights: ["Manage"] } as const;
const server = await serve(broker, { port: Number(port), keys: [key] });

process.on("message", () => process.send?.(measure()));
process.on("disconnect", () => process.exit());
process.send?.(server.port);

function measure(): Measurement {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    heapBytes: heapUsed,
    usedBytes: heapUsed + external,
    residentBytes: rss,
    sockets: process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length,
    messages: broker.snapshot().stores.reduce((sum, { messages }) => sum + messages.length, 0),
  };
}
