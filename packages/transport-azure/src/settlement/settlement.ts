import type { ReceivedServiceBusMessage, ServiceBusReceiverLike } from "../service-bus-client.js";

/** Settles a message in one way, by any receiver of its entity. */
export type SendSettlement = (
  receiver: ServiceBusReceiverLike,
  message: ReceivedServiceBusMessage,
) => Promise<void>;

/** The settlement of one message, from the call until its answer. */
export interface Settlement {
  readonly message: ReceivedServiceBusMessage;
  readonly send: SendSettlement;
  /** The first call of either counts. */
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}
