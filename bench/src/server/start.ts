import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../compare.js";
import type { RabbitMq } from "./rabbitmq.js";
import { RawClient } from "./raw-client.js";
import { connectRhea } from "./rhea-client.js";
import { limit, measureRounds, timeRatio } from "./rounds.js";
import { type Server, startServer } from "./start-server.js";

const ROUNDS = 5;
const CONNECTIONS = 50;

/** How soon a server is there, what it takes while it idles, and how it copes with many clients that come at once. */
export async function startResults(rabbitMq: RabbitMq | undefined): Promise<Result[]> {
  const idleMb: number[] = [];
  const crowdMs: number[] = [];
  const ours = async (): Promise<number> => {
    const startMs = performance.now();
    const server = await startServer("waybill");
    (await RawClient.open(server.port)).close();
    const elapsedMs = performance.now() - startMs;
    await sleep(1000);
    idleMb.push((await server.usage()).rssMb);
    crowdMs.push(await openCrowd(server));
    await server.stop();
    return elapsedMs * 1000;
  };
  const theirs = async (): Promise<number> => {
    const startMs = performance.now();
    const server = await rabbitMq!.start();
    const elapsedMs = performance.now() - startMs;
    await server.stop();
    return elapsedMs * 1000;
  };
  const { waybill, peer } = await measureRounds(
    { waybill: ours, peer: rabbitMq === undefined ? async () => Number.NaN : theirs },
    { rounds: ROUNDS, warmUps: 0 },
  );
  const milliseconds = waybill.map((us) => us / 1000);
  return [
    limit("spawn to first accepted connection, in ms", milliseconds, 250),
    ...(rabbitMq === undefined ? [] : [timeRatio("the same, against RabbitMQ", waybill, peer, 0.07)]),
    limit("idle RSS in MB", idleMb, 75),
    limit(
      `${CONNECTIONS} connections with 4 links each, all at once, in ms until the last is open`,
      crowdMs,
      2000,
    ),
  ];
}

/** Milliseconds until 50 clients, who come at once, have two senders and two receivers each. */
async function openCrowd(server: Server): Promise<number> {
  const startMs = performance.now();
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => connectRhea(server.port)));
  await Promise.all(
    connections.flatMap((connection) =>
      [1, 2].flatMap(() => [
        once(connection.open_sender("orders"), "sender_open"),
        once(connection.open_receiver("orders"), "receiver_open"),
      ]),
    ),
  );
  const elapsedMs = performance.now() - startMs;
  for (const connection of connections) connection.close();
  return elapsedMs;
}
