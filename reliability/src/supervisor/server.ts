import type { QueueOptions } from "@waybill/broker";
import { openBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";

// The server that is killed: a broker with durable storage, on the network. Sends its port and connection string, and answers each message of its
// parent with a measurement. Arguments: directory, port, key, entities as JSON. With `--expose-gc`, it collects garbage before it measures.

/** The entities that the server creates at its first start: queues, and subscriptions of topics, by their names. */
export interface Entities {
  readonly queues?: Readonly<Record<string, QueueOptions>>;
  readonly topics?: Readonly<Record<string, Readonly<Record<string, QueueOptions>>>>;
}

/** The message that it sends when it listens. */
export interface Listening {
  readonly port: number;
  readonly connectionString: string;
}

/** A measurement of the server after a garbage collection. */
export interface Measurement {
  readonly heapBytes: number;
  /** The heap and external memory: buffers of messages and sockets. */
  readonly usedBytes: number;
  readonly residentBytes: number;
  /** Clients' connections, open or half-open. */
  readonly sockets: number;
  /** Messages held, in every state. */
  readonly messages: number;
}

const [directory, port, key, entities] = process.argv.slice(2) as [string, string, string, string];
const broker = await openBroker({ storage: await openDurableStorage(directory) });
if (broker.listEntities().length === 0) await create(JSON.parse(entities));
const server = await serve(broker, {
  port: Number(port),
  keys: [{ name: "RootManageSharedAccessKey", key, rights: ["Manage"] }],
});

process.on("message", () => process.send?.(measure()));
process.on("disconnect", () => process.exit());
process.send?.({ port: server.port, connectionString: server.connectionString } satisfies Listening);

async function create({ queues = {}, topics = {} }: Entities): Promise<void> {
  for (const [path, options] of Object.entries(queues)) await broker.createQueue(path, options);
  for (const [topic, subscriptions] of Object.entries(topics)) {
    await broker.createTopic(topic);
    for (const [name, options] of Object.entries(subscriptions))
      await broker.createSubscription(topic, name, options);
  }
}

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
