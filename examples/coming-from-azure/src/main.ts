import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { type HandledOrder, runProducer, startConsumer } from "./programs.js";
import { centsOf } from "./shop.js";
import { type Step, steps } from "./steps.js";

// Runs the steps from @azure/service-bus to waybill, and from JSON version 1 to Avro version 2: producers and consumers are separate
// processes, connected by a broker server. After each step it checks that every order was handled once, as it was placed.

/** How long a step may take, in milliseconds, before its orders count as lost. */
const patienceMs = 60_000;

/** How many orders are placed at a time. */
const ordersInARound = 15;

const broker = createBroker();
await broker.createQueue("orders");
await broker.createQueue("capabilities");
const keys = [{ name: "RootManageSharedAccessKey", key: "SAS_KEY_VALUE", rights: ["Manage"] }] as const;
const server = await serve(broker, { port: 0, keys });
const env = { SERVICEBUS_CONNECTION_STRING: server.connectionString };

let placed = 0;
let waiting: number[] = [];
let faults = 0;
for (const step of steps.slice(0, stepsToPlay())) faults += await play(step);
await server.close();
await broker.close();
console.log(`\n${placed} orders placed, ${faults} faults.`);
process.exitCode = faults === 0 ? 0 : 1;

/** How many steps to run: all, or the first `--steps N`. */
function stepsToPlay(): number {
  const { values } = parseArgs({ options: { steps: { type: "string" } } });
  return values.steps === undefined ? steps.length : Number(values.steps);
}

/** Runs a step and returns how many faults were counted. */
async function play(step: Step): Promise<number> {
  const handled: HandledOrder[] = [];
  const consumers = step.consumers.map((program) =>
    startConsumer(program, env, (order) => handled.push(order)),
  );
  const now = [...waiting];
  const end = performance.now() + patienceMs;
  // If consumers share the queue, each must have received some: the last one to connect needs further orders.
  do now.push(...(await place(step, ordersInARound)));
  while (performance.now() < end && !(await isRead(step, handled, now.length, end)));
  for (const consumer of consumers) await consumer.stop();
  waiting = await place({ ...step, producer: step.leftBy ?? step.producer }, step.left);
  return report(step, now, handled);
}

async function place({ producer, percent }: Step, count: number): Promise<number[]> {
  if (count === 0) return [];
  const range = [placed + 1, placed + count] as const;
  placed += count;
  const share = percent === undefined ? {} : { WRITE_NEW_PERCENT: String(percent) };
  const run = () => runProducer(producer, range, { ...env, ...share });
  await (percent === undefined ? run() : untilAllowed(run));
  return Array.from({ length: count }, (_, index) => range[0] + index);
}

/** A producer ends with an error while the guard refuses its plan: it is deployed again until every consumer has announced itself. */
async function untilAllowed(run: () => Promise<void>): Promise<void> {
  for (const end = performance.now() + patienceMs; ; await pause(200)) {
    try {
      return await run();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

function report(step: Step, ids: readonly number[], handled: readonly HandledOrder[]): number {
  const missing = ids.filter((id) => !handled.some((order) => order.id === id));
  const twice = handled.length - new Set(handled.map(({ id }) => id)).size;
  const altered = handled.filter(({ id, cents }) => cents !== centsOf(id)).length;
  const ways = [...new Set(handled.map(({ how }) => how))].sort();
  const isAsPlanned = JSON.stringify(ways) === JSON.stringify([...step.readAs].sort());
  const dead = broker.getEntity("orders").deadLetterMessageCount;
  const counts = ways.map((how) => `${handled.filter((order) => order.how === how).length} by ${how}`);
  console.log(
    `${step.name}\n  ${handled.length} orders handled: ${counts.join(", ")}; ${waiting.length} wait`,
  );
  console.log(`  ${missing.length} lost, ${twice} handled twice, ${altered} altered, ${dead} dead-lettered`);
  if (!isAsPlanned) console.log(`  expected: ${step.readAs.join(", ")}`);
  return missing.length + twice + altered + dead + (isAsPlanned ? 0 : 1);
}

/** Waits until everything was handled, and returns whether it was read in all the ways of the step. */
async function isRead(
  { readAs }: Step,
  handled: readonly HandledOrder[],
  count: number,
  end: number,
): Promise<boolean> {
  while (handled.length < count && performance.now() < end) await pause(20);
  return readAs.every((way) => handled.some(({ how }) => how === way));
}
