import { readFileSync } from "node:fs";

/** What the thread of a process's event loop has had of the processors, and how long it has waited for one; in ms. */
export interface ProcessTime {
  readonly computedMs: number;
  /** Others use this machine, too. 0 where that is not known: elsewhere than on Linux. */
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
