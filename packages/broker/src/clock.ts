/**
 * What a clock drives: something that knows when its next timer is due and fires everything due up to an instant.
 */
export interface ClockDriven {
  /** The earliest instant, in ms since the epoch, at which `runDue` may have work; `Infinity` when there is none. */
  readonly nextDueMs: number;
  /** Whether somebody waits for the next timer, so that the process must stay alive for it. */
  readonly isAwaited: boolean;
  /** Fires every timer due at or before `nowMs`, in order. */
  runDue(nowMs: number): void;
}

/** The only source of time of a broker. */
export interface Clock {
  /** The present instant, in ms since the epoch. */
  now(): number;
  /** Drives `driven` from now on; the returned attachment is told of earlier due times and ends the driving. */
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
}

/** The longest delay that `setTimeout` keeps. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The computer's clock. Holds at most one timer per broker, which keeps the process alive only while somebody waits. */
export function createSystemClock(): Clock {
  return { now: Date.now, attach: (driven) => new SystemAttachment(driven) };
}

/** A clock that starts at `start` (default: 2024-01-01T00:00:00Z) and moves only by `advance`. */
export function createManualClock(start: Date = new Date(Date.UTC(2024, 0, 1))): ManualClock {
  let nowMs = start.getTime();
  if (!Number.isFinite(nowMs)) throw new TypeError("createManualClock: start is not a valid date");
  const attached = new Set<ClockDriven>();

  const runUntil = (targetMs: number): void => {
    for (;;) {
      const next = earliest(attached, targetMs);
      if (next === undefined) break;
      nowMs = Math.max(nowMs, next.nextDueMs);
      next.runDue(nowMs);
    }
    nowMs = targetMs;
  };

  return {
    now: () => nowMs,
    attach(driven) {
      attached.add(driven);
      return { reschedule: () => {}, detach: () => void attached.delete(driven) };
    },
    advance(ms) {
      if (!(Number.isFinite(ms) && ms >= 0)) {
        throw new TypeError(`ManualClock.advance: ${ms} is not a duration in milliseconds`);
      }
      runUntil(nowMs + ms);
    },
    advanceTo(instant) {
      if (!(instant.getTime() >= nowMs))
        throw new TypeError("ManualClock.advanceTo: the instant lies in the past");
      runUntil(instant.getTime());
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

class SystemAttachment implements ClockAttachment {
  readonly #driven: ClockDriven;
  #timeout: NodeJS.Timeout | undefined;
  #armedForMs = Number.POSITIVE_INFINITY;
  #isDetached = false;

  constructor(driven: ClockDriven) {
    this.#driven = driven;
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
  }

  #arm(dueMs: number): void {
    clearTimeout(this.#timeout);
    this.#armedForMs = dueMs;
    const delayMs = Math.min(Math.max(dueMs - Date.now(), 0), LONGEST_TIMEOUT_MS);
    this.#timeout = setTimeout(() => this.#wake(), delayMs);
  }

  #wake(): void {
    this.#timeout = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
    try {
      this.#driven.runDue(Date.now());
    } finally {
      this.reschedule();
    }
  }
}
