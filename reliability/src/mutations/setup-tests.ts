import { performance } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { afterEach, beforeEach, inject } from "vitest";
import { randomFrom } from "waybill-harness/random.js";

// Runs before each test file, in its process: switches one mutation on, notes which ones the tests reach, and ends the process if a test does not end.

const active = inject("mutation");
const limits = inject("limits");
const reached = new Set<number>();
Object.assign(globalThis, {
  isMutation(number: number): boolean {
    reached.add(number);
    return number === active;
  },
});

// What tests choose at random, they choose again for the same seed.
const random = randomFrom(inject("seed"));
Math.random = () => random(2 ** 30) / 2 ** 30;
fc.configureGlobal({ seed: inject("seed") });

const tests = new Int32Array(new SharedArrayBuffer(4));
let idleBeforeMs = idleMs();
beforeEach(() => {
  Atomics.add(tests, 0, 1);
  idleBeforeMs = idleMs();
});
afterEach(({ task }) => {
  if (active === undefined) task.file.meta.reached = [...reached];
});

// A test that waits for what never comes.
setInterval(() => {
  if (idleMs() - idleBeforeMs > limits.idleMs) process.kill(process.pid, "SIGKILL");
}, 500).unref();
// A loop that never ends lets only other threads run.
new Worker(new URL("./end-loops.js", import.meta.url), { workerData: { tests, limits } }).unref();

/** How long this thread has had nothing to do, which it has not while other processes keep it from running. */
function idleMs(): number {
  return performance.eventLoopUtilization().idle;
}
