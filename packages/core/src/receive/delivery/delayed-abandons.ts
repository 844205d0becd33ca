import { LazyAbortController, pause, type Scheduler } from "@waybill/foundation";
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
  readonly #flushing = new LazyAbortController();

  constructor(scheduler: Scheduler, backoff: AbandonBackoff) {
    this.#scheduler = scheduler;
    this.#backoff = backoff;
  }

  /** Abandons the delivery after its delay; rejects as the settlement does. */
  async abandon(delivery: Delivery): Promise<void> {
    const delayMs = this.#delayMs(delivery);
    if (delayMs > 0) await pause(delayMs, this.#scheduler, this.#flushing.signal);
    await delivery.settle("abandon");
  }

  /** Abandons all delayed messages now, and later ones at once. */
  flush(): void {
    this.#flushing.abort();
  }

  #delayMs(delivery: Delivery): number {
    const { initialDelayInMs, maxDelayInMs } = this.#backoff;
    // After 30 doublings every maximum is reached; a larger power would overflow to Infinity.
    const wantedMs = initialDelayInMs * 2 ** Math.min(delivery.message.deliveryCount, 30);
    // Before its lock ends: afterwards the broker would refuse the settlement.
    const lockLeftMs = delivery.lockedUntilMs - this.#scheduler.now();
    return Math.min(wantedMs, maxDelayInMs, lockLeftMs * 0.8);
  }
}
