import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { open } from "lmdb";
import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";
import { openScratch } from "waybill-harness/waiting.js";
import { printed } from "./harness/child.js";
import type { Line, OpenSides, Probe, Shortfall, Suite } from "./harness/probe.js";
import { megabytesIn } from "./megabytes-in.js";

const program = new URL("./storage-probe.js", import.meta.url);
const slowSync = fileURLToPath(new URL("../native/slow-sync.c", import.meta.url));

/** The cost of durability: against the bare store, in disk space, in delay of the event loop and at the start. */
export const storageSuite: Suite = {
  "rate-32": () => rate(32),
  "rate-1000": () =>
    rate(1000, {
      reason: "each body is written twice: to the log, which is synced, and to the store behind it",
    }),
  delay: () => delay("delay", "send"),
  "delay-of-cycles": () => delay("delay-of-cycles", "send, receive and complete"),
  restart: () =>
    inFolder(
      [
        { name: "disk in MB for 100,000 messages of 1 KB", figure: "megabytes", target: 220 },
        {
          name: "process start to first send after kill -9 with 100,000 messages, in ms",
          figure: "ms",
          target: 600,
        },
      ],
      async (folder) => {
        await untilReady("fill", folder);
        const megabytes = megabytesIn(folder);
        return async () => ({ megabytes, ms: await untilReady("start", folder) });
      },
    ),
  "restart-of-many": () =>
    inFolder(
      [
        {
          name: "process start to first delivery after kill -9 with 1,000,000 messages of 1 KB, in ms",
          target: 2000,
          shortfall: {
            reason:
              "a million records are read, checked and made messages of, and the garbage of that is collected",
          },
        },
      ],
      async (folder) => {
        await untilReady("fill-with-many", folder);
        return () => untilReady("deliver", folder);
      },
      3,
    ),
  churn: () =>
    inFolder(
      [{ name: "disk in MB after 200,000 messages went through a queue of 1,000", target: 40 }],
      (folder) => () => printed(program, ["churn", folder]),
      1,
    ),
  "start-in-memory": () =>
    inFolder(
      [{ name: "making a broker in memory to first send, in ms", target: 20 }],
      (folder) => () => printed(program, ["start-in-memory", folder]),
    ),
};

type Limit = Omit<Line, "unit">;

/** Figures that must not exceed their targets, in a temporary folder. */
function inFolder(
  lines: readonly Limit[],
  open: (folder: string) => OpenSides["sides"][string] | Promise<OpenSides["sides"][string]>,
  rounds = 5,
): Probe {
  return {
    rounds: () => rounds,
    lines: lines.map((line) => ({ ...line, unit: "figure" })),
    async open() {
      const scratch = openScratch("bench");
      return { sides: { subject: await open(scratch.path) }, close: () => scratch[Symbol.dispose]() };
    },
  };
}

/** Sends of 1 KB, each acknowledged after its sync, against puts of 1 KB into the bare store. Both in groups. */
function rate(concurrency: number, shortfall?: Shortfall): Probe {
  const name = `durable sends of 1 KB, ${concurrency} at once, against puts into the bare store`;
  const bytes = randomBytes(1024);
  return {
    rounds: () => 5,
    warmUps: 1,
    lines: [{ name, unit: "rate", target: 0.6, shortfall }],
    async open() {
      const scratch = openScratch("bench");
      const path = join(scratch.path, "bare.mdb");
      const store = open<Buffer, number>({ path, encoding: "binary", overlappingSync: false });
      const broker = await openBroker({ storage: await openDurableStorage(join(scratch.path, "store")) });
      await broker.createQueue("orders", { maxSizeInMegabytes: 5120 });
      const sender = broker.sender("orders");
      let key = 0;
      return {
        sides: {
          async baseline() {
            const us = await timeOf(() => store.put(key++, Buffer.from(bytes)), concurrency);
            await store.clearAsync();
            return us;
          },
          async subject() {
            const us = await timeOf(() => sender.send({ body: { section: "data", bytes } }), concurrency);
            await broker.purge("orders");
            return us;
          },
        },
        async close() {
          await broker.close();
          await store.close();
          scratch[Symbol.dispose]();
        },
      };
    },
  };
}

/** Microseconds per operation, `concurrency` of them always in progress. */
async function timeOf(operation: () => Promise<unknown>, concurrency: number): Promise<number> {
  let left = concurrency * (concurrency > 100 ? 20 : 200);
  const total = left;
  const work = async () => {
    while (left-- > 0) await operation();
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: concurrency }, work));
  return ((performance.now() - start) * 1000) / total;
}

/** The delay of the event loop while each sync takes 2 ms longer. */
function delay(task: string, what: string): Probe | readonly Probe[] {
  const hasCompiler = spawnSync("gcc", ["--version"]).status === 0;
  if (!hasCompiler || process.platform !== "linux") {
    console.error("storage: skipped the delay of the event loop, which takes gcc and Linux to measure");
    return [];
  }
  const name = `event loop delay p99 in ms, 1,000 at once ${what}, syncs of +2 ms`;
  return inFolder([{ name, target: 6 }], (folder) => {
    const library = join(folder, "slow-sync.so");
    const options = ["-shared", "-fPIC", "-O2", "-o", library, slowSync, "-ldl"];
    if (spawnSync("gcc", options).status !== 0) throw new Error("gcc did not compile the slow sync.");
    let round = 0;
    return () => printed(program, [task, join(folder, String(round++))], { LD_PRELOAD: library });
  });
}

/** Milliseconds from the start of a probe until it is ready; it is killed then. */
async function untilReady(task: string, directory: string): Promise<number> {
  const start = performance.now();
  const command = nodeCommand(program, [task, directory]);
  const child = new SupervisedProcess({ command, isReadyLine: () => true });
  const ready = await child.ready;
  const elapsedMs = performance.now() - start;
  await child.kill();
  if (ready === undefined) throw new Error(`The probe "${task}" ended early.`);
  return elapsedMs;
}
