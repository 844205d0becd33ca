import { readFileSync } from "node:fs";

/** How long the thread of a process's event loop has run on a processor, and how long it has waited for one; in ms. */
export interface ProcessTime {
  readonly computedMs: number;
  /** Time waiting for other processes. 0 on systems other than Linux. */
  readonly waitedMs: number;
}

/** Reads the time of a process; of this one only, elsewhere than on Linux. */
export function processTime(pid: number): ProcessTime {
  try {
    const [computed, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1").split(" ");
    return { computedMs: Number(computed) / 1e6, waitedMs: Number(waited) / 1e6 };
  } catch {
    const { user, system } = process.cpuUsage();
    return { computedMs: (user + system) / 1000, waitedMs: 0 };
  }
}
