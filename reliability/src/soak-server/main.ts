import { join } from "node:path";
import { ServiceBusClient } from "@azure/service-bus";
import { newSeed, readOptions } from "waybill-harness/options.js";
import { pick, randomFrom } from "waybill-harness/random.js";
import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";
import { openScratch, pause, until } from "waybill-harness/waiting.js";
import { onceOnly } from "../clients/journaled.js";
import { Journal, readJournal } from "../ledger/journal.js";
import { Ledger } from "../ledger/ledger.js";
import { type Effect, sentState } from "../ledger/lines.js";
import { conclude } from "../ledger/verdict.js";
import type { Measurement } from "../supervisor/server.js";
import { SupervisedServer } from "../supervisor/supervised-server.js";
import { measureGrowth } from "./growth.js";

// Clients of the official SDK use a server with durable storage, disconnect and reconnect; the server is killed with `kill -9` and
// restarted. At the end, the script compares all messages with the journals, and checks the server's memory and sockets. Exits with 1 if
// a message is lost, delivered again after it was completed, or locked by two clients, or if something grows or hangs.

const { minutes, clients, kills, seed } = readOptions({
  minutes: 10,
  clients: 20,
  kills: 5,
  seed: newSeed(),
});
const durationMs = minutes * 60_000;

/** Locks are short, so that messages of killed clients are delivered again during the run. */
const lockMs = 5000;
/** A process with clients runs at least this long, in ms. */
const lifeMs = 3000;
const clientsPerProcess = 5;
/** Measurements over the whole run. */
const sampleCount = 60;
const mb = 2 ** 20;
const stores = ["orders", "visits", "news/red", "news/blue"];

/** Errors of clients that are defects of the server, not the result of a closed link or an expired lock. */
const defects =
  /^MessagingEntity|^UnauthorizedAccess|^QuotaExceeded|^MessageSizeExceeded|The server failed to do this|decode-error|framing-error/;

const random = randomFrom(seed);
using root = openScratch("soak");
const options = { lockDurationMs: lockMs, maxDeliveryCount: 2000 };
const server = SupervisedServer.inDirectory(join(root.path, "store"), {
  queues: { orders: options, visits: { ...options, requiresSession: true } },
  topics: { news: { red: options, blue: options } },
});
const ledger = new Ledger({ serverStarts: server.starts });
const journalFiles: string[] = [];
const violations: string[] = [];
let deaths = 0;
let isOver = false;
console.log(`soak-server: ${minutes} min, ${clients} clients, ${kills} kills, seed ${seed}`);

await server.start();
const groups = Array.from({ length: Math.ceil(clients / clientsPerProcess) }, (_, n) =>
  keepClients(Math.min(clientsPerProcess, clients - n * clientsPerProcess)),
);
// Loading the SDK is not part of the measured time.
await Promise.all(groups.map((group) => group.ready));
const startedAt = Date.now();
const samples = await soak();
isOver = true;
await Promise.all(groups.map((group) => group.stop()));
for (const file of journalFiles) ledger.read(readJournal(file), file);
await drain();
const last = await measureAtRest();
await server.kill();
report();

/** All kills are in the first half: then the last server runs long enough to show whether its memory grows. Resolves with its measurements. */
async function soak(): Promise<Measurement[]> {
  const samples: Measurement[] = [];
  const killsUntil = (step: number): number => Math.floor((step * 2 * kills) / sampleCount);
  let killedAt = startedAt;
  for (let step = 1; step <= sampleCount; step++) {
    await pause(startedAt + (durationMs * step) / sampleCount - Date.now());
    if (step <= sampleCount / 2 && killsUntil(step) > killsUntil(step - 1)) {
      await server.restart();
      samples.length = 0;
    } else samples.push(await measure());
    if (step % 3 === 0 && Date.now() > killedAt + lifeMs) {
      pick(groups, random).kill();
      killedAt = Date.now();
    }
  }
  return samples;
}

