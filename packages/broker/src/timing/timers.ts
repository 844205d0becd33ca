import {
  type Clock,
  type ClockAttachment,
  type ClockDriven,
  isRealTime,
  processTime,
  steadyNow,
} from "./clock.js";
import { type TimerEntry, TimingWheel } from "./timing-wheel.js";

/** How long timers fire before other work gets a turn, and how long they may delay an operation, in ms. */
const maxTurnMs = 5;
const operationMs = 2;

/**
 * All timers of one broker: a timing wheel driven by its clock. Callers use wall-clock times; the wheel runs in steady time, so that
 * durations survive steps of the wall clock. After a step, `onStep` is called to arm timers for wall-clock times again.
 */
export class Timers implements ClockDriven {
  readonly #clock: Clock;
  readonly #wheel: TimingWheel;
  readonly #attachment: ClockAttachment;
  readonly #onStep: (byMs: number) => void;
  readonly #onRun: () => void;
  #steppedMs: number;
  #waits = 0;
  #isRunning = false;

  /** `onRun` is called before the clock fires timers. */
  constructor(clock: Clock, onStep: (byMs: number) => void = () => {}, onRun: () => void = () => {}) {
    this.#clock = clock;
    this.#onStep = onStep;
    this.#onRun = onRun;
    this.#wheel = new TimingWheel(steadyNow(clock));
    this.#steppedMs = clock.steppedMs ?? 0;
    this.#attachment = clock.attach(this);
  }

  get nextDueMs(): number {
    return this.#wheel.nextDueMs;
  }

  get isAwaited(): boolean {
    return this.#waits > 0;
  }

  /** The current time, without firing timers. */
  get nowMs(): number {
    const nowMs = this.#clock.now();
    this.#look();
    return nowMs;
  }

  /** How far the wall clock is ahead of steady time, in ms. */
  get steppedMs(): number {
    return this.#steppedMs;
  }

  /** The number of armed timers. */
  get count(): number {
    return this.#wheel.count;
  }

  /** When an armed timer is due, by the current wall clock. */
  instantOf({ dueMs }: TimerEntry): number | undefined {
    return dueMs === undefined || this.#steppedMs === 0 ? dueMs : dueMs + this.#steppedMs;
  }

  /** The current time, after firing everything due; every operation starts with it. */
  settleNow(): number {
    const { nowMs } = this;
    this.settle(nowMs);
    return nowMs;
  }

  /** Fires everything due at `nowMs`, unless called recursively. */
  settle(nowMs: number): void {
    const steadyMs = nowMs - this.#steppedMs;
    if (steadyMs >= this.#wheel.nextDueMs && !this.#isRunning) this.#run(steadyMs, operationMs);
  }

  /** Arms a timer for a time of the current wall clock. */
  arm(entry: TimerEntry, dueMs: number): void {
    const previousMs = this.#wheel.nextDueMs;
    // Keeps the same number if the clock was not stepped: a difference would allocate a new one per entry.
    this.#wheel.arm(entry, this.#steppedMs === 0 ? dueMs : dueMs - this.#steppedMs);
    if (this.#wheel.nextDueMs < previousMs) this.#attachment.reschedule();
  }

  disarm(entry: TimerEntry): void {
    this.#wheel.disarm(entry);
  }

  runDue(steadyMs: number): void {
    this.#look();
    this.#onRun();
    this.#run(steadyMs, maxTurnMs);
  }

  onStep(): void {
    this.#look();
  }

  /** Counts a waiting caller, so that the next timer keeps the process alive. */
  beginWait(): void {
    if (++this.#waits === 1) this.#attachment.reschedule();
  }

  endWait(): void {
    if (--this.#waits === 0) this.#attachment.reschedule();
  }

  close(): void {
    this.#attachment.detach();
  }

  #look(): void {
    const { steppedMs = 0 } = this.#clock;
    if (steppedMs === this.#steppedMs) return;
    const byMs = steppedMs - this.#steppedMs;
    this.#steppedMs = steppedMs;
    this.#onStep(byMs);
  }

  /** If many timers are due at once, the rest fires in the next turn: the clock is notified of it like of any other timer. */
  #run(steadyMs: number, turnMs: number): void {
    this.#isRunning = true;
    // With a manual clock, everything due must have happened when `advance` returns.
    const endsAtMs = isRealTime(this.#clock) ? processTime() + turnMs : Number.POSITIVE_INFINITY;
    try {
      this.#wheel.runDue(steadyMs, steadyMs + this.#steppedMs, () => processTime() >= endsAtMs);
    } finally {
      this.#isRunning = false;
    }
  }
}
