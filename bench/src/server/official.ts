import type { Line, Probe } from "../harness/probe.js";
import { type OfficialClient, openOfficialClient } from "./official-client.js";
import { type NodeServer, openServers } from "./start-server.js";

/** In an order that empties the queue. */
const OPERATIONS = {
  send: { text: "send, 32 in flight", count: 6_400 },
  sendBatches: { text: "send batches of 100", count: 12_800 },
  receive: { text: "receive 100, complete in parallel", count: 6_400 },
  subscribe: { text: "subscribe with 32 calls", count: 12_800 },
} as const;

type Operation = keyof typeof OPERATIONS;
const operations = Object.keys(OPERATIONS) as Operation[];

/**
 * What users of the official client get, beside the same client on the rhea server, and what it costs the server. All servers run at
 * once, each for itself, and do one round after the other; the client is one process with a connection to each. A collection is not
 * forced between rounds: V8 then throws compiled code away, and both sides are slower by a third.
 */
export const official: Probe = {
  rounds: () => 9,
  warmUps: 5,
  lines: [
    ...operations.flatMap((operation): Line[] => {
      const name = `official client: ${OPERATIONS[operation].text}`;
      const subject = "waybill";
      return [
        {
          name: `${name}, against the rhea server`,
          ...{ unit: "rate", subject, baseline: "rhea", figure: operation, target: 1.1 },
        },
        {
          name: `${name}: the server's CPU over the client's`,
          ...{ unit: "figure", subject, figure: `${operation} cpu`, target: 0.5 },
        },
      ];
    }),
    {
      name: "official client: send, 32 in flight, durable, against in memory",
      ...{ unit: "rate", subject: "waybill-durable", baseline: "waybill", figure: "send", target: 0.8 },
    },
  ],
  async open() {
    const clients: OfficialClient[] = [];
    const servers = await openServers(["waybill", "waybill-durable", "rhea"], undefined, async (server) => {
      const client = await openOfficialClient(server);
      clients.push(client);
      return () => run(server as NodeServer, client);
    });
    return {
      ...servers,
      async close() {
        for (const client of clients) await client.close();
        await servers.close?.();
      },
    };
  },
};

/** Of each operation the microseconds per message, and the server's CPU time over the client's. */
async function run(server: NodeServer, client: OfficialClient): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const operation of operations) {
    const { count } = OPERATIONS[operation];
    const before = {
      server: (await server.usage()).cpuUs,
      client: process.cpuUsage(),
      ms: performance.now(),
    };
    await client[operation](count);
    const elapsedMs = performance.now() - before.ms;
    const { user, system } = process.cpuUsage(before.client);
    const serverUs = (await server.usage()).cpuUs - before.server;
    figures[operation] = (elapsedMs * 1000) / count;
    figures[`${operation} cpu`] = serverUs / (user + system);
  }
  return figures;
}
