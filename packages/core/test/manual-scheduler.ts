import { setImmediate as turn } from "node:timers/promises";
import type { Scheduler } from "@waybill/foundation";

/** A scheduler whose time passes only when `pass` is called. */
export interface ManualScheduler extends Scheduler {
  /** Lets time pass, and the callbacks that are due run, one after the other with all that follows from each. */
  pass(ms: number): Promise<void>;
  /** Changes the wall clock, as an administrator does. */
  changeClock(ms: number): void;
  /** How many timers are running. */
  readonly timers: number;
}

export function manualScheduler(): ManualScheduler {
  let nowMs = 1_000_000;
  let offsetMs = 0;
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  return {
    now: () => nowMs + offsetMs,
    steadyNow: () => nowMs,
    schedule(delayMs, run) {
      const timer = { atMs: nowMs + delayMs, run };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer), unref: () => {} };
    },
    async pass(ms) {
      const endMs = nowMs + ms;
      for (;;) {
        const [next] = [...timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        timers.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        next.run();
        await turn();
      }
      nowMs = endMs;
    },
    changeClock(ms) {
      offsetMs += ms;
    },
    get timers() {
      return timers.size;
    },
  };
}
