import type { ReceivedServiceBusMessage } from "../sdk/service-bus-client.js";

/** One message that the SDK delivered; the settlement handle if it is locked. */
export class AzureDelivery {
  readonly message: ReceivedServiceBusMessage;
  state: "open" | "settling" | "settled" = "open";
  /** The pending or finished settlement. */
  settling: Promise<void> | undefined = undefined;

  constructor(message: ReceivedServiceBusMessage) {
    this.message = message;
  }

  get isLocked(): boolean {
    return this.message.lockToken !== undefined;
  }
}
