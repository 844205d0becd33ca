import type { Scheduler, Timer } from "../foundation/scheduler.js";
import type { Delivery } from "./delivery.js";

/** How long a message is kept back, in milliseconds: at first, doubled with every delivery, and at most. */
export interface AbandonBackoff {
  readonly initialDelayInMs: number;
  readonly maxDelayInMs: number;
}

/**
 * Keeps locked messages back for a while and then abandons them, so that a message which is for another receiver does not run
 * through its deliveries in a second. The delivery count, which the broker keeps, sets the pace.
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

  /** Abandons the delivery after its back-off and resolves when that is done; rejects as the settlement does. */
  async abandon(delivery: Delivery): Promise<void> {
    const delayMs = this.#delayMs(delivery);
    if (delayMs > 0 && !this.#isFlushed) await this.#wait(delayMs);
    await delivery.settle("abandon");
  }

  /** Ends all waits, now and from now on. */
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
    // Beyond 30 doublings every cap is reached, and the power would leave the numbers.
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
