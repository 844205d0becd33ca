import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { createPipeline, type EncodedMessage } from "@waybill/core";
import { required } from "@waybill/foundation";
import { type Census, takeCensus } from "@waybill/migration/census";
import { parseCensus } from "@waybill/migration/tools";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localCatalog, localTransport } from "@waybill/transport-local";
import { newSeed, readOptions } from "waybill-harness/options.js";
import { randomFrom } from "waybill-harness/random.js";
import { pause } from "waybill-harness/waiting.js";
import { conclude } from "../ledger/verdict.js";
import { type Ending, WaybillProcess } from "./command.js";

// Several `waybill worker` processes share a census, and then a repair, with the process that asks; all of them are killed with `kill -9` at random
// times, again and again. In the end every message must be counted once, and every dead letter delivered once: where the queue does not detect
// duplicates, only those that the repair names may have come twice.

const options = readOptions({ queues: 60, messages: 200, workers: 3, kills: 20, seed: newSeed() });
const { queues, messages, workers, kills, seed } = options;
const random = randomFrom(seed);
const pipeline = createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] });
const names = Array.from({ length: queues }, (_, index) => `orders-${index}`);
console.log(
  `crash-workers: ${queues} queues of ${messages} messages, ${workers} workers, ${kills} kills, seed ${seed}`,
);

const violations: string[] = [];
let lastId = 0;
const broker = createBroker();
const transport = localTransport(broker);
const server = await serve(broker, { port: 0 });
await broker.createQueue("jobs", { requiresSession: true, lockDurationMs: 5_000 });
for (const [index, name] of names.entries())
  await broker.createQueue(name, { lockDurationMs: 5_000, requiresDuplicateDetection: index % 2 === 1 });
const sent = new Map(names.map((name) => [name, new Set<string>()]));
for (const name of names) await send(name, messages);

let killed = 0;
for (let round = 0; killed < kills / 2; round++) await census(round);
console.log(`census: every message counted once after ${killed} kills`);
for (let round = 0; killed < kills; round++) await repair(round);
await server.close();
await transport.close();
await broker.close();
conclude(violations, "Every message was counted once, and every repair done once", seed);

async function send(queue: string, count: number): Promise<void> {
  const ids = required(sent.get(queue));
  const batch = Array.from({ length: count }, () => {
    const messageId = String(++lastId);
    ids.add(messageId);
    const contentType = ids.size % 2 === 0 ? "application/json" : "application/vnd.msgpack";
    return { ...(pipeline.serialize({ body: { messageId }, contentType }) as EncodedMessage), messageId };
  });
  await transport.createSender(queue).send(batch);
}

