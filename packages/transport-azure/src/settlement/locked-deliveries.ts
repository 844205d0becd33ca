import { fromLong } from "../messages/from-service-bus-message.js";
import type { AzureDelivery } from "./azure-delivery.js";
import { DeliveryWindow } from "./delivery-window.js";

/** What the links of one receiver have delivered, and which of those messages are still locked. */
export class LockedDeliveries {
  readonly #windows = new Set<DeliveryWindow>();
  readonly #isSession: boolean;

  /** A session's lock covers its messages, whatever lock times they report. */
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
    return Array.from(this.#windows, (window) => this.#lockedIn(window))
      .flat()
      .flatMap(({ message: { sequenceNumber } }) => (sequenceNumber ? fromLong(sequenceNumber) : []));
  }

  #lockedIn(window: DeliveryWindow): AzureDelivery[] {
    const nowMs = Date.now();
    return window
      .unsettled()
      .filter(({ message }) => this.#isSession || (message.lockedUntilUtc?.getTime() ?? 0) > nowMs);
  }

  /** A closed link counts until all its messages are settled or their locks have expired. */
  #forgetClosed(): void {
    for (const window of this.#windows) {
      if (window.isClosed && this.#lockedIn(window).length === 0) this.#windows.delete(window);
    }
  }
}
