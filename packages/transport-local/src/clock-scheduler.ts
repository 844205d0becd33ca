import type { Clock, ClockAttachment, ClockDriven } from "@waybill/broker";
import type { Scheduler, Timer } from "@waybill/core";

/** The client's timers on the broker's clock, so that a test which advances it drives locks, waits and back-off alike. */
export class ClockScheduler implements Scheduler, ClockDriven {
  readonly #clock: Clock;
  readonly #attachment: ClockAttachment;
  /** In order of due time. A client has a handful: one per receiver, and one per message that is kept back. */
  readonly #timers: ScheduledTimer[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#attachment = clock.attach(this);
  }

  get nextDueMs(): number {
    return this.#timers[0]?.dueMs ?? Number.POSITIVE_INFINITY;
  }

  get isAwaited(): boolean {
    return this.#timers.some(({ isAwaited }) => isAwaited);
  }

  now(): number {
    return this.#clock.now();
  }

  schedule(delayMs: number, run: () => void): Timer {
    const timer: ScheduledTimer = {
      dueMs: this.#clock.now() + Math.max(delayMs, 0),
      run,
      isAwaited: true,
      cancel: () => this.#cancel(timer),
      unref: () => {
        timer.isAwaited = false;
        this.#attachment.reschedule();
      },
    };
    const later = this.#timers.findIndex(({ dueMs }) => dueMs > timer.dueMs);
    this.#timers.splice(later === -1 ? this.#timers.length : later, 0, timer);
    this.#attachment.reschedule();
    return timer;
  }

  runDue(nowMs: number): void {
    while (this.nextDueMs <= nowMs) this.#timers.shift()!.run();
  }

  /** Cancels every timer and lets go of the clock. */
  close(): void {
    this.#timers.length = 0;
    this.#attachment.detach();
  }

  #cancel(timer: ScheduledTimer): void {
    const index = this.#timers.indexOf(timer);
    if (index === -1) return;
    this.#timers.splice(index, 1);
    this.#attachment.reschedule();
  }
}

interface ScheduledTimer extends Timer {
  readonly dueMs: number;
  readonly run: () => void;
  isAwaited: boolean;
}
