import { workerData } from "node:worker_threads";
import type { Limits } from "./test-runs.js";

// A thread beside the tests: ends their process if one of them computes for too long. Other processes, however busy, do not count.

const { tests, limits } = workerData as { readonly tests: Int32Array; readonly limits: Limits };
let test = -1;
let usedBeforeMs = 0;
setInterval(() => {
  if (test !== Atomics.load(tests, 0)) {
    test = Atomics.load(tests, 0);
    usedBeforeMs = usedMs();
  } else if (usedMs() - usedBeforeMs > limits.busyMs) process.kill(process.pid, "SIGKILL");
}, 500);

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