/** Runs a command beside the workers, and kills one of the processes after the other, until there were so many kills. */
async function whileKilling(args: readonly string[], upTo: number): Promise<Ending> {
  const start = (own: readonly string[]) => new WaybillProcess(server.connectionString, own);
  const startWorker = () => start(["worker", "--work-queue", "jobs", "--json"]);
  const running = Array.from({ length: workers }, startWorker);
  for (;;) {
    const asking = start(args);
    const ending = await killSome(asking);
    // One that was killed after it had handed over its result has done its work.
    if (ending.exitCode === null && !isWhole(ending.stdout)) continue;
    await Promise.all(running.map((worker) => worker.kill()));
    if ((ending.exitCode ?? 0) !== 0)
      violations.push(`${args[0]} ended with ${ending.exitCode}: ${ending.stderr}`);
    return ending;
  }

  /** Kills workers, until it is the turn of the one that asks. */
  async function killSome(asking: WaybillProcess): Promise<Ending> {
    while (killed < upTo) {
      const ending = await Promise.race([asking.ended, pause(1_000 + random(3_000))]);
      if (ending !== undefined) return ending;
      killed++;
      const victim = random(workers + 1);
      if (victim === workers) return await asking.kill();
      await required(running[victim]).kill();
      running[victim] = startWorker();
    }
    return await asking.ended;
  }
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function census(round: number): Promise<void> {
  const args = ["census", "--json", "--work-queue", "jobs", "--job", `census-${round}`];
  const { stdout } = await whileKilling(args, Math.ceil(kills / 2));
  const shared = parseCensus(stdout);
  const alone = await takeCensus({ transport, pipeline, catalog: localCatalog(broker) });
  const [got, expected] = [shared === undefined ? "no census" : countsOf(shared), countsOf(alone)];
  if (got !== expected) violations.push(`the census of round ${round} is ${got} instead of ${expected}`);
}

/** How many messages each place holds, by what reads them, without work items. */
function countsOf({ groups }: Census): string {
  const lines = groups
    .filter(({ isOwnRecord }) => !isOwnRecord)
    .map(
      ({ entityPath, subQueue = "", serializer, count }) =>
        `${entityPath} ${subQueue} ${serializer}: ${count}`,
    );
  return lines.sort().join("\n");
}

interface PrintedRepair {
  readonly from: string;
  readonly repaired?: { readonly resubmitted: number; readonly possibleDuplicates: readonly string[] };
}

async function repair(round: number): Promise<void> {
  for (const name of names) await deadLetterAll(name);
  const args = [
    "dead-letters",
    "repair-all",
    "--work-queue",
    "jobs",
    "--job",
    `repair-${round}`,
    "--apply",
    "--json",
  ];
  const { stdout } = await whileKilling([...args, "--wait", "200ms", "--rate", "200"], kills);
  const { queues: repairs } = JSON.parse(stdout) as { readonly queues: readonly PrintedRepair[] };
  let duplicates = 0;
  for (const [index, name] of names.entries()) {
    const repaired = repairs.find(({ from }) => from === `${name}/$DeadLetterQueue`)?.repaired;
    const expected = required(sent.get(name)).size;
    if (repaired?.resubmitted !== expected)
      violations.push(`${name}: ${repaired?.resubmitted} of ${expected} messages were repaired`);
    const arrived = await waiting(name);
    const twice = arrived.length - new Set(arrived).size;
    const named = index % 2 === 1 ? 0 : (repaired?.possibleDuplicates.length ?? 0);
    duplicates += twice;
    if (new Set(arrived).size !== expected || twice > named)
      violations.push(
        `${name}: ${arrived.length} messages of ${expected} arrived, ${named} may have come twice`,
      );
    await purge(name);
  }
  console.log(
    `repair ${round}: ${duplicates} messages came twice, each of them named; ${killed} kills so far`,
  );
}

async function deadLetterAll(queue: string): Promise<void> {
  const receiver = transport.createReceiver({ queue }, "peekLock");
  const ids = required(sent.get(queue));
  if ((await waiting(queue)).length === 0) {
    ids.clear();
    await send(queue, messages);
  }
  for (let left = ids.size; left > 0; ) {
    const batch = await receiver.receive({ maxMessages: 500, maxWaitTimeInMs: 0 });
    if (batch.length === 0) throw new Error(`${queue} has too few messages.`);
    await Promise.all(
      batch.map(({ settlement }) =>
        receiver.deadLetter(required(settlement), { deadLetterReason: "HandlerFailed" }),
      ),
    );
    left -= batch.length;
  }
  await receiver.close();
}

/** The original ids of the messages of a queue. */
async function waiting(queue: string): Promise<string[]> {
  const receiver = transport.createReceiver({ queue }, "peekLock");
  const found = await receiver.peek({ maxMessages: 2 * messages + 1_000 });
  await receiver.close();
  return found.map(({ messageId, applicationProperties }) =>
    String(applicationProperties["waybill-original-message-id"] ?? messageId),
  );
}

async function purge(queue: string): Promise<void> {
  const receiver = transport.createReceiver({ queue }, "receiveAndDelete");
  while ((await receiver.receive({ maxMessages: 500, maxWaitTimeInMs: 0 })).length > 0);
  await receiver.close();
}
