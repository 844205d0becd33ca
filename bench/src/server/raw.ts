import type { Result } from "../compare.js";
import type { RabbitMq } from "./rabbitmq.js";
import { RawClient } from "./raw-client.js";
import { measureRounds, rateRatio } from "./rounds.js";
import { type Server, startServer } from "./start-server.js";

const MESSAGES = 30_000;
const ROUNDS = 5;

interface Figures {
  readonly sendUs: number;
  readonly receiveUs: number;
}

/** What the servers themselves can do: 1 KB messages to and from a client that costs next to nothing. */
export async function rawResults(rabbitMq: RabbitMq | undefined): Promise<Result[]> {
  const servers: Server[] = [];
  try {
    for (const name of ["waybill", "waybill-durable", "rhea"] as const) servers.push(await startServer(name));
    if (rabbitMq !== undefined) servers.push(await rabbitMq.start());
    const [memory, durable, rhea, quorum] = await measure(servers);
    const results = compareBoth("in memory", memory!, "the rhea server", rhea!, [1.5, 4]);
    if (quorum === undefined) return results;
    results.push(
      ...compareBoth("in memory", memory!, "RabbitMQ's quorum queue", quorum, [4, 3]),
      ...compareBoth("durable", durable!, "RabbitMQ's quorum queue", quorum, [2, 1.5]),
    );
    return results;
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function measure(servers: readonly Server[]): Promise<Figures[][]> {
  const sides = Object.fromEntries(servers.map((server) => [server.name, () => run(server)]));
  return Object.values(await measureRounds(sides, { rounds: ROUNDS }));
}

async function run(server: Server): Promise<Figures> {
  const act = async (act: "send" | "receive"): Promise<number> => {
    const client = await RawClient.open(server.port);
    const elapsedMs = await client[act](server.address("orders"), MESSAGES);
    client.close();
    return (elapsedMs * 1000) / MESSAGES;
  };
  return { sendUs: await act("send"), receiveUs: await act("receive") };
}

function compareBoth(
  mode: string,
  ours: readonly Figures[],
  peer: string,
  theirs: readonly Figures[],
  [sendTarget, receiveTarget]: readonly [number, number],
): Result[] {
  const line = (what: string, of: (figures: Figures) => number, target: number): Result =>
    rateRatio(`raw client, ${mode}: ${what}, against ${peer}`, ours.map(of), theirs.map(of), target);
  return [
    line("send", ({ sendUs }) => sendUs, sendTarget),
    line("receive and settle", ({ receiveUs }) => receiveUs, receiveTarget),
  ];
}
