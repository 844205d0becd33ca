import type { Result } from "../compare.js";
import type { RabbitMq } from "./rabbitmq.js";
import { connectRhea, receiveWithRhea, sendWithRhea } from "./rhea-client.js";
import { openRoundTrips } from "./round-trip.js";
import { measureRounds, rateRatio, timeRatio } from "./rounds.js";
import { type Server, startServer } from "./start-server.js";

const MESSAGES = 20_000;
const ROUND_TRIPS = 1_000;
const ROUNDS = 5;

interface Figures {
  readonly sendUs: number;
  readonly receiveUs: number;
  readonly roundTripUs: number;
}

/** What a client made of rhea gets, in memory against RabbitMQ: throughput and round trips. */
export async function rheaResults(rabbitMq: RabbitMq | undefined): Promise<Result[]> {
  if (rabbitMq === undefined) return [];
  const servers: Server[] = [];
  try {
    servers.push(await startServer("waybill"), await rabbitMq.start());
    const [ours, theirs] = await measure(servers);
    const of = (figure: keyof Figures) =>
      [ours!.map((one) => one[figure]), theirs!.map((one) => one[figure])] as const;
    return [
      rateRatio("rhea client: send, against RabbitMQ's quorum queue", ...of("sendUs"), 1.25),
      rateRatio("rhea client: receive, against RabbitMQ's quorum queue", ...of("receiveUs"), 1.7),
      timeRatio(
        "rhea client: round trip p50, against RabbitMQ's transient queues",
        ...of("roundTripUs"),
        0.75,
      ),
    ];
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function measure(servers: readonly Server[]): Promise<Figures[][]> {
  const sides = Object.fromEntries(servers.map((server) => [server.name, () => run(server)]));
  return Object.values(await measureRounds(sides, { rounds: ROUNDS }));
}

async function run(server: Server): Promise<Figures> {
  const connection = await connectRhea(server.port);
  const queue = server.address("orders");
  const sendMs = await sendWithRhea(connection, queue, MESSAGES);
  const receiveMs = await receiveWithRhea(connection, queue, MESSAGES);
  connection.close();
  const roundTrips = await openRoundTrips(server);
  const roundTripUs = await roundTrips.medianUs(ROUND_TRIPS);
  roundTrips.close();
  return { sendUs: (sendMs * 1000) / MESSAGES, receiveUs: (receiveMs * 1000) / MESSAGES, roundTripUs };
}
