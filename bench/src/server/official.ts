import type { Result } from "../compare.js";
import { type OfficialClient, openOfficialClient } from "./official-client.js";
import { limit, measureRounds, rateRatio } from "./rounds.js";
import { type NodeServer, startServer } from "./start-server.js";

const ROUNDS = 9;

/** In an order that empties the queue. */
const OPERATIONS = {
  send: { text: "send, 32 in inFlight", count: 6_400 },
  sendBatches: { text: "send batches of 100", count: 12_800 },
  receive: { text: "receive 100, complete in parallel", count: 6_400 },
  subscribe: { text: "subscribe with 32 calls", count: 12_800 },
} as const;

type Operation = keyof typeof OPERATIONS;
const operations = Object.keys(OPERATIONS) as Operation[];

interface Measured {
  readonly us: number;
  /** The server's CPU time over the client's. */
  readonly cpuShare: number;
}

/**
 * What users of the official client get, beside the same client on the rhea server, and what it costs the server. All servers run at
 * once, each for itself, and do one round after the other; the client is one process with a connection to each. A collection is not
 * forced between rounds: V8 then throws compiled code away, and both sides are slower by a third.
 */
export async function officialResults(): Promise<Result[]> {
  const servers: NodeServer[] = [];
  const clients: OfficialClient[] = [];
  const open = async (name: Parameters<typeof startServer>[0]): Promise<() => Promise<Figures>> => {
    const server = await startServer(name);
    servers.push(server);
    const client = await openOfficialClient(server);
    clients.push(client);
    return () => run(server, client);
  };
  try {
    const figures = await measureRounds(
      { memory: await open("waybill"), durable: await open("waybill-durable"), rhea: await open("rhea") },
      { rounds: ROUNDS, warmUps: 5 },
    );
    const us = (side: keyof typeof figures, operation: Operation) =>
      figures[side].map((round) => round[operation].us);
    return [
      ...operations.flatMap((operation) => {
        const name = `official client: ${OPERATIONS[operation].text}`;
        const shares = figures.memory.map((round) => round[operation].cpuShare);
        return [
          rateRatio(`${name}, against the rhea server`, us("memory", operation), us("rhea", operation), 1.1),
          limit(`${name}: the server's CPU over the client's`, shares, 0.5),
        ];
      }),
      rateRatio(
        "official client: send, 32 in inFlight, durable, against in memory",
        us("durable", "send"),
        us("memory", "send"),
        0.8,
      ),
    ];
  } finally {
    for (const client of clients) await client.close();
    for (const server of servers) await server.stop();
  }
}

type Figures = Record<Operation, Measured>;

async function run(server: NodeServer, client: OfficialClient): Promise<Figures> {
  const figures = {} as Figures;
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
    figures[operation] = { us: (elapsedMs * 1000) / count, cpuShare: serverUs / (user + system) };
  }
  return figures;
}
