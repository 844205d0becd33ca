/**
 * What a clock drives: an object that knows when its next timer is due and fires everything due. Times are in steady time, as from
 * `steadyNow`, so that a step of the wall clock does not move them.
 */
export interface ClockDriven {
  /** The earliest time, in ms of steady time, at which `runDue` may have work; `Infinity` if there is none. */
  readonly nextDueMs: number;
  /** Whether a caller waits for the next timer, so that it must keep the process alive. */
  readonly isAwaited: boolean;
  /** Fires every timer due at or before `steadyMs`, in order. */
  runDue(steadyMs: number): void;
  /** Called after the wall clock was stepped: timers for wall-clock times must be armed again. */
  onStep?(): void;
}

/** A broker's only source of time. */
export interface Clock {
  /** The current wall-clock time in ms since the epoch. It jumps when the wall clock is stepped. */
  now(): number;
  /**
   * How far the wall clock has been stepped since the clock was created, in ms, negative for back; as of the last `now()`. Wall-clock time
   * minus this is steady time, in which durations run. Absent for a clock that is never stepped.
   */
  readonly steppedMs?: number | undefined;
  /** Drives `driven` from now on; the returned attachment is notified of earlier due times and can be detached. */
  attach(driven: ClockDriven): ClockAttachment;
}

/** The attachment of a broker to its clock. */
export interface ClockAttachment {
  /** Called after `nextDueMs` became earlier or `isAwaited` changed. */
  reschedule(): void;
  /** Stops driving and clears its timer. */
  detach(): void;
}

/** A clock that a test moves. */
export interface ManualClock extends Clock {
  /**
   * Advances time by `ms`, firing everything that becomes due, in order and each at its own time. Throws `TypeError` for a negative or
   * non-finite number.
   */
  advance(ms: number): void;
  /** Advances time to `instant`, like `advance`. Throws `TypeError` for one in the past. */
  advanceTo(instant: Date): void;
  /**
   * Steps the wall clock by `ms`, negative for back, as an administrator or time service does. No time passes: locks and waits continue,
   * and scheduled messages follow the new wall clock. Throws `TypeError` for a non-finite number.
   */
  step(ms: number): void;
}

/** `setTimeout` accepts at most 2^31-1 ms. */
const maxTimeoutMs = 2 ** 31 - 1;
/** How often the wall clock is compared with the monotonic clock: at most, and while anything is attached, at least. */
const compareEveryMs = 1000;
/** Two clocks are never read at exactly the same moment: a smaller difference is no step. */
const toleranceMs = 25;

/** The current steady time: ms that do not change when the wall clock is stepped. For durations only. */
export function steadyNow(clock: Clock): number {
  const nowMs = clock.now();
  return nowMs - (clock.steppedMs ?? 0);
}

/** Monotonic time of the process, in ms, to measure turns of work; independent of the broker's clock. */
export function processTime(): number {
  return performance.now();
}

/**
 * The computer's clock. Durations use its monotonic clock, and times its wall clock, whichever way that is stepped. Uses one timer per
 * broker, which keeps the process alive only while a caller waits, and one that watches for steps.
 */
export function createSystemClock(): Clock {
  return new SystemClock();
}

/** Whether a clock advances by itself: the computer's clock does, a manual clock does not. */
export function isRealTime(clock: Clock): boolean {
  return clock instanceof SystemClock;
}

/**
 * A clock that starts at `start` (default: 2024-01-01T00:00:00Z) and moves only by `advance`, `advanceTo` and `step`. Throws `TypeError`
 * for an invalid date.
 */
export function createManualClock(start: Date = new Date(Date.UTC(2024, 0, 1))): ManualClock {
  let steadyMs = start.getTime();
  let steppedMs = 0;
  if (!Number.isFinite(steadyMs)) throw new TypeError("createManualClock: start is not a valid date");
  const attached = new Set<ClockDriven>();

  const runUntil = (targetMs: number): void => {
    for (;;) {
      const next = earliest(attached, targetMs);
      if (next === undefined) break;
      steadyMs = Math.max(steadyMs, next.nextDueMs);
      next.runDue(steadyMs);
    }
    steadyMs = targetMs;
  };

  return {
    now: () => steadyMs + steppedMs,
    get steppedMs() {
      return steppedMs;
    },
    attach(driven) {
      attached.add(driven);
      return { reschedule: () => {}, detach: () => void attached.delete(driven) };
    },
    advance(ms) {
      if (!(Number.isFinite(ms) && ms >= 0)) {
        throw new TypeError(`ManualClock.advance: ${ms} is not a duration in milliseconds`);
      }
      runUntil(steadyMs + ms);
    },
    advanceTo(instant) {
      const targetMs = instant.getTime() - steppedMs;
      if (!(targetMs >= steadyMs)) throw new TypeError("ManualClock.advanceTo: the instant lies in the past");
      runUntil(targetMs);
    },
    step(ms) {
      if (!Number.isFinite(ms))
        throw new TypeError(`ManualClock.step: ${ms} is not a number of milliseconds`);
      steppedMs += ms;
      for (const driven of attached) driven.onStep?.();
      runUntil(steadyMs);
    },
  };
}

