import { type Scheduler, steadyNowOf, type Timer } from "./scheduler.js";

/** One timer for many due times: it is set for the earliest of those since it last ran. */
export class DueTimer {
  readonly #scheduler: Scheduler;
  readonly #run: (nowMs: number) => void;
  readonly #isAwaited: boolean;
  #timer: Timer | undefined;
  #dueMs = Number.POSITIVE_INFINITY;

  /** `run` is called with the time by the monotonic clock. Only a timer that is awaited keeps the process alive. */
  constructor(scheduler: Scheduler, run: (nowMs: number) => void, isAwaited: boolean) {
    this.#scheduler = scheduler;
    this.#run = run;
    this.#isAwaited = isAwaited;
  }

  /** Sets it for this time by the monotonic clock, unless it is set for an earlier one. `Infinity` sets nothing. */
  set(dueMs: number): void {
    if (dueMs >= this.#dueMs) return;
    this.cancel();
    this.#dueMs = dueMs;
    this.#timer = this.#scheduler.schedule(Math.max(0, dueMs - steadyNowOf(this.#scheduler)), () => {
      this.cancel();
      this.#run(steadyNowOf(this.#scheduler));
    });
    if (!this.#isAwaited) this.#timer.unref();
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }
}
