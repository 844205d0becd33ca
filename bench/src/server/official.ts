import type { Line, Probe } from "../harness/probe.js";
import { type OfficialClient, openOfficialClient } from "./official-client.js";
import { type NodeServer, openServers } from "./start-server.js";

/**
 * In an order that empties the queue. Where the client takes all of a core whatever serves it, a faster server cannot show in the rate: there the
 * rate must not be lower, and what the server spends on a message must be less.
 */
const operationTexts: Readonly<Record<Operation, OperationLines>> = {
  send: { text: "send, 32 in flight", count: 6_400, rate: 0.9, cpu: 0.8 },
  sendBatches: { text: "send batches of 100", count: 12_800, rate: 0.9, cpu: 1.1 },
  receive: {
    text: "receive 100, complete in parallel",
    count: 6_400,
    rate: 1.1,
    cpu: 0.4,
    shortfall: { reason: "the client takes all of a core, and the server a fifth of that" },
  },
  subscribe: { text: "subscribe with 32 calls", count: 12_800, rate: 0.9, cpu: 0.5 },
};

type Operation = "send" | "sendBatches" | "receive" | "subscribe";
interface OperationLines extends Pick<Line, "shortfall"> {
  readonly text: string;
  /** How many messages. */
  readonly count: number;
  /** The targets. */
  readonly rate: number;
  readonly cpu: number;
}
const operations = Object.keys(operationTexts) as Operation[];

/** What an operation reaches beside the same client on the rhea server, and what it costs the server. */
function linesOf(operation: Operation): Line[] {
  const { text, rate, cpu, shortfall } = operationTexts[operation];
  const name = `official client: ${text}`;
  const sides = { subject: "waybill", baseline: "rhea" };
  return [
    {
      name: `${name}, against the rhea server`,
      ...{ unit: "rate", ...sides, figure: operation, target: rate, shortfall },
    },
    {
      name: `${name}: the server's CPU over the rhea server's`,
      ...{ unit: "time", ...sides, figure: `${operation} cpu`, target: cpu },
    },
    {
      name: `${name}: the server's CPU over the client's`,
      ...{ unit: "figure", subject: "waybill", figure: `${operation} share`, target: 0.5 },
    },
  ];
}

/** The disk's syncs decide the rate, so both sides write to the same disk, and to the same store. */
const durable: readonly Line[] = (["send", "receive"] as const).map((operation) => ({
  name: `official client: ${operationTexts[operation].text}, durable, against the durable rhea server`,
  ...{ unit: "rate", subject: "waybill-durable", baseline: "rhea-durable", figure: operation, target: 0.9 },
}));

/**
 * What users of the official client get, beside the same client on the rhea server, and what it costs the server. All servers run at
 * once, each for itself, and do one round after the other; the client is one process with a connection to each. A collection is not
 * forced between rounds: V8 then throws compiled code away, and both sides are slower by a third. The number of rounds is even, because a server
 * that was idle for the round of the others collects its garbage in another operation than one that has just done a round itself.
 */
export const official: Probe = {
  rounds: () => 16,
  warmUps: 5,
  lines: [...operations.flatMap(linesOf), ...durable],
  async open() {
    const clients: OfficialClient[] = [];
    const servers = await openServers(
      ["waybill", "rhea", "waybill-durable", "rhea-durable"],
      undefined,
      async (server) => {
        const client = openOfficialClient(server);
        clients.push(client);
        return () => run(server as NodeServer, client);
      },
    );
    return {
      ...servers,
      async close() {
        for (const client of clients) await client.close();
        await servers.close?.();
      },
    };
  },
};

/** Of each operation the microseconds per message, those of the server's CPU, and the server's CPU time over the client's. */
async function run(server: NodeServer, client: OfficialClient): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const operation of operations) {
    const { count } = operationTexts[operation];
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
    figures[`${operation} cpu`] = serverUs / count;
    figures[`${operation} share`] = serverUs / (user + system);
  }
  return figures;
}
