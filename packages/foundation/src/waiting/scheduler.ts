/** A started timer. */
export interface Timer {
  /** Prevents the callback from running; does nothing when it has run. */
  cancel(): void;
  /** Lets the process exit before the callback has run; does nothing in a browser. */
  unref(): void;
}

/**
 * The clock and timers of waybill, used for lock renewal, waiting and delays. A transport provides its own if its broker has a clock that
 * tests advance; otherwise the system's is used.
 */
export interface Scheduler {
  /** Milliseconds since 1970 UTC by the wall clock, which may be changed. For instants. */
  now(): number;
  /** Milliseconds of a monotonic clock with any origin, independent of the wall clock. For durations. Default: `now`. */
  steadyNow?(): number;
  /** Calls `run` once after `delayMs` milliseconds. */
  schedule(delayMs: number, run: () => void): Timer;
}

/** The system clock with the platform's timers. */
export const systemScheduler: Scheduler = Object.freeze({
  now: () => Date.now(),
  steadyNow: () => Math.floor(performance.now()),
  schedule(delayMs: number, run: () => void): Timer {
    const timer: unknown = setTimeout(run, Math.min(Math.max(delayMs, 0), maxTimerMs));
    return {
      cancel: () => clearTimeout(timer as ReturnType<typeof setTimeout>),
      // Node's timers are objects, a browser's are numbers.
      unref: () => (timer as { unref?: () => void }).unref?.(),
    };
  },
});

/** The current time for measuring durations, unaffected by changes of the wall clock. */
export function steadyNowOf(scheduler: Scheduler): number {
  return scheduler.steadyNow?.() ?? scheduler.now();
}

/** The platform's timers accept 31 bits and fire at once beyond that. */
export const maxTimerMs = 2 ** 31 - 1;
