import { execFile, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { open } from "lmdb";
import { type Result, spread } from "./compare.js";
import { chooseParts } from "./parts.js";

const run = promisify(execFile);
const probe = fileURLToPath(new URL("./storage-probe.js", import.meta.url));
const slowSync = fileURLToPath(new URL("../native/slow-sync.c", import.meta.url));
const suite = "storage";
const rounds = 5;

/**
 * What durability costs: against the bare store, in disk space, in delay of the event loop and at the start. One part of it, or all. Throws
 * `TypeError` for a part that there is not.
 */
export async function storageResults(part?: string): Promise<Result[]> {
  const root = mkdtempSync(join(tmpdir(), "waybill-bench-"));
  const parts = {
    "rate-32": () => rateResults(join(root, "rate-32"), 32),
    "rate-1000": () => rateResults(join(root, "rate-1000"), 1000),
    delay: () => delayResults(root, "delay", "send"),
    "delay-of-cycles": () => delayResults(root, "delay-of-cycles", "send, receive and complete"),
    restart: () => fullStoreResults(join(root, "full")),
    churn: () => churnResults(join(root, "churn")),
    "start-in-memory": () => memoryStartResults(root),
  };
  try {
    const results: Result[] = [];
    for (const measure of chooseParts(suite, parts, part)) results.push(...(await measure()));
    return results;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Sends of 1 KB, each acknowledged after its sync, against puts of 1 KB into the bare store. Both in groups, round by round in turn. */
async function rateResults(directory: string, concurrency: number): Promise<Result[]> {
  console.error(`${suite}: ${concurrency} at once against the bare store`);
  const bytes = randomBytes(1024);
  const store = open<Buffer, number>({
    path: join(directory, "bare.mdb"),
    encoding: "binary",
    overlappingSync: false,
  });
  const broker = await openBroker({ storage: await openDurableStorage(join(directory, "store")) });
  await broker.createQueue("orders", { maxSizeInMegabytes: 5120 });
  const sender = broker.sender("orders");
  let key = 0;
  const put = () => store.put(key++, Buffer.from(bytes));
  const send = () => sender.send({ body: { section: "data", bytes } });
  await rate(put, concurrency);
  await rate(send, concurrency);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const bareFirst = round % 2 === 0;
    const first = await rate(bareFirst ? put : send, concurrency);
    const second = await rate(bareFirst ? send : put, concurrency);
    ratios.push(bareFirst ? second / first : first / second);
    await broker.purge("orders");
    await store.clearAsync();
  }
  await broker.close();
  await store.close();
  const name = `durable sends of 1 KB, ${concurrency} at once, against puts into the bare store`;
  return [{ suite, name, ...spread(ratios), target: 0.6, bound: "at-least" }];
}

/** Operations per second, `concurrency` of them always in progress. */
async function rate(operation: () => Promise<unknown>, concurrency: number): Promise<number> {
  let left = concurrency * (concurrency > 100 ? 20 : 200);
  const total = left;
  const work = async () => {
    while (left-- > 0) await operation();
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: concurrency }, work));
  return (total * 1000) / (performance.now() - start);
}

/** How late the event loop is while syncs take 2 ms longer than they do. */
async function delayResults(root: string, task: string, what: string): Promise<Result[]> {
  const library = join(root, "slow-sync.so");
  if (spawnSync("gcc", ["-shared", "-fPIC", "-O2", "-o", library, slowSync, "-ldl"]).status !== 0) {
    console.error(`${suite}: skipped the delay of the event loop, which takes gcc and Linux to measure`);
    return [];
  }
  console.error(`${suite}: delay of the event loop with slow syncs, 1,000 at once ${what}`);
  const delays: number[] = [];
  for (let round = 0; round < rounds; round++) {
    delays.push(await figure(task, join(root, `${task}-${round}`), { LD_PRELOAD: library }));
  }
  const name = `event loop delay p99 in ms, 1,000 at once ${what}, syncs of +2 ms`;
  return [{ suite, name, ...spread(delays), target: 6, bound: "at-most" }];
}

async function fullStoreResults(directory: string): Promise<Result[]> {
  console.error(`${suite}: 100,000 messages, killed and started again`);
  await untilReady("fill", directory);
  const size = statSync(join(directory, "store.mdb")).size / 1e6;
  const starts: number[] = [];
  for (let round = 0; round < rounds; round++) starts.push(await untilReady("start", directory));
  return [
    {
      suite,
      name: "disk in MB for 100,000 messages of 1 KB",
      ...spread([size]),
      target: 220,
      bound: "at-most",
    },
    {
      suite,
      name: "process start to first send after kill -9 with 100,000 messages, in ms",
      ...spread(starts),
      target: 600,
      bound: "at-most",
    },
  ];
}

async function churnResults(directory: string): Promise<Result[]> {
  console.error(`${suite}: 200,000 messages through a queue of 1,000`);
  const size = await figure("churn", directory);
  const name = "disk in MB after 200,000 messages went through a queue of 1,000";
  return [{ suite, name, ...spread([size]), target: 40, bound: "at-most" }];
}

async function memoryStartResults(root: string): Promise<Result[]> {
  console.error(`${suite}: start in memory`);
  const starts: number[] = [];
  for (let round = 0; round < rounds; round++) starts.push(await figure("start-in-memory", root));
  const name = "making a broker in memory to first send, in ms";
  return [{ suite, name, ...spread(starts), target: 20, bound: "at-most" }];
}

async function figure(task: string, directory: string, environment: NodeJS.ProcessEnv = {}): Promise<number> {
  const env = { ...process.env, ...environment };
  const { stdout } = await run(process.execPath, [probe, task, directory], { env });
  return Number(stdout);
}

/** Milliseconds from the start of a probe to its being ready; it is killed then. */
async function untilReady(task: string, directory: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [probe, task, directory], { stdio: ["ignore", "pipe", "inherit"] });
  const exit = new Promise((resolve) => child.once("exit", resolve));
  await Promise.race([
    new Promise((resolve) => child.stdout.once("data", resolve)),
    exit.then(() => Promise.reject(new Error(`The probe "${task}" ended early.`))),
  ]);
  const elapsedMs = performance.now() - start;
  child.kill("SIGKILL");
  await exit;
  return elapsedMs;
}
