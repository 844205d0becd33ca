import type { Clock, ClockAttachment, ClockDriven } from "../clock.js";
import { type TimerEntry, TimingWheel } from "./timing-wheel.js";

/** All timers of one broker: a timing wheel driven by its clock. */
export class Timers implements ClockDriven {
  readonly #clock: Clock;
  readonly #wheel: TimingWheel;
  readonly #attachment: ClockAttachment;
  #waits = 0;
  #isRunning = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#wheel = new TimingWheel(clock.now());
    this.#attachment = clock.attach(this);
  }

  get nextDueMs(): number {
    return this.#wheel.nextDueMs;
  }

  get isAwaited(): boolean {
    return this.#waits > 0;
  }

  /** The present instant, without firing anything. */
  get nowMs(): number {
    return this.#clock.now();
  }

  /** How many timers are armed. */
  get count(): number {
    return this.#wheel.count;
  }

  /** The present instant, after everything due by then has fired: every operation starts here. */
  settleNow(): number {
    const nowMs = this.#clock.now();
    this.settle(nowMs);
    return nowMs;
  }

  /** Fires what is due at `nowMs`, unless that is just happening. */
  settle(nowMs: number): void {
    if (nowMs >= this.#wheel.nextDueMs && !this.#isRunning) this.runDue(nowMs);
  }

  arm(entry: TimerEntry, dueMs: number): void {
    const previousMs = this.#wheel.nextDueMs;
    this.#wheel.arm(entry, dueMs);
    if (this.#wheel.nextDueMs < previousMs) this.#attachment.reschedule();
  }

  disarm(entry: TimerEntry): void {
    this.#wheel.disarm(entry);
  }

  runDue(nowMs: number): void {
    this.#isRunning = true;
    try {
      this.#wheel.runDue(nowMs);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Counts somebody who waits, so that the next timer keeps the process alive. */
  beginWait(): void {
    if (++this.#waits === 1) this.#attachment.reschedule();
  }

  endWait(): void {
    if (--this.#waits === 0) this.#attachment.reschedule();
  }

  close(): void {
    this.#attachment.detach();
  }
}
