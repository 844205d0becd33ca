import { parseArgs } from "node:util";
import { fullRound } from "./plan.js";

/** The transport: inside the process, or over AMQP with the official SDK and a server. */
export type TransportName = "local" | "azure";

const transportNames: readonly TransportName[] = ["local", "azure"];

/** The options of the command line. */
export interface JobOptions {
  readonly messageCount: number;
  readonly transport: TransportName;
  /** Of a broker that runs elsewhere; undefined for one in this process. */
  readonly connectionString: string | undefined;
  readonly isBarShown: boolean;
  readonly isHelpWanted: boolean;
}

/** What `--help` prints. */
export const usage = `Usage: npx -y pnpm@12 demo [--messages N] [--transport local|azure] [--connection-string TEXT]

Sends ${fullRound} messages through one queue of the local broker: each of 329 real GitHub webhook payloads once in JSON, Avro and
MessagePack, some of them labelled wrong, compressed or damaged. One consumer reads them through the chain
avro → json → msgpack. Every decoded value is compared with its source, every dead letter with what was planned. Then orders of
ten origins (legacy .NET, schema registries, other buses, CBOR, Protobuf, AMQP values) go through one queue, read by one chain.

  --messages N         send N messages instead, and show a progress bar
  --transport local    inside this process (default)
  --transport azure    over AMQP, through the official SDK and a server of the local broker
  --connection-string TEXT
                       with --transport azure: a broker that runs already, such as that of waybill broker; the
                       queues of the job are made there, and deleted again
  --help               print this

Exits with 1 if any count or value differs from the plan, with 2 if the command line is wrong.`;

const maxMessageCount = 10_000_000;

/** Reads the command line. Throws a `TypeError` that says what is wrong with it. */
export function parseOptions(args: readonly string[]): JobOptions {
  const { values } = parseArgs({
    // pnpm passes on the `--` that separates a script's own options.
    args: args.filter((arg) => arg !== "--"),
    options: {
      messages: { type: "string" },
      transport: { type: "string", default: "local" },
      "connection-string": { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const messageCount = values.messages === undefined ? fullRound : Number(values.messages);
  if (!Number.isInteger(messageCount) || messageCount < 1 || messageCount > maxMessageCount) {
    throw new TypeError(`--messages takes an integer from 1 to ${maxMessageCount}.`);
  }
  const transport = transportNames.find((name) => name === values.transport);
  if (transport === undefined) throw new TypeError(`--transport takes ${transportNames.join(" or ")}.`);
  const connectionString = values["connection-string"];
  if (connectionString !== undefined && transport !== "azure")
    throw new TypeError("--connection-string goes with --transport azure.");
  return {
    messageCount,
    transport,
    connectionString,
    isBarShown: values.messages !== undefined,
    isHelpWanted: values.help,
  };
}