function earliest(attached: Iterable<ClockDriven>, targetMs: number): ClockDriven | undefined {
  let first: ClockDriven | undefined;
  for (const driven of attached) {
    if (driven.nextDueMs <= targetMs && (first === undefined || driven.nextDueMs < first.nextDueMs))
      first = driven;
  }
  return first;
}

/**
 * Combines the computer's clocks. The wall clock is read every time; the monotonic clock only if the wall clock went back, jumped ahead, or
 * was not compared for a while. So a step is noticed at the first reading after it, unless it is smaller than that interval.
 */
class SystemClock implements Clock {
  readonly #attachments = new Set<SystemAttachment>();
  readonly #offsetMs = wallAheadOfMonotonic();
  // A field that a constructor sets is undefined before, and then each number stored in it is a new object.
  #lastMs = Date.now();
  #compareAtMs = this.#lastMs + compareEveryMs;
  #steppedMs = 0;
  #watch: NodeJS.Timeout | undefined;

  get steppedMs(): number {
    return this.#steppedMs;
  }

  now(): number {
    const nowMs = Date.now();
    if (nowMs < this.#lastMs || nowMs >= this.#compareAtMs) this.#compare(nowMs);
    this.#lastMs = nowMs;
    return nowMs;
  }

  attach(driven: ClockDriven): ClockAttachment {
    const attachment = new SystemAttachment(this, driven, () => this.#detach(attachment));
    this.#attachments.add(attachment);
    this.#watch ??= setInterval(() => this.now(), compareEveryMs).unref();
    return attachment;
  }

  #detach(attachment: SystemAttachment): void {
    this.#attachments.delete(attachment);
    if (this.#attachments.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #compare(nowMs: number): void {
    this.#compareAtMs = nowMs + compareEveryMs;
    const steppedMs = Math.round(wallAheadOfMonotonic() - this.#offsetMs);
    if (Math.abs(steppedMs - this.#steppedMs) < toleranceMs) return;
    this.#steppedMs = steppedMs;
    // Deferred, because the operation that read the clock must keep the time at which it began.
    queueMicrotask(() => {
      for (const attachment of this.#attachments) attachment.onStep();
    });
  }
}

/** Reads both clocks as closely together as possible: if the process is suspended between two readings, they would differ. */
function wallAheadOfMonotonic(): number {
  let best = { apartMs: Number.POSITIVE_INFINITY, aheadMs: 0 };
  for (let tries = 0; tries < 5 && best.apartMs > toleranceMs / 5; tries++) {
    const beforeMs = performance.now();
    const aheadMs = Date.now() - beforeMs;
    const apartMs = performance.now() - beforeMs;
    if (apartMs < best.apartMs) best = { apartMs, aheadMs };
  }
  return best.aheadMs;
}

class SystemAttachment implements ClockAttachment {
  readonly #clock: SystemClock;
  readonly #driven: ClockDriven;
  readonly #onDetached: () => void;
  #timeout: NodeJS.Timeout | undefined;
  /** In steady time, like all driven timers. */
  #armedForMs = Number.POSITIVE_INFINITY;
  #isDetached = false;

  constructor(clock: SystemClock, driven: ClockDriven, onDetached: () => void) {
    this.#clock = clock;
    this.#driven = driven;
    this.#onDetached = onDetached;
    this.reschedule();
  }

  reschedule(): void {
    if (this.#isDetached) return;
    const dueMs = this.#driven.nextDueMs;
    if (dueMs < this.#armedForMs) this.#arm(dueMs);
    if (this.#driven.isAwaited) this.#timeout?.ref();
    else this.#timeout?.unref();
  }

  detach(): void {
    this.#isDetached = true;
    clearTimeout(this.#timeout);
    this.#onDetached();
  }

  onStep(): void {
    this.#driven.onStep?.();
    this.reschedule();
  }

  #arm(dueMs: number): void {
    clearTimeout(this.#timeout);
    this.#armedForMs = dueMs;
    const delayMs = Math.min(Math.max(dueMs - steadyNow(this.#clock), 0), maxTimeoutMs);
    this.#timeout = setTimeout(() => this.#wake(), delayMs);
  }

  #wake(): void {
    this.#timeout = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
    try {
      this.#driven.runDue(steadyNow(this.#clock));
    } finally {
      this.reschedule();
    }
  }
}
