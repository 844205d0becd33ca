import type { Clock } from "@waybill/broker";
import { type ClockAttachment, type ClockDriven, steadyNow } from "@waybill/broker/front-end";
import type { Scheduler, Timer } from "@waybill/core/transport";

/** Runs the client's timers on the broker's clock, so that a test that advances it drives locks, waits and back-off alike. */
export class ClockScheduler implements Scheduler, ClockDriven {
  readonly #clock: Clock;
  #attachment: ClockAttachment | undefined;
  /** In order of due time. A client has few: one per receiver, and one per held message. */
  readonly #timers: ScheduledTimer[] = [];
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
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

  steadyNow(): number {
    return steadyNow(this.#clock);
  }

  schedule(delayMs: number, run: () => void): Timer {
    const timer: ScheduledTimer = {
      dueMs: this.steadyNow() + Math.max(delayMs, 0),
      run,
      isAwaited: true,
      cancel: () => this.#cancel(timer),
      unref: () => {
        timer.isAwaited = false;
        this.#attachment?.reschedule();
      },
    };
    const later = this.#timers.findIndex(({ dueMs }) => dueMs > timer.dueMs);
    this.#timers.splice(later === -1 ? this.#timers.length : later, 0, timer);
    this.#attachment ??= this.#clock.attach(this);
    this.#attachment.reschedule();
    return timer;
  }

  runDue(steadyMs: number): void {
    while (this.nextDueMs <= steadyMs) this.#timers.shift()?.run();
    this.#detachIfDone();
  }

  /** Detaches from the clock as soon as no timer is left: clients outlive their transport, and their pending waits must end. */
  close(): void {
    this.#isClosed = true;
    this.#detachIfDone();
  }

  #cancel(timer: ScheduledTimer): void {
    const index = this.#timers.indexOf(timer);
    if (index === -1) return;
    this.#timers.splice(index, 1);
    this.#attachment?.reschedule();
    this.#detachIfDone();
  }

  #detachIfDone(): void {
    if (!this.#isClosed || this.#timers.length > 0) return;
    this.#attachment?.detach();
    this.#attachment = undefined;
  }
}

interface ScheduledTimer extends Timer {
  readonly dueMs: number;
  readonly run: () => void;
  isAwaited: boolean;
}
