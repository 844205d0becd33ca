import type { AmqpErrorFields } from "../sdk/amqp-error.js";
import type { ReceivedServiceBusMessage } from "../sdk/service-bus-client.js";

/** rhea's delivery of a message, by which the SDK settles it; not in the SDK's types. */
export interface LinkDelivery {
  /** Absent if the message arrived in the response to a request. */
  readonly link?: {
    is_open(): boolean;
    on(event: "settled", listener: (context: { readonly delivery: LinkDelivery }) => void): unknown;
  };
  /** Whether the broker has answered a settlement. */
  readonly remote_settled: boolean;
  readonly remote_state?: { readonly error?: AmqpErrorFields };
  accept(): void;
}

/** The delivery a message arrived with, or whatever another version of the SDK has in its place. */
export function linkDeliveryOf(message: ReceivedServiceBusMessage): Partial<LinkDelivery> | undefined {
  return (message as { readonly delivery?: Partial<LinkDelivery> }).delivery;
}
