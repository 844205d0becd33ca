import type { ReceivedServiceBusMessage } from "../service-bus-client.js";

/** The handle of one locked message: what the SDK settles it by, and how far that has come. */
export class AzureDelivery {
  readonly message: ReceivedServiceBusMessage;
  state: "open" | "settling" | "settled" = "open";

  constructor(message: ReceivedServiceBusMessage) {
    this.message = message;
  }
}
