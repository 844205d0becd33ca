import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServiceBusClient } from "@azure/service-bus";
import type { EncodedMessage } from "@waybill/core";
import { required } from "@waybill/foundation";
import { parseCensus } from "@waybill/migration/tools";
import { azureTransport } from "@waybill/transport-azure";
import { readOptions } from "waybill-harness/options.js";
import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";
import { openScratch, until } from "waybill-harness/waiting.js";

// A census that 1, 2 and 4 processes take together, of messages in many queues of `waybill broker`, in a process of its own and on disk: messages a
// second, and how much faster than one process. The one that asks works too: 4 processes are `waybill census` and 3 `waybill worker`. A broker is one
// process with one thread: where it is busy, further workers only wait for it.
// Usage: node bench/dist/shared-work.js [--messages 20000] [--entities 20] [--workers 1,2,4]

const { messages, entities, workers } = readOptions({ messages: 20_000, entities: 20, workers: "1,2,4" });
const perQueue = Math.ceil(messages / entities);
const counts = workers.split(",").map(Number);
const bin = new URL("../../packages/cli/dist/bin.js", import.meta.url);

using scratch = openScratch("shared-work");
const broker = await startBroker(scratch.path);
const env = { SERVICEBUS_CONNECTION_STRING: broker.connectionString };
await fill();
console.log(`${entities} queues of ${perQueue} messages\n\nprocesses  messages/s  times as fast as one`);
let alone: number | undefined;
for (const count of counts) {
  const rate = await measure(count);
  alone ??= rate / required(counts[0]);
  console.log(`${String(count).padStart(9)}  ${rate.toFixed(0).padStart(10)}  ${(rate / alone).toFixed(2)}`);
}
await broker.process.kill();

async function startBroker(folder: string) {
  const queue = (Name: string, RequiresSession: boolean) => ({ Name, Properties: { RequiresSession } });
  const names = Array.from({ length: entities }, (_, index) => queue(`orders-${index}`, false));
  const config = join(folder, "Config.json");
  const Namespaces = [{ Name: "bench", Queues: [queue("jobs", true), ...names] }];
  writeFileSync(config, JSON.stringify({ UserConfig: { Namespaces } }));
  const args = [
    "broker",
    "--json",
    "--port",
    0,
    "--data",
    join(folder, "data"),
    "--config",
    config,
    "--accept-anyone",
  ];
  const process = new SupervisedProcess({
    command: nodeCommand(bin, args),
    isReadyLine: (line) => JSON.parse(line).event === "ready",
  });
  await process.ready;
  const [port] = process.stdout.flatMap((line): number[] => JSON.parse(line).ports ?? []);
  const endpoint = `Endpoint=sb://localhost:${port}`;
  const connectionString = `${endpoint};SharedAccessKeyName=any;SharedAccessKey=any;UseDevelopmentEmulator=true`;
  return { process, connectionString };
}

async function fill(): Promise<void> {
  const client = new ServiceBusClient(broker.connectionString);
  const transport = azureTransport(client);
  const body = new TextEncoder().encode(JSON.stringify({ id: 1, customer: "Grace", total: 250 }));
  const order: EncodedMessage = { body, contentType: "application/json", subject: "order-placed" };
  for (let index = 0; index < entities; index++) {
    const sender = transport.createSender(`orders-${index}`);
    for (let sent = 0; sent < perQueue; sent += 500)
      await sender.send(Array.from({ length: Math.min(500, perQueue - sent) }, () => order));
    await sender.close();
  }
  await transport.close();
  await client.close();
}

/** Messages a second, from the beginning to the end of the census. */
async function measure(processes: number): Promise<number> {
  const others = Array.from({ length: processes - 1 }, () => start(["worker", "--work-queue", "jobs"]));
  for (const { stderr } of others) await until(() => stderr.some((line) => line.startsWith("Ready")));
  const asking = start(["census", "--json", "--work-queue", "jobs"]);
  await asking.exit;
  const census = required(parseCensus(asking.stdout.join("\n")));
  for (const other of others) await other.kill();
  const counted = census.groups.reduce((sum, { isOwnRecord, count }) => sum + (isOwnRecord ? 0 : count), 0);
  if (counted !== perQueue * entities) throw new Error(`${counted} messages were counted.`);
  return (counted * 1000) / (census.finishedAt.getTime() - census.startedAt.getTime());
}

function start(args: readonly string[]): SupervisedProcess {
  return new SupervisedProcess({ command: nodeCommand(bin, args), env });
}
