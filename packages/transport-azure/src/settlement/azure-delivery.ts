import type { ReceivedServiceBusMessage } from "../sdk/service-bus-client.js";
import type { DeliveryWindow } from "./delivery-window.js";

/** One message that the SDK delivered; the settlement handle if it is locked. */
export class AzureDelivery {
  readonly message: ReceivedServiceBusMessage;
  state: "open" | "settling" | "settled" = "open";
  /** The pending or finished settlement. */
  settling: Promise<void> | undefined = undefined;
  /** Of the link that delivered it; undefined for a message that a request returned. */
  window: DeliveryWindow | undefined = undefined;

  constructor(message: ReceivedServiceBusMessage) {
    this.message = message;
  }

  get isLocked(): boolean {
    return this.message.lockToken !== undefined;
  }
}
