import { onAbort } from "./abort-signals.js";
import type { Scheduler } from "./scheduler.js";

/** Resolves after `durationMs` milliseconds, or when the signal aborts. */
export function pause(
  durationMs: number,
  scheduler: Pick<Scheduler, "schedule">,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      timer.cancel();
      stopListening();
      resolve();
    };
    const timer = scheduler.schedule(durationMs, end);
    const stopListening = onAbort(signal, end);
  });
}
