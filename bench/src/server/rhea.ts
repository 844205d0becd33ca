import type { Line, Probe } from "../harness/probe.js";
import type { RabbitMq } from "./rabbitmq.js";
import { connectRhea, receiveWithRhea, sendWithRhea } from "./rhea-client.js";
import { roundTripUs } from "./round-trip.js";
import { openServers, type Server } from "./start-server.js";

const messages = 20_000;
const roundTrips = 1_000;

/** What a client made of rhea gets, in memory against RabbitMQ: throughput and round trips. */
export function withRhea(rabbitMq: RabbitMq | undefined): Probe | readonly Probe[] {
  if (rabbitMq === undefined) return [];
  const line = (what: string, unit: "rate" | "time", figure: string, target: number): Line => ({
    name: `rhea client: ${what}`,
    ...{ unit, subject: "waybill", baseline: "rabbitMq", figure, target },
  });
  return {
    rounds: () => 5,
    warmUps: 1,
    lines: [
      line("send, against RabbitMQ's quorum queue", "rate", "sendUs", 1.25),
      line("receive, against RabbitMQ's quorum queue", "rate", "receiveUs", 1.7),
      line("round trip p50, against RabbitMQ's transient queues", "time", "roundTripUs", 0.75),
    ],
    open: () => openServers(["waybill"], rabbitMq, (server) => () => run(server)),
  };
}

async function run(server: Server) {
  const connection = await connectRhea(server.port);
  const queue = server.address("orders");
  const sendMs = await sendWithRhea(connection, queue, messages);
  const receiveMs = await receiveWithRhea(connection, queue, messages);
  connection.close();
  return {
    sendUs: (sendMs * 1000) / messages,
    receiveUs: (receiveMs * 1000) / messages,
    roundTripUs: await roundTripUs(server, roundTrips),
  };
}
