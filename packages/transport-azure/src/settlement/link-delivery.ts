import type { AmqpErrorFields } from "../sdk/amqp-error.js";
import type { ReceivedServiceBusMessage } from "../sdk/service-bus-client.js";

/** What rhea, the AMQP library beneath the SDK, knows of a message: by this the SDK settles it. Its types do not tell of it. */
export interface LinkDelivery {
  /** Without one, the message came in an answer to a request. */
  readonly link?: {
    is_open(): boolean;
    on(event: "settled", listener: (context: { readonly delivery: LinkDelivery }) => void): unknown;
  };
  /** Whether the broker has answered a settlement. */
  readonly remote_settled: boolean;
  readonly remote_state?: { readonly error?: AmqpErrorFields };
  accept(): void;
}

/** The delivery that a message came with, or what a version of the SDK has in its place. */
export function linkDeliveryOf(message: ReceivedServiceBusMessage): Partial<LinkDelivery> | undefined {
  return (message as { readonly delivery?: Partial<LinkDelivery> }).delivery;
}
