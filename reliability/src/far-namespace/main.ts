import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { readOptions } from "waybill-harness/options.js";
import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";
import { conclude } from "../ledger/verdict.js";
import { openFarRelay } from "../network/far-relay.js";

// Lists a namespace with many topics over a slow network with the real command: each topic takes a request, so one after the other they would
// take minutes. How long it takes depends on the processor, too.

const { topics, roundtrip, seconds } = readOptions({ topics: 2_000, roundtrip: 80, seconds: 20 });
const command = new URL("../../../packages/cli/dist/bin.js", import.meta.url);
const violations: string[] = [];

const broker = createBroker();
for (let number = 0; number < topics; number++) {
  await broker.createTopic(`topic-${number}`);
  await broker.createSubscription(`topic-${number}`, "all");
}
const server = await serve(broker, { port: 0 });
const relay = await openFarRelay(server.port, roundtrip);
const connectionString = server.connectionString.replace(`:${server.port};`, `:${relay.port};`);

await list("entities list", ["entities", "list", "--json"], (lines) => lines.length === 2 * topics);
await list(
  "broker pull",
  ["broker", "pull"],
  (lines) => lines.filter((line) => /"Name": "topic-/.test(line)).length === topics,
);
await tooSlow();
relay.close();
await server.close();
await broker.close();
conclude(violations, `${topics} topics were listed`);

/** Runs one command and clocks it. */
async function list(
  name: string,
  args: readonly string[],
  isWhole: (lines: readonly string[]) => boolean,
): Promise<void> {
  relay.requests.total = 0;
  relay.requests.atOnce = 0;
  const startedAt = performance.now();
  const { code, lines } = await run(args);
  const took = (performance.now() - startedAt) / 1_000;
  console.log(
    `${name}: ${topics} topics with a round trip of ${roundtrip} ms took ${took.toFixed(1)} s, with ${relay.requests.total} requests, at most ${relay.requests.atOnce} at once`,
  );
  if (code !== 0 || !isWhole(lines))
    violations.push(`${name} ended with ${code} after ${lines.length} lines`);
  if (took > seconds) violations.push(`${name} took ${took.toFixed(1)} s, more than ${seconds} s`);
}

/** A list that takes too long says so, and which option allows more. */
async function tooSlow(): Promise<void> {
  const { code, errors } = await run(["entities", "list", "--list-timeout", "500ms"]);
  if (
    code !== 3 ||
    !errors.some((line) => line.includes("more than 0.5 seconds. --list-timeout allows more"))
  )
    violations.push(`--list-timeout ended with ${code}: ${errors.join(" ")}`);
}

async function run(args: readonly string[]) {
  const process = new SupervisedProcess({
    command: nodeCommand(command, args),
    env: { SERVICEBUS_CONNECTION_STRING: connectionString },
  });
  const code = await process.exit;
  return { code, lines: process.stdout, errors: process.stderr };
}
