import type { ReceivedServiceBusMessage } from "../sdk/service-bus-client.js";
import { linkDeliveryOf } from "./link-delivery.js";

/** Whether the link that brought a message is gone for sure. */
export function isLinkLost(message: ReceivedServiceBusMessage): boolean {
  return linkDeliveryOf(message)?.link?.is_open?.() === false;
}

/**
 * The message as one that came without a link: the SDK settles those by a request that names the lock, on any link. Given the message
 * itself, it finds the receiver's next link open, settles on the dead one, and waits for an answer that cannot come.
 */
export function withoutLink(message: ReceivedServiceBusMessage): ReceivedServiceBusMessage {
  return Object.create(message, { delivery: { value: {} }, sessionId: { value: undefined } });
}
