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
export interface RenewableLock extends Linked<RenewableLock> {
  /** The instant at which it ends, by the wall clock. */
  lockedUntilMs: number;
  /** When it ends, when to renew next, how often, and when to stop, in steady time; the lock renewal keeps these. */
  endsAtMs: number;
  renewAtMs: number;
  renewEveryMs: number;
  renewUntilMs: number;
  /** Extends the lock and `lockedUntilMs`. */
  renew(): Promise<unknown>;
  /** Is told that the lock could not be renewed and will not be tried again. */
  giveUp(error: unknown): void;
}

/**
 * Keeps the locks of one receiver: one timer for all, armed for the one that is due first. It keeps no process alive. How long a lock lasts is
 * read off the wall clock when it is granted; from then on it goes by steady time, so that a step of the wall clock loses none.
 */
export class LockRenewal {
  readonly #scheduler: Scheduler;
  readonly #locks = new LinkedSet<RenewableLock>();
  #timer: Timer | undefined;
  #armedForMs = Number.POSITIVE_INFINITY;
  #isStopped = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Renews the lock until it is forgotten or `durationMs` have passed. */
  track(lock: RenewableLock, durationMs: number): void {
    if (durationMs <= 0 || this.#isStopped || lock.lockedUntilMs === Number.POSITIVE_INFINITY) return;
    lock.renewUntilMs = steadyNow(this.#scheduler) + durationMs;
    this.#plan(lock);
  }

  /** Stops renewing one lock. */
  forget(lock: RenewableLock): void {
    lock.renewUntilMs = 0;
    this.#drop(lock);
  }

  /** Stops for good. Locks that are held run out by themselves. */
  stop(): void {
    this.#isStopped = true;
    this.#locks.clear();
    this.#disarm();
  }

  #plan(lock: RenewableLock): void {
    const nowMs = steadyNow(this.#scheduler);
    const remainingMs = lock.lockedUntilMs - this.#scheduler.now();
    lock.endsAtMs = nowMs + remainingMs;
    lock.renewEveryMs = Math.max(
      remainingMs - Math.min(remainingMs / 2, longestMarginMs),
      shortestIntervalMs,
    );
    this.#planAt(lock, nowMs + lock.renewEveryMs);
  }

  #planAt(lock: RenewableLock, atMs: number): void {
    // A lock whose time is up leaves the set, so that a message which nobody settles is not kept for ever.
    if (atMs > lock.renewUntilMs || this.#isStopped) {
      this.#drop(lock);
      return;
    }
    lock.renewAtMs = atMs;
    this.#locks.add(lock);
    if (atMs < this.#armedForMs) this.#arm(atMs);
  }

  #drop(lock: RenewableLock): void {
    if (this.#locks.delete(lock) && this.#locks.size === 0) this.#disarm();
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
    for (const lock of this.#locks.toArray()) {
      if (lock.renewAtMs > nowMs) {
        if (lock.renewAtMs < this.#armedForMs) this.#arm(lock.renewAtMs);
        continue;
      }
      void this.#renew(lock);
      // Planned before the answer is here, so that a clock which leaps renews as often as one that runs.
      this.#planAt(lock, nowMs + lock.renewEveryMs);
    }
  };

  async #renew(lock: RenewableLock): Promise<void> {
    try {
      await lock.renew();
      this.#plan(lock);
    } catch (error) {
      if (!this.#isStopped) this.#recover(lock, error);
    }
  }

  #recover(lock: RenewableLock, error: unknown): void {
    const retryAtMs = steadyNow(this.#scheduler) + retryDelayMs;
    if (error instanceof WaybillError && error.retryable && retryAtMs < lock.endsAtMs) {
      this.#planAt(lock, retryAtMs);
      return;
    }
    this.forget(lock);
    lock.giveUp(error);
  }
}
