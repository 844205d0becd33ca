import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Line, Probe } from "../harness/probe.js";
import { joinServerProgram } from "./join-program.js";
import type { RabbitMq } from "./rabbitmq.js";
import { RawClient } from "./raw-client.js";
import { connectRhea } from "./rhea-client.js";
import { type Server, startServer } from "./start-server.js";

const connectionCount = 50;
const crowd = `${connectionCount} connections with 4 links each, all at once, in ms until the last is open`;

/** How soon a server is there, what it takes while it idles, and how it copes with many clients that come at once. */
export function start(rabbitMq: RabbitMq | undefined): Probe {
  const limit = (name: string, figure: string, target: number): Line => ({
    name,
    unit: "figure",
    figure,
    target,
  });
  const peer: Line = { name: "the same, against RabbitMQ", unit: "time", target: 0.07 };
  return {
    rounds: () => 5,
    lines: [
      limit("spawn to first accepted connection, in ms", "ms", 250),
      ...(rabbitMq === undefined ? [] : [peer]),
      limit("idle RSS in MB", "idleMb", 75),
      limit(crowd, "crowdMs", 2000),
    ],
    async open() {
      const joined = await joinServerProgram();
      return {
        sides: {
          subject: () => startOurs(joined.program),
          ...(rabbitMq === undefined ? {} : { baseline: () => startTheirs(rabbitMq) }),
        },
        close: joined.remove,
      };
    },
  };
}

async function startOurs(program: URL) {
  const startMs = performance.now();
  const server = await startServer("waybill", program);
  (await RawClient.open(server.port)).close();
  const ms = performance.now() - startMs;
  await sleep(1000);
  const idleMb = (await server.usage()).rssMb;
  const crowdMs = await openCrowd(server);
  await server.stop();
  return { ms, us: ms * 1000, idleMb, crowdMs };
}

async function startTheirs(rabbitMq: RabbitMq): Promise<number> {
  const startMs = performance.now();
  const server = await rabbitMq.start();
  const elapsedMs = performance.now() - startMs;
  await server.stop();
  return elapsedMs * 1000;
}

/** Milliseconds until 50 clients, who come at once, have two senders and two receivers each. */
async function openCrowd(server: Server): Promise<number> {
  const startMs = performance.now();
  const connections = await Promise.all(
    Array.from({ length: connectionCount }, () => connectRhea(server.port)),
  );
  await Promise.all(
    connections.flatMap((connection) =>
      [1, 2].flatMap(() => [
        once(connection.open_sender("orders"), "sender_open"),
        once(connection.open_receiver("orders"), "receiver_open"),
      ]),
    ),
  );
  const elapsedMs = performance.now() - startMs;
  await Promise.all(
    connections.map((connection) => {
      connection.close();
      return once(connection, "connection_close");
    }),
  );
  return elapsedMs;
}
