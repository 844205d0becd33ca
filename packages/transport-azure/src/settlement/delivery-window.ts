import type { AzureDelivery } from "./azure-delivery.js";

/**
 * How many deliveries may follow an unsettled one. The SDK's AMQP library keeps the deliveries of a link in a ring of 2048 and frees it
 * from the oldest on: after one message that is never settled, the link silently stops delivering 2047 messages later.
 */
const maxAfterUnsettled = 1_500;

/** The deliveries of one link, and the settlements sent on it. */
export class DeliveryWindow {
  readonly #unsettled: { readonly number: number; readonly delivery: AzureDelivery }[] = [];
  #count = 0;
  #isClosed = false;

  /** Whether the link no longer delivers, and no settlement may be sent on it. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether the link should be replaced by a new one. */
  get isUsedUp(): boolean {
    while (this.#unsettled[0]?.delivery.state === "settled") this.#unsettled.shift();
    const oldest = this.#unsettled[0]?.number ?? this.#count;
    return this.#count - oldest >= maxAfterUnsettled;
  }

  add(delivery: AzureDelivery): void {
    this.#count++;
    delivery.window = this;
    if (delivery.isLocked) this.#unsettled.push({ number: this.#count, delivery });
  }

  /** Delivered and unsettled messages. */
  unsettled(): AzureDelivery[] {
    return this.#unsettled.map(({ delivery }) => delivery).filter(({ state }) => state !== "settled");
  }

  /** Resolves when no settlement is waiting for its answer. Messages that nobody settles are not waited for. */
  async answered(): Promise<void> {
    for (;;) {
      const pending = this.unsettled().filter(({ state }) => state === "settling");
      if (pending.length === 0) return;
      await Promise.allSettled(pending.map(({ settling }) => settling));
    }
  }

  /** From now on, its messages are settled by requests. To be called before the link closes, and after `answered`. */
  close(): void {
    this.#isClosed = true;
  }
}
