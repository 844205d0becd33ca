import type { ReceivedServiceBusMessage } from "../sdk/service-bus-client.js";
import { linkDeliveryOf } from "./link-delivery.js";

/** Whether the link that delivered a message is certainly lost. */
export function isLinkLost(message: ReceivedServiceBusMessage): boolean {
  return linkDeliveryOf(message)?.link?.is_open?.() === false;
}

/**
 * The message without its link: the SDK settles such messages by a request with the lock token, over any link. With the link, the SDK finds
 * the receiver's next link open, settles on the lost one, and waits for an answer that never arrives.
 */
export function withoutLink(message: ReceivedServiceBusMessage): ReceivedServiceBusMessage {
  return Object.create(message, { delivery: { value: {} }, sessionId: { value: undefined } });
}