function measure(): Promise<Measurement> {
  return server.process.ask("measure");
}

/** Runs a process with clients, and starts another one when it ends. */
function keepClients(count: number) {
  const program = new URL("./clients.js", import.meta.url);
  const start = (): SupervisedProcess => {
    const journal = join(root.path, `journal-${journalFiles.length}`);
    journalFiles.push(journal);
    const { connectionString, port } = server;
    const name = `c${journalFiles.length}`;
    const parameters = [connectionString, port, lockMs, journal, random(2 ** 31), name, count];
    const child = new SupervisedProcess({ command: nodeCommand(program, parameters) });
    void child.exit.then(() => {
      violations.push(...child.findings.map((text) => `clients: ${text}`));
      if (!isOver) current = start();
    });
    return child;
  };
  let current = start();
  return {
    ready: current.ready,
    kill(): void {
      deaths++;
      void current.kill();
    },
    stop: () => current.stop("stop", 20_000),
  };
}

/** Receives all remaining messages: those that the clients did not complete. */
async function drain(): Promise<void> {
  const things: Effect[] = [];
  const sequences: [store: string, sequence: string, id: string][] = [];
  const client = new ServiceBusClient(server.connectionString, onceOnly(1000));
  // A new object for each call, since the SDK changes the options that it gets.
  const mode = () => ({ receiveMode: "receiveAndDelete" }) as const;
  const deadlineMs = Date.now() + 60_000;
  while ((await measure()).messages > 0 && Date.now() < deadlineMs) {
    for (const store of stores) {
      const [entity, subscription] = store.split("/") as [string, string?];
      const receiver =
        store === "visits"
          ? await client.acceptNextSession(entity, mode()).catch(() => undefined)
          : subscription === undefined
            ? client.createReceiver(entity, mode())
            : client.createReceiver(entity, subscription, mode());
      for (const message of (await receiver?.receiveMessages(500, { maxWaitTimeInMs: 100 })) ?? []) {
        things.push([`${store}/${message.messageId}`, sentState]);
        sequences.push([store, String(message.sequenceNumber), String(message.messageId)]);
      }
      await receiver?.close();
    }
  }
  await client.close();
  new Journal((line) => ledger.take(line)).found(things, sequences);
}

/** Closing the sockets of disconnected clients may take a moment. */
async function measureAtRest(): Promise<Measurement> {
  await until(async () => (await measure()).sockets === 0, 5000, 100);
  return await measure();
}

function report(): void {
  if (last.messages > 0) violations.push(`${last.messages} messages remain that no client receives`);
  if (last.sockets > 0) violations.push(`${last.sockets} sockets are open although all clients are closed`);
  violations.push(...server.findings, ...ledger.violations());
  console.log(`${deaths} client processes and ${server.starts.length - 1} servers killed`);
  for (const line of ledger.summary()) console.log(line);
  violations.push(...ledger.errors.filter((error) => defects.test(error)));
  compareMemory();
  if (ledger.acknowledged("complete") === 0) violations.push("no message was completed");
  conclude(violations, "No message was lost", seed);
}

/** The first third of the last server's measurements is warm-up. */
function compareMemory(): void {
  const warm = samples.slice(Math.floor(samples.length / 3));
  for (const [name, ratio, slack] of [
    ["heapBytes", 0.1, 2 * mb],
    ["usedBytes", 0.1, 4 * mb],
    ["residentBytes", 0.15, 8 * mb],
  ] as const) {
    const growth = measureGrowth(
      warm.map((sample) => sample[name]),
      { ratio, slack },
    );
    if (growth === undefined) continue;
    const [from, to] = [growth.from, growth.to].map((bytes) => (bytes / mb).toFixed(1));
    console.log(
      `${name} of the server: from ${from} MB to ${to} MB; ${(last[name] / mb).toFixed(1)} MB when idle`,
    );
    if (!growth.isFlat) violations.push(`${name} grows from ${from} MB to ${to} MB`);
  }
}
