import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { makeCertificate } from "../../../packages/cli/dist/certificate/make-certificate.js";
import { keys } from "./keys.js";
import { processTime } from "./process-time.js";

// The server under attack, in a separate process. Reports its port, and answers each message of its parent with its measurements since the
// last one.

/** The server's measurements since the last request. */
export interface Measurement {
  /** The maximum memory of the process. */
  readonly residentBytes: number;
  /** The maximum time for which the event loop was blocked by the server's own work, in ms, without waiting for other processes. */
  readonly stallMs: number;
  /** The same by the wall clock. */
  readonly delayMs: number;
  readonly warnings: readonly string[];
}

const lookMs = 2;

/** The memory limit of messages, in bytes. */
const messagesBytes = 512 * 2 ** 20;

const broker = createBroker({ maxMemoryInBytes: messagesBytes });
// One for each queue, so that one flood does not affect the others.
const messages = { lockDurationMs: 300_000, maxDeliveryCount: 1_000 };
for (const name of ["health", "work", "deep", "full", "spare"]) await broker.createQueue(name, messages);
await broker.createQueue("visits", { ...messages, requiresSession: true });
await broker.createTopic("news");
for (const name of ["all", "ruled"]) await broker.createSubscription("news", name, messages);
const options = { port: 0, keys: Object.values(keys), closeTimeoutMs: 500 };
const server = await serve(broker, options);
const tlsServer = await serve(broker, { ...options, tls: await makeCertificate(["localhost"]) });

await fill("spare", 20_000, 2_000);
await fill("deep", 20_000, 500);

let warnings: string[] = [];
process.on("warning", (warning) => warnings.push(String(warning)));
let residentBytes = 0;
let stallMs = 0;
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
look(performance.now(), computedMs());

process.on("message", (order: string) => {
  if (order === "empty") void empty();
  else if (order === "deep") void deepen();
  else process.send?.(measure());
});
process.on("disconnect", () => process.exit());
process.send?.([server.port, tlsServer.port]);

/** Measures the time until the event loop's next turn, and how much of it was spent computing. */
function look(beforeMs: number, computedBeforeMs: number): void {
  setTimeout(() => {
    const nowMs = performance.now();
    stallMs = Math.max(stallMs, Math.min(nowMs - beforeMs - lookMs, computedMs() - computedBeforeMs));
    residentBytes = Math.max(residentBytes, process.memoryUsage.rss());
    look(performance.now(), computedMs());
  }, lookMs);
}

function computedMs(): number {
  return processTime(process.pid).computedMs;
}

function measure(): Measurement {
  const measurement = { residentBytes, stallMs, delayMs: delays.max / 1e6, warnings };
  residentBytes = process.memoryUsage.rss();
  stallMs = 0;
  warnings = [];
  delays.reset();
  return measurement;
}

/** Fills a queue with messages that nobody has locked. */
async function deepen(): Promise<void> {
  await broker.purge("deep");
  await fill("deep", 110_000, 10);
  process.send?.("filled");
}

async function fill(path: string, count: number, bytes: number): Promise<void> {
  const one = { body: { section: "data", bytes: new Uint8Array(bytes) } } as const;
  const batch = Array.from({ length: 1_000 }, () => one);
  for (let sent = 0; sent < count; sent += batch.length) await broker.sender(path).sendBatch(batch);
}

/** Removes what a flood left, so that the next one begins in the same state. */
async function empty(): Promise<void> {
  for (const path of ["work", "full", "visits", "news/Subscriptions/all", "news/Subscriptions/ruled"]) {
    await broker.purge(path);
  }
  for (const { name } of broker.listRules("news", "ruled")) {
    if (name !== "$Default") await broker.deleteRule("news", "ruled", name);
  }
  process.send?.("emptied");
}
