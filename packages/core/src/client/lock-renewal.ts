import { WaybillError } from "../error.js";
import type { Scheduler, Timer } from "../scheduler.js";
import { type Delivery, isLockLost, type RenewalErrorHandler, renewLock } from "./delivery.js";

/** A lock is renewed this long before its end, or after half of it if that is shorter. In milliseconds. */
const longestMarginMs = 10_000;

/** Keeps a lock that is all but over from being renewed in a busy loop. In milliseconds. */
const shortestIntervalMs = 100;

/** How soon a failed renewal is tried again, while the lock holds. In milliseconds. */
const retryDelayMs = 1_000;

/** Keeps the locks of one receiver's open deliveries: one timer for all, armed for the one that is due first. */
export class LockRenewal {
  readonly #scheduler: Scheduler;
  readonly #deliveries = new Set<Delivery>();
  #timer: Timer | undefined;
  #armedForMs = Number.POSITIVE_INFINITY;
  #isStopped = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Renews the delivery's lock until it is settled or forgotten, or `durationMs` have passed. Failures go to `onError`. */
  track(delivery: Delivery, durationMs: number, onError: RenewalErrorHandler): void {
    if (durationMs <= 0 || this.#isStopped || delivery.lockedUntilMs === Number.POSITIVE_INFINITY) return;
    const nowMs = this.#scheduler.now();
    delivery.renewUntilMs = nowMs + durationMs;
    delivery.onRenewalError = onError;
    delivery.renewal = this;
    this.#deliveries.add(delivery);
    this.#plan(delivery, nowMs);
  }

  /** Stops renewing one delivery's lock. */
  forget(delivery: Delivery): void {
    this.#deliveries.delete(delivery);
  }

  /** Stops for good. Locks that are held run out by themselves. */
  stop(): void {
    this.#isStopped = true;
    this.#deliveries.clear();
    this.#timer?.cancel();
  }

  #plan(delivery: Delivery, nowMs: number): void {
    const remainingMs = delivery.lockedUntilMs - nowMs;
    delivery.renewEveryMs = Math.max(
      remainingMs - Math.min(remainingMs / 2, longestMarginMs),
      shortestIntervalMs,
    );
    this.#planFor(delivery, nowMs + delivery.renewEveryMs);
    if (this.#deliveries.has(delivery) && delivery.renewAtMs < this.#armedForMs)
      this.#arm(delivery.renewAtMs);
  }

  #planFor(delivery: Delivery, atMs: number): void {
    delivery.renewAtMs = atMs;
    if (atMs > delivery.renewUntilMs) this.#deliveries.delete(delivery);
  }

  #arm(atMs: number): void {
    this.#timer?.cancel();
    this.#armedForMs = atMs;
    this.#timer = this.#scheduler.schedule(Math.max(0, atMs - this.#scheduler.now()), this.#renewDue);
  }

  readonly #renewDue = (): void => {
    this.#armedForMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#scheduler.now();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const delivery of this.#deliveries) {
      if (delivery.renewAtMs <= nowMs) {
        // Planned before the answer is here, so that a clock which leaps renews as often as one that runs.
        this.#planFor(delivery, nowMs + delivery.renewEveryMs);
        void this.#renew(delivery);
      }
      if (this.#deliveries.has(delivery)) nextMs = Math.min(nextMs, delivery.renewAtMs);
    }
    if (nextMs < this.#armedForMs) this.#arm(nextMs);
  };

  async #renew(delivery: Delivery): Promise<void> {
    try {
      await renewLock(delivery);
      if (this.#deliveries.has(delivery)) this.#plan(delivery, this.#scheduler.now());
    } catch (error) {
      this.#recover(delivery, error);
    }
  }

  #recover(delivery: Delivery, error: unknown): void {
    // A settlement under way tells its own story, and after stop nobody listens.
    if (this.#isStopped || delivery.state !== "open") return;
    const retryAtMs = this.#scheduler.now() + retryDelayMs;
    if (error instanceof WaybillError && error.retryable && retryAtMs < delivery.lockedUntilMs) {
      if (!this.#deliveries.has(delivery)) return;
      delivery.renewAtMs = retryAtMs;
      if (retryAtMs < this.#armedForMs) this.#arm(retryAtMs);
      return;
    }
    this.#deliveries.delete(delivery);
    if (isLockLost(error)) delivery.state = "lost";
    delivery.onRenewalError?.(error, delivery);
  }
}
