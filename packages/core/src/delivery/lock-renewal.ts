import { WaybillError } from "../errors/error.js";
import { type Linked, LinkedSet } from "../foundation/linked-set.js";
import { type Scheduler, steadyNow, type Timer } from "../foundation/scheduler.js";

/** A lock is renewed this long before its end, or after half of it if that is shorter. In milliseconds. */
const longestMarginMs = 10_000;

/** Keeps a lock that is all but over from being renewed in a busy loop. In milliseconds. */
const shortestIntervalMs = 100;

/** How soon a failed renewal is tried again, while the lock holds. In milliseconds. */
const retryDelayMs = 1_000;

/** A lock that can be renewed: a message's or a session's. */
export interface RenewableLock {
  /** The instant at which it ends, by the wall clock. */
  readonly lockedUntilMs: number;
  /** The plan of its renewal, made and kept by the lock renewal. */
  plan: RenewalPlan | undefined;
  /** Extends the lock and `lockedUntilMs`. */
  renew(): Promise<unknown>;
  /** Is called when the lock could not be renewed and will not be tried again. */
  giveUp(error: unknown): void;
}

/** When a lock ends, when to renew it next, how often, and when to stop: in steady time. */
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
 * Keeps the locks of one receiver: one timer for all, armed for the one that is due first. It keeps no process alive. How long a lock lasts is
 * read off the wall clock when it is granted; from then on it goes by steady time, so that a step of the wall clock loses none.
 */
export class LockRenewal {
  readonly #scheduler: Scheduler;
  readonly #plans = new LinkedSet<RenewalPlan>();
  #timer: Timer | undefined;
  #armedForMs = Number.POSITIVE_INFINITY;
  #isStopped = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Renews the lock until it is forgotten or `durationMs` have passed. */
  track(lock: RenewableLock, durationMs: number): void {
    if (durationMs <= 0 || this.#isStopped || lock.lockedUntilMs === Number.POSITIVE_INFINITY) return;
    lock.plan ??= new RenewalPlan(lock);
    lock.plan.renewUntilMs = steadyNow(this.#scheduler) + durationMs;
    this.#plan(lock.plan);
  }

  /** Stops renewing one lock. */
  forget({ plan }: RenewableLock): void {
    if (plan === undefined) return;
    plan.renewUntilMs = 0;
    this.#drop(plan);
  }

  /** Stops for good. Locks that are held run out by themselves. */
  stop(): void {
    this.#isStopped = true;
    this.#plans.clear();
    this.#disarm();
  }

  #plan(plan: RenewalPlan): void {
    const nowMs = steadyNow(this.#scheduler);
    const remainingMs = plan.lock.lockedUntilMs - this.#scheduler.now();
    plan.endsAtMs = nowMs + remainingMs;
    plan.renewEveryMs = Math.max(
      remainingMs - Math.min(remainingMs / 2, longestMarginMs),
      shortestIntervalMs,
    );
    this.#planAt(plan, nowMs + plan.renewEveryMs);
  }

  #planAt(plan: RenewalPlan, atMs: number): void {
    // A lock whose time is up leaves the set, so that a message which nobody settles is not kept forever.
    if (atMs > plan.renewUntilMs || this.#isStopped) {
      this.#drop(plan);
      return;
    }
    plan.renewAtMs = atMs;
    this.#plans.add(plan);
    if (atMs < this.#armedForMs) this.#arm(atMs);
  }

  #drop(plan: RenewalPlan): void {
    if (this.#plans.delete(plan) && this.#plans.size === 0) this.#disarm();
  }

  #arm(atMs: number): void {
    this.#timer?.cancel();
    this.#armedForMs = atMs;
    this.#timer = this.#scheduler.schedule(Math.max(0, atMs - steadyNow(this.#scheduler)), this.#renewDue);
    this.#timer.unref();
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
  }

  readonly #renewDue = (): void => {
    this.#disarm();
    const nowMs = steadyNow(this.#scheduler);
    for (const plan of this.#plans.toArray()) {
      if (plan.renewAtMs > nowMs) {
        if (plan.renewAtMs < this.#armedForMs) this.#arm(plan.renewAtMs);
        continue;
      }
      void this.#renew(plan);
      // Planned before the answer is here, so that a clock which jumps renews as often as one that runs.
      this.#planAt(plan, nowMs + plan.renewEveryMs);
    }
  };

  async #renew(plan: RenewalPlan): Promise<void> {
    try {
      await plan.lock.renew();
      this.#plan(plan);
    } catch (error) {
      if (!this.#isStopped) this.#recover(plan, error);
    }
  }

  #recover(plan: RenewalPlan, error: unknown): void {
    const retryAtMs = steadyNow(this.#scheduler) + retryDelayMs;
    if (error instanceof WaybillError && error.retryable && retryAtMs < plan.endsAtMs) {
      this.#planAt(plan, retryAtMs);
      return;
    }
    this.forget(plan.lock);
    plan.lock.giveUp(error);
  }
}
