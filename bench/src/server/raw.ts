import type { Line, Probe } from "../harness/probe.js";
import type { RabbitMq } from "./rabbitmq.js";
import { RawClient } from "./raw-client.js";
import { openServers, type Server } from "./start-server.js";

const messages = 30_000;
const fewInFlight = 32;
/** Fewer, because each group of those waits for the disk. */
const messagesOfFew = 6_400;

type Goal = Pick<Line, "target" | "shortfall">;

const cycle = "a message is kept, locked and settled, not only counted";
const syncs = "the disk's sync decides";
const writtenTwice =
  "a message passes AMQP and the engine, and is written to the log and to the store behind it";
const besideSync = "a message passes AMQP and the engine, too, and syncs differ from each other by half";

/** What the servers themselves can do: 1 KB messages to and from a client that costs next to nothing. */
export function raw(rabbitMq: RabbitMq | undefined): Probe {
  const quorum = "RabbitMQ's quorum queue";
  return {
    rounds: (asked) => Math.min(asked, 15),
    warmUps: 3,
    lines: [
      ...linesOf("in memory", "waybill", "a server that only counts frames", "counting", [
        { target: 0.7, shortfall: { reason: cycle } },
        { target: 0.7, shortfall: { reason: cycle } },
      ]),
      ...linesOf("in memory", "waybill", "the rhea server", "rhea", [{ target: 1.5 }, { target: 4 }]),
      ...(rabbitMq === undefined
        ? []
        : [
            ...linesOf("in memory", "waybill", quorum, "rabbitMq", [{ target: 4 }, { target: 3 }]),
            ...linesOf("durable", "waybill-durable", quorum, "rabbitMq", [
              { target: 5, shortfall: { mustHold: 2, reason: writtenTwice } },
              { target: 1.5 },
            ]),
          ]),
      fewLine("against in memory", "waybill", {
        target: 0.75,
        shortfall: { reason: syncs },
      }),
      fewLine("against a server that only appends to a file and syncs it", "counting-durable", {
        target: 0.9,
        shortfall: { reason: besideSync },
      }),
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
  [send, receive]: readonly [Goal, Goal],
): Line[] {
  const line = (what: string, figure: string, goal: Goal): Line => ({
    name: `raw client, ${mode}: ${what}, against ${peer}`,
    ...{ unit: "rate", subject, baseline, figure, ...goal },
  });
  return [line("send", "sendUs", send), line("receive and settle", "receiveUs", receive)];
}

/** Durable sends with few messages in flight, so that each group of them waits for its sync. */
function fewLine(peer: string, baseline: string, goal: Goal): Line {
  return {
    name: `raw client, durable: send with ${fewInFlight} in flight, ${peer}`,
    ...{ unit: "rate", subject: "waybill-durable", baseline, figure: "fewUs", ...goal },
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
