import {
  type Clock,
  type ClockAttachment,
  type ClockDriven,
  goesByItself,
  processTime,
  steadyNow,
} from "./clock.js";
import { type TimerEntry, TimingWheel } from "./timing-wheel.js";

/** How long timers fire before everything else has its turn, and how long they hold up an operation, in ms. */
const TURN_MS = 5;
const OPERATION_MS = 2;

/**
 * All timers of one broker: a timing wheel driven by its clock. Callers speak of instants by the wall clock; the wheel runs in steady time, so
 * that what is armed for a time from now keeps it when the wall clock is stepped. `onStep` is called then, to arm what goes by instants again.
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

  /** `onRun` is called before timers fire that the clock itself drives. */
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

  /** The present instant, without firing anything. */
  get nowMs(): number {
    const nowMs = this.#clock.now();
    this.#look();
    return nowMs;
  }

  /** How far the wall clock is ahead of steady time, in ms. */
  get steppedMs(): number {
    return this.#steppedMs;
  }

  /** How many timers are armed. */
  get count(): number {
    return this.#wheel.count;
  }

  /** When an armed timer is due by the wall clock as it is now. */
  instantOf({ dueMs }: TimerEntry): number | undefined {
    return dueMs === undefined ? undefined : dueMs + this.#steppedMs;
  }

  /** The present instant, after everything due by then has fired: every operation starts here. */
  settleNow(): number {
    const { nowMs } = this;
    this.settle(nowMs);
    return nowMs;
  }

  /** Fires what is due at `nowMs`, unless that is just happening. */
  settle(nowMs: number): void {
    const steadyMs = nowMs - this.#steppedMs;
    if (steadyMs >= this.#wheel.nextDueMs && !this.#isRunning) this.#run(steadyMs, OPERATION_MS);
  }

  /** Arms a timer for an instant by the wall clock as it is now. */
  arm(entry: TimerEntry, dueMs: number): void {
    const previousMs = this.#wheel.nextDueMs;
    // The number itself where nothing was stepped: the entry keeps it, and a difference would be another one.
    this.#wheel.arm(entry, this.#steppedMs === 0 ? dueMs : dueMs - this.#steppedMs);
    if (this.#wheel.nextDueMs < previousMs) this.#attachment.reschedule();
  }

  disarm(entry: TimerEntry): void {
    this.#wheel.disarm(entry);
  }

  runDue(steadyMs: number): void {
    this.#look();
    this.#onRun();
    this.#run(steadyMs, TURN_MS);
  }

  onStep(): void {
    this.#look();
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

  #look(): void {
    const { steppedMs = 0 } = this.#clock;
    if (steppedMs === this.#steppedMs) return;
    const byMs = steppedMs - this.#steppedMs;
    this.#steppedMs = steppedMs;
    this.#onStep(byMs);
  }

  /** Where many fall due at once, the rest follows in the next turn: the clock is notified of it as of any other timer. */
  #run(steadyMs: number, turnMs: number): void {
    this.#isRunning = true;
    // Who moves a clock by hand expects everything to have happened.
    const endsAtMs = goesByItself(this.#clock) ? processTime() + turnMs : Number.POSITIVE_INFINITY;
    try {
      this.#wheel.runDue(steadyMs, steadyMs + this.#steppedMs, () => processTime() >= endsAtMs);
    } finally {
      this.#isRunning = false;
    }
  }
}
