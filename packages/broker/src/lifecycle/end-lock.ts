import type { Engine } from "../engine/engine.js";
import type { ReceivingEntity } from "../entities/entity-registry.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { deadLetterMessage, deadLetterRecord } from "./dead-letter-message.js";
import { expireMessage } from "./expire-message.js";
import { forwardMessage } from "./forward-message.js";
import { armExpiry, makeReady, saveMessage, takeOut } from "./place-message.js";

/**
 * Ends a lock after a failed delivery: counts the delivery and makes the message available at its old position, or dead-letters it after
 * the maximum number of deliveries.
 */
export function failDelivery(engine: Engine, message: StoredMessage, nowMs: number): void {
  if (countDelivery(engine, message, nowMs)) return;
  saveMessage(engine, message);
  releaseLock(engine, message, nowMs);
}

/**
 * Counts a delivery that did not complete a message, and dead-letters the message if it reached the maximum; returns whether it did. Like
 * in the service, dead-letter queues do not count.
 */
export function countDelivery(engine: Engine, message: StoredMessage, nowMs: number): boolean {
  if (message.store.kind !== "main") return false;
  message.deliveryCount++;
  const { maxDeliveryCount } = (message.store.owner as ReceivingEntity).options;
  if (message.deliveryCount < maxDeliveryCount) return false;
  const description = `Message could not be consumed after ${maxDeliveryCount} delivery attempts.`;
  deadLetterMessage(engine, message, deadLetterRecord("MaxDeliveryCountExceeded", description), nowMs);
  return true;
}

/**
 * Ends a lock without counting a delivery. An active message whose time to live is over expires at once; if the entity forwards meanwhile,
 * the message is forwarded.
 */
export function releaseLock(engine: Engine, message: StoredMessage, nowMs: number): void {
  message.disarm();
  message.lock = undefined;
  message.session?.lock?.unhold(message);
  // A deferred message stays deferred, and is received by its number again.
  if (message.state !== "active") return;
  if (message.store.kind === "main") {
    const { expiryMs } = message;
    if (expiryMs !== undefined && expiryMs <= nowMs) {
      expireMessage(engine, message, nowMs);
      return;
    }
    // Forwarding may have been switched on while it was locked.
    if ((message.store.owner as ReceivingEntity).options.forwardTo !== undefined) {
      takeOut(engine, message);
      forwardMessage(engine, message, nowMs);
      return;
    }
  }
  armExpiry(message);
  makeReady(engine, message);
}
