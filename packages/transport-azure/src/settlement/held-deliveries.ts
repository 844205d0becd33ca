import { fromLong } from "../messages/from-service-bus-message.js";
import type { AzureDelivery } from "./azure-delivery.js";
import { DeliveryWindow } from "./delivery-window.js";

/** What the links of one receiver have delivered, and what of it is locked still. */
export class HeldDeliveries {
  readonly #windows = new Set<DeliveryWindow>();
  readonly #isSession: boolean;

  /** The lock of a session covers its messages, whatever they say themselves. */
  constructor(isSession: boolean) {
    this.#isSession = isSession;
  }

  /** Counts the deliveries of another link. */
  addLink(): DeliveryWindow {
    this.#forgetClosed();
    const window = new DeliveryWindow();
    this.#windows.add(window);
    return window;
  }

  sequenceNumbers(): bigint[] {
    this.#forgetClosed();
    return Array.from(this.#windows, (window) => this.#heldIn(window))
      .flat()
      .flatMap(({ message: { sequenceNumber } }) => (sequenceNumber ? fromLong(sequenceNumber) : []));
  }

  #heldIn(window: DeliveryWindow): AzureDelivery[] {
    const nowMs = Date.now();
    return window
      .unsettled()
      .filter(({ message }) => this.#isSession || (message.lockedUntilUtc?.getTime() ?? 0) > nowMs);
  }

  /** A link that is closed counts until all that it brought is settled, or its locks are over. */
  #forgetClosed(): void {
    for (const window of this.#windows) {
      if (window.isClosed && this.#heldIn(window).length === 0) this.#windows.delete(window);
    }
  }
}
