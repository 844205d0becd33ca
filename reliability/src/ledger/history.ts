import type { Delivery } from "./lines.js";

interface TimedDelivery extends Delivery {
  readonly at: number;
  readonly lockedAt: number;
}

/** The events of one message in one store, besides the effects of operations. */
export class History {
  readonly #deliveries: TimedDelivery[] = [];
  readonly #releasedAt: number[] = [];
  /** When its settlement was acknowledged. */
  settledAt = Number.POSITIVE_INFINITY;

  get redeliveries(): number {
    return Math.max(0, this.#deliveries.length - 1);
  }

  get isDelivered(): boolean {
    return this.#deliveries.length > 0;
  }

  delivered(at: number, delivery: Delivery): void {
    this.#deliveries.push({ ...delivery, at, lockedAt: delivery.lockedAt ?? at });
  }

  released(at: number): void {
    this.#releasedAt.push(at);
  }

  /** Violations. Locks end when the server stops. */
  *violations(serverStarts: readonly number[]): Iterable<string> {
    if (this.#deliveries.some(({ lockedAt }) => lockedAt > this.settledAt))
      yield "was settled and came again";
    if (this.#isHeldTwice(serverStarts)) yield "was locked and came to another client";
  }

  /** Whether the message was locked while another lock was valid, which was not released, on a server that has not restarted since. */
  #isHeldTwice(serverStarts: readonly number[]): boolean {
    const inOrder = this.#deliveries
      .flatMap((delivery) =>
        delivery.lockedUntil === undefined ? [] : [{ ...delivery, until: delivery.lockedUntil }],
      )
      .sort((a, b) => a.until - b.until);
    return inOrder.some((delivery, place) => {
      const before = inOrder[place - 1];
      if (before === undefined || delivery.lockedAt >= before.until) return false;
      // Fractions of a millisecond order what one process wrote, and say nothing of another's.
      const isBetween = (at: number): boolean => at >= before.lockedAt && Math.floor(at) <= delivery.at;
      return !this.#releasedAt.some(isBetween) && !serverStarts.some(isBetween);
    });
  }
}
