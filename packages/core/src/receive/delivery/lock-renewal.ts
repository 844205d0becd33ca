import { DueTimer, type Linked, LinkedSet, type Scheduler, steadyNowOf } from "@waybill/foundation";
import { WaybillError } from "../../errors/error.js";

/** A lock is renewed this long before it expires, or after half of its duration if that is later. In milliseconds. */
const maxMarginMs = 10_000;

/** Prevents a busy loop when a lock is about to expire. In milliseconds. */
const minIntervalMs = 100;

/** A failed renewal is retried after this delay unless the lock expires before. In milliseconds. */
const retryDelayMs = 1_000;

/** A lock that can be renewed: a message's or a session's. */
export interface RenewableLock {
  /** When it expires, by the wall clock. */
  readonly lockedUntilMs: number;
  /** Set and used by {@link LockRenewal}. */
  plan: RenewalPlan | undefined;
  /** Extends the lock and `lockedUntilMs`. */
  renew(): Promise<unknown>;
  /** Called when the lock could not be renewed and renewal is not retried. */
  onRenewalFailed(error: unknown): void;
}

/** When a lock expires, when to renew it next, how often, and when to stop: by the monotonic clock. */
export class RenewalPlan implements Linked<RenewalPlan> {
  readonly lock: RenewableLock;
  endsAtMs = Number.POSITIVE_INFINITY;
  renewAtMs = Number.POSITIVE_INFINITY;
  renewEveryMs = Number.POSITIVE_INFINITY;
  renewUntilMs = 0;
  previous: RenewalPlan | undefined = undefined;
  next: RenewalPlan | undefined = undefined;

  constructor(lock: RenewableLock) {
    this.lock = lock;
  }
}

/**
 * Renews the locks of one receiver with one timer, set for the lock that is due first; the timer does not keep the process alive. The
 * wall clock is read only when a lock is granted; from then on the monotonic clock counts, so that a change of the system time loses no lock.
 */
export class LockRenewal {
  readonly #scheduler: Scheduler;
  readonly #plans = new LinkedSet<RenewalPlan>();
  readonly #timer: DueTimer;
  #isStopped = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.#timer = new DueTimer(scheduler, (nowMs) => this.#renewDue(nowMs), false);
  }

  /** Renews the lock until it is forgotten or `durationMs` have passed. */
  track(lock: RenewableLock, durationMs: number): void {
    if (durationMs <= 0 || this.#isStopped || lock.lockedUntilMs === Number.POSITIVE_INFINITY) return;
    const nowMs = steadyNowOf(this.#scheduler);
    lock.plan ??= new RenewalPlan(lock);
    lock.plan.renewUntilMs = nowMs + durationMs;
    this.#plan(lock.plan, nowMs);
  }

  /** Stops renewing one lock. */
  forget({ plan }: RenewableLock): void {
    if (plan === undefined) return;
    // A renewal that is running plans the next one when it ends, unless the time for it is over.
    plan.renewUntilMs = 0;
    // The timer stays for the next lock, because most are released long before they are renewed.
    this.#plans.delete(plan);
  }

  /** Stops all renewals; locks expire by themselves. */
  stop(): void {
    this.#isStopped = true;
    this.#plans.clear();
    this.#timer.cancel();
  }

  #plan(plan: RenewalPlan, nowMs: number): void {
    // The two clocks are compared once for each grant: the broker gives an instant, and all that follows is a duration.
    const remainingMs = plan.lock.lockedUntilMs - this.#scheduler.now();
    plan.endsAtMs = nowMs + remainingMs;
    plan.renewEveryMs = Math.max(remainingMs - Math.min(remainingMs / 2, maxMarginMs), minIntervalMs);
    this.#planAt(plan, nowMs + plan.renewEveryMs);
  }

  #planAt(plan: RenewalPlan, atMs: number): void {
    // A lock that is not renewed any more leaves the set, so that a message which is never settled can be garbage-collected.
    if (atMs > plan.renewUntilMs || this.#isStopped) {
      this.#plans.delete(plan);
      return;
    }
    plan.renewAtMs = atMs;
    this.#plans.add(plan);
    this.#timer.set(atMs);
  }

  #renewDue(nowMs: number): void {
    for (const plan of this.#plans.toArray()) {
      if (plan.renewAtMs > nowMs) {
        this.#timer.set(plan.renewAtMs);
        continue;
      }
      void this.#renew(plan);
      // Planned before the renewal has succeeded, so that a test clock that jumps renews as often as a real one.
      this.#planAt(plan, nowMs + plan.renewEveryMs);
    }
  }

  async #renew(plan: RenewalPlan): Promise<void> {
    try {
      await plan.lock.renew();
      this.#plan(plan, steadyNowOf(this.#scheduler));
    } catch (error) {
      if (!this.#isStopped) this.#recover(plan, error);
    }
  }

  #recover(plan: RenewalPlan, error: unknown): void {
    // A connection that was lost may be back before the lock ends.
    const retryAtMs = steadyNowOf(this.#scheduler) + retryDelayMs;
    if (error instanceof WaybillError && error.retryable && retryAtMs < plan.endsAtMs) {
      this.#planAt(plan, retryAtMs);
      return;
    }
    this.forget(plan.lock);
    plan.lock.onRenewalFailed(error);
  }
}
