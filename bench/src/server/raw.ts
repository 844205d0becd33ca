import type { Line, Probe } from "../harness/probe.js";
import type { RabbitMq } from "./rabbitmq.js";
import { RawClient } from "./raw-client.js";
import { openServers, type Server } from "./start-server.js";

const messages = 30_000;
const fewInFlight = 32;
/** Fewer, because each group of those waits for the disk. */
const messagesOfFew = 6_400;

/** What the servers themselves can do: 1 KB messages to and from a client that costs next to nothing. */
export function raw(rabbitMq: RabbitMq | undefined): Probe {
  const quorum = "RabbitMQ's quorum queue";
  return {
    rounds: (asked) => Math.min(asked, 15),
    warmUps: 3,
    lines: [
      ...linesOf("in memory", "waybill", "a server that only counts frames", "counting", [0.7, 0.7]),
      ...linesOf("in memory", "waybill", "the rhea server", "rhea", [1.5, 4]),
      ...(rabbitMq === undefined
        ? []
        : [
            ...linesOf("in memory", "waybill", quorum, "rabbitMq", [4, 3]),
            ...linesOf("durable", "waybill-durable", quorum, "rabbitMq", [5, 1.5]),
          ]),
      fewLine("against in memory", "waybill", 0.75),
      fewLine("against a server that only appends to a file and syncs it", "counting-durable", 0.9),
    ],
    open: () =>
      openServers(
        ["waybill", "waybill-durable", "counting", "counting-durable", "rhea"],
        rabbitMq,
        (server) => () => run(server),
      ),
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

/** Durable sends with few messages in flight, so that each group of them waits for its sync. */
function fewLine(peer: string, baseline: string, target: number): Line {
  return {
    name: `raw client, durable: send with ${fewInFlight} in flight, ${peer}`,
    ...{ unit: "rate", subject: "waybill-durable", baseline, figure: "fewUs", target },
  };
}

async function run(server: Server) {
  const act = async (count: number, act: (client: RawClient) => Promise<number>): Promise<number> => {
    const client = await RawClient.open(server.port);
    const elapsedMs = await act(client);
    client.close();
    return (elapsedMs * 1000) / count;
  };
  const orders = server.address("orders");
  const receive = (count: number) => act(count, (client) => client.receive(orders, count));
  const sendUs = await act(messages, (client) => client.send(orders, messages));
  const receiveUs = await receive(messages);
  const fewUs = await act(messagesOfFew, (client) => client.send(orders, messagesOfFew, fewInFlight));
  await receive(messagesOfFew);
  return { sendUs, receiveUs, fewUs };
}
