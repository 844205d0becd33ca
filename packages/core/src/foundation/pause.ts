import type { Scheduler, Timer } from "./scheduler.js";

/** Resolves after so many milliseconds, or when the signal aborts. */
export function pause(durationMs: number, scheduler: Scheduler, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    let timer: Timer | undefined;
    const end = () => {
      timer?.cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    signal.addEventListener("abort", end);
    timer = scheduler.schedule(durationMs, end);
  });
}
