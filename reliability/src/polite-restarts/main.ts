import { ServiceBusClient } from "@azure/service-bus";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import { percentile } from "waybill-harness/figures.js";
import { newSeed, readOptions } from "waybill-harness/options.js";
import { randomFrom } from "waybill-harness/random.js";
import { pause, until } from "waybill-harness/waiting.js";
import { Journal } from "../ledger/journal.js";
import { Ledger } from "../ledger/ledger.js";
import { absent, sentState } from "../ledger/lines.js";
import { conclude } from "../ledger/verdict.js";
import { openRelay } from "../network/relay.js";

// Restarts a broker server again and again, closing its connections in an orderly way, under a session processor and many senders. After each
// restart it measures when every acknowledged message is handled and every pending send is done; then the next restart begins. Exits with 1 when
// a message is lost, something stalls for too long, or an error occurs that a restart does not explain.

const { restarts, senders, sessions, stall, seed } = readOptions({
  restarts: 200,
  senders: 50,
  sessions: 20,
  stall: 5000,
  seed: newSeed(),
});
const random = randomFrom(seed);

/** Error codes that a restart may cause; applications retry these. */
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
const relay = await openRelay(server.port, () => (random(2) === 0 ? 0 : random(600)));
const serviceBusClient = new ServiceBusClient(
  server.connectionString.replace(`:${server.port}`, `:${relay.port}`),
  { retryOptions: azureRetryOptions },
);
const transport = azureTransport(serviceBusClient);
const client = new WaybillClient(transport, { serializer: json() });

const ledger = new Ledger();
const journal = new Journal((line) => ledger.take(line));
const recoveriesMs: number[] = [];
let [silenceMs, lastHandledAt, isOver] = [0, performance.now(), false];

client.subscribeSessions<string>(
  "orders",
  {
    processMessage({ body }) {
      const now = performance.now();
      silenceMs = Math.max(silenceMs, now - lastHandledAt);
      lastHandledAt = now;
      journal.got("orders", body);
      // Whether the broker hears of it is open.
      journal.begin("handle", [[`orders/${body}`, absent]]);
    },
    processError: ({ error }) => journal.error(error),
  },
  { maxConcurrentSessions: sessions, sessionIdleTimeoutInMs: 2_000 },
);
console.log(`polite-restarts: ${restarts} restarts, ${senders} senders, ${sessions} sessions, seed ${seed}`);
const startedAt = Date.now();
/** When each sender began with the message that it is sending; undefined while it pauses. */
const sendingSince: (number | undefined)[] = Array.from({ length: senders }, () => startedAt);
const sending = sendingSince.map((_, index) => send(index));
await recovered(startedAt);
for (let restart = 1; restart <= restarts; restart++) {
  await pause(50 + random(300));
  await restartServer();
  const upAt = Date.now();
  recoveriesMs.push((await recovered(upAt)) - upAt);
  if (restart % 20 === 0)
    console.log(`${restart} restarts, slowest ${Math.max(...recoveriesMs).toFixed(0)} ms`);
}
isOver = true;
await Promise.all(sending);
await recovered(Date.now());
await client.close();
await transport.close();
await serviceBusClient.close();
relay.close();
await server.close();
await broker.close();

const slow = recoveriesMs.filter((ms) => ms > stall).length;
const violations = ledger.violations();
violations.push(...ledger.errors.filter((code) => !expectedCodes.has(code)).map((code) => `error ${code}`));
violations.push(...Array.from(ledger.pending.keys(), (thing) => `${thing} was never handled`));
if (slow > 0) violations.push(`${slow} restarts took more than ${stall} ms`);
for (const line of ledger.summary()) console.log(line);
const at = (percent: number) => percentile(recoveriesMs, percent).toFixed(0);
console.log(
  `${restarts} clean restarts: all clients working after ${at(50)} ms (median), ${at(95)} ms (p95), ${at(100)} ms (max); ` +
    `longest time without a message ${silenceMs.toFixed(0)} ms`,
);
conclude(violations, "No message was lost", seed);

async function restartServer(): Promise<void> {
  const { port } = server;
  await server.close();
  server = await serve(broker, { port, keys });
}

/** Waits until what was acknowledged before is handled and every sender has sent since, for two minutes at most; returns when that was. */
async function recovered(since: number): Promise<number> {
  await until(() => !isPending(since), 120_000, 5);
  return Date.now();
}

/** In the end, everything must be handled, and nobody sends. */
function isPending(since: number): boolean {
  if (isOver) return ledger.pending.size > 0;
  const isBefore = (at: number | undefined) => at !== undefined && at <= since;
  return Array.from(ledger.pending.values()).some(isBefore) || sendingSince.some(isBefore);
}

/** Sends one message after the other, trying again what failed, as applications do. */
async function send(index: number): Promise<void> {
  const sender = client.createSender("orders");
  for (let n = 0; !isOver; n++) {
    const body = `${index}-${n}`;
    const message = { body, sessionId: `session ${random(sessions)}` };
    sendingSince[index] = Date.now();
    while (!(await isSent(body, () => sender.sendMessages(message)))) await pause(20);
    sendingSince[index] = undefined;
    await pause(500 + random(500));
  }
}

async function isSent(body: string, act: () => Promise<void>): Promise<boolean> {
  try {
    await journal.attempt("send", [[`orders/${body}`, sentState]], act);
    return true;
  } catch (error) {
    journal.error(error);
    return false;
  }
}
