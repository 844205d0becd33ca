/** A started timer. */
export interface Timer {
  /** Keeps the callback from running; harmless when it has run. */
  cancel(): void;
  /** Lets the process end although the callback has not run; does nothing where there is no process. */
  unref(): void;
}

/**
 * Where waybill takes its time from: lock renewal, waiting and back-off go by it. A transport brings its own when its broker has a
 * clock that tests advance; otherwise the system's is used.
 */
export interface Scheduler {
  /** Milliseconds since 1970 UTC by the wall clock, which may be stepped. For instants. */
  now(): number;
  /** Milliseconds that pass whatever is done to the wall clock, from any origin. For durations. Default: `now`. */
  steadyNow?(): number;
  /** Calls `run` once after `delayMs` milliseconds. */
  schedule(delayMs: number, run: () => void): Timer;
}

/** The system clock with the platform's timers. */
export const systemScheduler: Scheduler = Object.freeze({
  now: () => Date.now(),
  steadyNow: () => Math.floor(performance.now()),
  schedule(delayMs: number, run: () => void): Timer {
    const timer: unknown = setTimeout(run, Math.min(Math.max(delayMs, 0), longestTimerMs));
    return {
      cancel: () => clearTimeout(timer as ReturnType<typeof setTimeout>),
      // Node's timers are objects, a browser's are numbers.
      unref: () => (timer as { unref?: () => void }).unref?.(),
    };
  },
});

/** The present moment for durations, which a step of the wall clock neither shortens nor lengthens. */
export function steadyNow(scheduler: Scheduler): number {
  return scheduler.steadyNow?.() ?? scheduler.now();
}

/** The platform's timers hold 31 bits and fire at once beyond that. */
export const longestTimerMs = 2 ** 31 - 1;
