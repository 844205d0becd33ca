import type { AzureDelivery } from "./azure-delivery.js";

/**
 * How many deliveries may follow an unsettled one. The SDK's AMQP library keeps the deliveries of a link in a ring of 2048 and frees it
 * from the oldest on: after one message that is never settled, the link silently stops delivering 2047 messages later.
 */
const maxAfterUnsettled = 1_500;

/** Counts the deliveries of one link. */
export class DeliveryWindow {
  readonly #unsettled: { readonly number: number; readonly delivery: AzureDelivery }[] = [];
  #count = 0;
  /** Whether the link no longer delivers. */
  isClosed = false;

  /** Whether the link should be replaced by a new one. */
  get isUsedUp(): boolean {
    while (this.#unsettled[0]?.delivery.state === "settled") this.#unsettled.shift();
    const oldest = this.#unsettled[0]?.number ?? this.#count;
    return this.#count - oldest >= maxAfterUnsettled;
  }

  add(delivery: AzureDelivery): void {
    this.#count += 1;
    if (delivery.isLocked) this.#unsettled.push({ number: this.#count, delivery });
  }

  /** Delivered and unsettled messages. */
  unsettled(): AzureDelivery[] {
    return this.#unsettled.map(({ delivery }) => delivery).filter(({ state }) => state !== "settled");
  }
}
