import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ServiceBusClient } from "@azure/service-bus";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { WaybillClient, WaybillError } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import { randomFrom } from "./crash/random.js";
import { openLingeringProxy } from "./polite-restarts/lingering-proxy.js";

// A broker server that closes its connections politely and comes back, again and again, under a session processor and many senders. After
// each restart it is measured when every message that had been acknowledged is handled and every send that was pending is done; then the
// next one comes. Exits with 1 when a message is lost, something stands still for too long, or an error comes that a restart does not explain.
// Usage: polite-restarts [--restarts 200] [--senders 50] [--sessions 20] [--stall 5000] [--seed n]

const { values: args } = parseArgs({
  options: {
    restarts: { type: "string", default: "200" },
    senders: { type: "string", default: "50" },
    sessions: { type: "string", default: "20" },
    stall: { type: "string", default: "5000" },
    seed: { type: "string" },
  },
});
const restarts = Number(args.restarts);
const sessions = Number(args.sessions);
const maxStallMs = Number(args.stall);
const seed = Number(args.seed ?? Date.now() % 2 ** 31);
const random = randomFrom(seed);

/** Codes of what a restart may cost an application, which then tries again. */
const expectedCodes = new Set([
  "connection-lost",
  "session-lock-lost",
  "session-cannot-be-locked",
  "timeout",
]);
const keys = [{ name: "root", key: "secret", rights: ["Manage"] }] as const;
const broker = createBroker();
await broker.createQueue("orders", { requiresSession: true, maxDeliveryCount: 2_000 });
let server = await serve(broker, { port: 0, keys });
/** Half of the connections stay for a while on the client's side. */
const proxy = await openLingeringProxy(server.port, () => (random(2) === 0 ? 0 : random(600)));
const serviceBusClient = new ServiceBusClient(
  server.connectionString.replace(`:${server.port}`, `:${proxy.port}`),
  { retryOptions: azureRetryOptions },
);
const transport = azureTransport(serviceBusClient);
const client = new WaybillClient(transport, { serializer: json() });

/** When each message that is not handled yet was acknowledged. */
const waiting = new Map<string, number>();
/** Handled before they were acknowledged. */
const early = new Set<string>();
const unexpected = new Map<string, number>();
const recoveriesMs: number[] = [];
let [sent, handled, silenceMs, lastHandledAt, isOver] = [0, 0, 0, performance.now(), false];

client.subscribeSessions<string>(
  "orders",
  {
    processMessage({ body }) {
      const now = performance.now();
      silenceMs = Math.max(silenceMs, now - lastHandledAt);
      lastHandledAt = now;
      handled += 1;
      if (!waiting.delete(body)) early.add(body);
    },
    processError: ({ error }) => note(error),
  },
  { maxConcurrentSessions: sessions, sessionIdleTimeoutInMs: 2_000 },
);
console.log(
  `polite-restarts: ${restarts} restarts, ${args.senders} senders, ${sessions} sessions, seed ${seed}`,
);
const startedAt = performance.now();
/** When each sender began with the message that it is sending; undefined while it pauses. */
const sendingSince: (number | undefined)[] = Array.from({ length: Number(args.senders) }, () => startedAt);
const sending = sendingSince.map((_, index) => send(index));
await recovered(startedAt);
for (let restart = 1; restart <= restarts; restart += 1) {
  await sleep(50 + random(300));
  await restartServer();
  const upAt = performance.now();
  recoveriesMs.push((await recovered(upAt)) - upAt);
  if (restart % 20 === 0)
    console.log(`${restart} restarts, slowest ${Math.max(...recoveriesMs).toFixed(0)} ms`);
}
isOver = true;
await Promise.all(sending);
await recovered(performance.now());
await client.close();
await transport.close();
await serviceBusClient.close();
proxy.close();
await server.close();
await broker.close();

const slow = recoveriesMs.filter((ms) => ms > maxStallMs).length;
const violations = Array.from(unexpected, ([code, times]) => `${times} errors ${code}`);
if (slow > 0) violations.push(`${slow} restarts took more than ${maxStallMs} ms`);
if (waiting.size > 0) violations.push(`${waiting.size} messages were never handled`);
for (const violation of violations) console.error(violation);
const sorted = recoveriesMs.toSorted((a, b) => a - b);
const percentile = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? 0).toFixed(0);
console.log(
  `${restarts} polite restarts in ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${sent} messages sent, ${handled} deliveries, ` +
    `${waiting.size} never handled; all going again after ${percentile(0.5)} ms (median), ${percentile(0.95)} ms (p95), ${percentile(1)} ms ` +
    `(max); longest silence ${silenceMs.toFixed(0)} ms`,
);
process.exitCode = violations.length === 0 ? 0 : 1;

async function restartServer(): Promise<void> {
  const { port } = server;
  await server.close();
  server = await serve(broker, { port, keys });
}

/** Waits until what was acknowledged before is handled and every sender has sent since, for two minutes at most; returns when that was. */
async function recovered(since: number): Promise<number> {
  while (isPending(since) && performance.now() < since + 120_000) await sleep(5);
  return performance.now();
}

/** In the end, everything must be handled, and nobody sends. */
function isPending(since: number): boolean {
  if (isOver) return waiting.size > 0;
  const isBefore = (at: number | undefined) => at !== undefined && at <= since;
  return Array.from(waiting.values()).some(isBefore) || sendingSince.some(isBefore);
}

/** Sends one message after the other, trying again what failed, as applications do. */
async function send(index: number): Promise<void> {
  const sender = client.createSender("orders");
  for (let n = 0; !isOver; n += 1) {
    const body = `${index} ${n}`;
    const message = { body, sessionId: `session ${random(sessions)}` };
    sendingSince[index] = performance.now();
    while (!(await isDone(sender.sendMessages(message)))) await sleep(20);
    sendingSince[index] = undefined;
    sent += 1;
    if (!early.delete(body)) waiting.set(body, performance.now());
    await sleep(500 + random(500));
  }
}

async function isDone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    note(error);
    return false;
  }
}

function note(error: unknown): void {
  const code = error instanceof WaybillError ? error.code : String(error);
  if (!expectedCodes.has(code)) unexpected.set(code, (unexpected.get(code) ?? 0) + 1);
}
