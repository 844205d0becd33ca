/**
 * What a clock drives: something that knows when its next timer is due and fires everything due up to a moment. Both are in steady time,
 * as `steadyNow` has it, so that they stay where they are when the wall clock is stepped.
 */
export interface ClockDriven {
  /** The earliest moment, in ms of steady time, at which `runDue` may have work; `Infinity` when there is none. */
  readonly nextDueMs: number;
  /** Whether somebody waits for the next timer, so that the process must stay alive for it. */
  readonly isAwaited: boolean;
  /** Fires every timer due at or before `steadyMs`, in order. */
  runDue(steadyMs: number): void;
  /** Called when the wall clock was stepped: what goes by instants is due at another moment now. */
  onStep?(): void;
}

/** The only source of time of a broker. */
export interface Clock {
  /** The present instant by the wall clock, in ms since the epoch. It jumps when the wall clock is stepped. */
  now(): number;
  /**
   * How far the wall clock has been stepped since the clock was made, in ms, negative for back; as of the last `now()`. Instants less this are
   * steady time, in which durations run. Absent for a clock that is never stepped.
   */
  readonly steppedMs?: number | undefined;
  /** Drives `driven` from now on; the returned attachment is notified of earlier due times and ends the driving. */
  attach(driven: ClockDriven): ClockAttachment;
}

/** One broker's tie to its clock. */
export interface ClockAttachment {
  /** Called after `nextDueMs` became earlier or `isAwaited` changed. */
  reschedule(): void;
  /** Ends the driving and leaves no timer behind. */
  detach(): void;
}

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /**
   * Moves time forward by `ms`, firing everything that falls due on the way, in order and each at its own instant.
   * Throws `TypeError` for a negative or non-finite number.
   */
  advance(ms: number): void;
  /** Moves time forward to `instant`, as `advance` does. */
  advanceTo(instant: Date): void;
  /**
   * Steps the wall clock by `ms`, back when that is negative, as an administrator or a time service does. No time passes: locks and waits go
   * on, and schedules are due by the wall clock as it is then. Throws `TypeError` for a non-finite number.
   */
  step(ms: number): void;
}

/** The longest delay that `setTimeout` keeps. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
/** How often the wall clock is compared with the monotonic one, at most and, while anything is attached, at least. */
const COMPARE_EVERY_MS = 1000;
/** Two readings are never of one moment: less than this apart is no step. */
const TOLERANCE_MS = 25;

/** The present moment in steady time: ms that pass whatever is done to the wall clock. For durations, never for instants. */
export function steadyNow(clock: Clock): number {
  const nowMs = clock.now();
  return nowMs - (clock.steppedMs ?? 0);
}

/** For how long the process has run, in ms: what turns of work are measured by, whatever the broker's clock shows. */
export function processTime(): number {
  return performance.now();
}

/**
 * The computer's clock. Durations run on its monotonic clock, and instants on its wall clock, in whichever direction that is stepped. Holds
 * one timer per broker, which keeps the process alive only while somebody waits, and one that watches for steps.
 */
export function createSystemClock(): Clock {
  return new SystemClock();
}

/** Whether a clock goes on while work is done: the computer's does, one that is moved by hand does not. */
export function goesByItself(clock: Clock): boolean {
  return clock instanceof SystemClock;
}

/** A clock that starts at `start` (default: 2024-01-01T00:00:00Z) and moves only by `advance`. */
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
 * The computer's clocks as one. The wall clock is read for every instant; the monotonic one only where the wall clock went back, leapt ahead,
 * or was not compared for a while. So a step is noticed at the first reading behind it, unless it is shorter than that while.
 */
class SystemClock implements Clock {
  readonly #attachments = new Set<SystemAttachment>();
  readonly #offsetMs: number;
  #lastMs: number;
  #compareAtMs: number;
  #steppedMs = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor() {
    this.#lastMs = Date.now();
    this.#compareAtMs = this.#lastMs + COMPARE_EVERY_MS;
    this.#offsetMs = wallAheadOfMonotonic();
  }

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
    this.#watch ??= setInterval(() => this.now(), COMPARE_EVERY_MS).unref();
    return attachment;
  }

  #detach(attachment: SystemAttachment): void {
    this.#attachments.delete(attachment);
    if (this.#attachments.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #compare(nowMs: number): void {
    this.#compareAtMs = nowMs + COMPARE_EVERY_MS;
    const steppedMs = Math.round(wallAheadOfMonotonic() - this.#offsetMs);
    if (Math.abs(steppedMs - this.#steppedMs) < TOLERANCE_MS) return;
    this.#steppedMs = steppedMs;
    // Not within the operation that read the clock: it goes by the time at which it began.
    queueMicrotask(() => {
      for (const attachment of this.#attachments) attachment.onStep();
    });
  }
}

/** Both clocks read at one moment, as nearly as can be: a process that is put aside between two readings would see a step. */
function wallAheadOfMonotonic(): number {
  let best = { apartMs: Number.POSITIVE_INFINITY, aheadMs: 0 };
  for (let tries = 0; tries < 5 && best.apartMs > TOLERANCE_MS / 5; tries++) {
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
  /** In steady time, as everything that is driven. */
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
    const delayMs = Math.min(Math.max(dueMs - this.#steadyNow(), 0), LONGEST_TIMEOUT_MS);
    this.#timeout = setTimeout(() => this.#wake(), delayMs);
  }

  #wake(): void {
    this.#timeout = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
    try {
      this.#driven.runDue(this.#steadyNow());
    } finally {
      this.reschedule();
    }
  }

  #steadyNow(): number {
    const nowMs = this.#clock.now();
    return nowMs - this.#clock.steppedMs;
  }
}
