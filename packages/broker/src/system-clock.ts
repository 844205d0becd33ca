import type { Clock, ClockAttachment, ClockDriven } from "./clock.js";

/** The longest delay that `setTimeout` keeps. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
/** How often the wall clock is compared with the monotonic one, at most and, while anything is attached, at least. */
const COMPARE_EVERY_MS = 1000;
/** Two readings are never of one moment: less than this apart is no step. */
const TOLERANCE_MS = 25;

/**
 * The computer's clocks as one. The wall clock is read for every instant; the monotonic one only where the wall clock went back, leapt ahead,
 * or was not compared for a while. So a step is noticed at the first reading behind it, unless it is shorter than that while.
 */
export class SystemClock implements Clock {
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
