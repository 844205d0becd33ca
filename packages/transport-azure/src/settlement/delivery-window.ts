import type { AzureDelivery } from "./azure-delivery.js";

/**
 * How many deliveries may follow one that is not settled. The AMQP library beneath the SDK keeps the deliveries of a link in a ring of 2048
 * and frees it from the oldest on: one message that nobody settles ends the link's deliveries, without a word, 2047 messages later.
 */
const mostAfterUnsettled = 1_500;

/** Counts the deliveries of one link. */
export class DeliveryWindow {
  readonly #unsettled: { readonly number: number; readonly delivery: AzureDelivery }[] = [];
  #count = 0;
  /** Whether nothing comes over the link any more. */
  isClosed = false;

  /** Whether the link should make room for a new one. */
  get isUsedUp(): boolean {
    while (this.#unsettled[0]?.delivery.state === "settled") this.#unsettled.shift();
    const oldest = this.#unsettled[0]?.number ?? this.#count;
    return this.#count - oldest >= mostAfterUnsettled;
  }

  add(delivery: AzureDelivery): void {
    this.#count += 1;
    if (delivery.isLocked) this.#unsettled.push({ number: this.#count, delivery });
  }

  /** What was delivered and is not settled. */
  unsettled(): AzureDelivery[] {
    return this.#unsettled.map(({ delivery }) => delivery).filter(({ state }) => state !== "settled");
  }
}
