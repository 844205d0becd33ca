import type { Scheduler, Timer } from "../foundation/scheduler.js";
import type { Delivery } from "./delivery.js";

/** How long a message stays locked before it is abandoned, in milliseconds: the delay doubles with every delivery. */
export interface AbandonBackoff {
  readonly initialDelayInMs: number;
  readonly maxDelayInMs: number;
}

/**
 * Abandons messages after a delay, so that a message for another receiver does not use up its deliveries within a second. The delay grows
 * with the delivery count, which the broker keeps.
 */
export class DelayedAbandons {
  readonly #scheduler: Scheduler;
  readonly #backoff: AbandonBackoff;
  readonly #waiting = new Map<Timer, () => void>();
  #isFlushed = false;

  constructor(scheduler: Scheduler, backoff: AbandonBackoff) {
    this.#scheduler = scheduler;
    this.#backoff = backoff;
  }

  /** Abandons the delivery after its delay; rejects as the settlement does. */
  async abandon(delivery: Delivery): Promise<void> {
    const delayMs = this.#delayMs(delivery);
    if (delayMs > 0 && !this.#isFlushed) await this.#wait(delayMs);
    await delivery.settle("abandon");
  }

  /** Abandons all delayed messages now, and later ones at once. */
  flush(): void {
    this.#isFlushed = true;
    for (const [timer, resume] of this.#waiting) {
      timer.cancel();
      resume();
    }
    this.#waiting.clear();
  }

  #delayMs(delivery: Delivery): number {
    const { initialDelayInMs, maxDelayInMs } = this.#backoff;
    // After 30 doublings every maximum is reached; a larger power would overflow to Infinity.
    const wantedMs = initialDelayInMs * 2 ** Math.min(delivery.message.deliveryCount, 30);
    const lockLeftMs = delivery.lockedUntilMs - this.#scheduler.now();
    return Math.min(wantedMs, maxDelayInMs, lockLeftMs * 0.8);
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#scheduler.schedule(delayMs, () => {
        this.#waiting.delete(timer);
        resolve();
      });
      this.#waiting.set(timer, resolve);
    });
  }
}
