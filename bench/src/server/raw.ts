import type { Line, Probe } from "../harness/probe.js";
import type { RabbitMq } from "./rabbitmq.js";
import { RawClient } from "./raw-client.js";
import { openServers, type Server } from "./start-server.js";

const messages = 30_000;

/** What the servers themselves can do: 1 KB messages to and from a client that costs next to nothing. */
export function raw(rabbitMq: RabbitMq | undefined): Probe {
  const quorum = "RabbitMQ's quorum queue";
  return {
    rounds: () => 5,
    warmUps: 1,
    lines: [
      ...linesOf("in memory", "waybill", "the rhea server", "rhea", [1.5, 4]),
      ...(rabbitMq === undefined
        ? []
        : [
            ...linesOf("in memory", "waybill", quorum, "rabbitMq", [4, 3]),
            ...linesOf("durable", "waybill-durable", quorum, "rabbitMq", [2, 1.5]),
          ]),
    ],
    open: () => openServers(["waybill", "waybill-durable", "rhea"], rabbitMq, (server) => () => run(server)),
  };
}

function linesOf(
  mode: string,
  subject: string,
  peer: string,
  baseline: string,
  [sendTarget, receiveTarget]: readonly [number, number],
): Line[] {
  const line = (what: string, figure: string, target: number): Line => ({
    name: `raw client, ${mode}: ${what}, against ${peer}`,
    ...{ unit: "rate", subject, baseline, figure, target },
  });
  return [line("send", "sendUs", sendTarget), line("receive and settle", "receiveUs", receiveTarget)];
}

async function run(server: Server) {
  const act = async (act: "send" | "receive"): Promise<number> => {
    const client = await RawClient.open(server.port);
    const elapsedMs = await client[act](server.address("orders"), messages);
    client.close();
    return (elapsedMs * 1000) / messages;
  };
  return { sendUs: await act("send"), receiveUs: await act("receive") };
}
