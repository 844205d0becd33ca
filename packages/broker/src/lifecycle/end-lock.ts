import type { Engine } from "../engine.js";
import type { ReceivingEntity } from "../entities/entity-registry.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { deadLetterMessage, deadLetterRecord } from "./dead-letter-message.js";
import { expireMessage } from "./expire-message.js";
import { armExpiry, makeReady, saveMessage } from "./place-message.js";

/**
 * Ends a lock after a delivery that failed: counts it and makes the message available again at its old place, or dead-letters it
 * after the last delivery that its entity allows.
 */
export function failDelivery(engine: Engine, message: StoredMessage, nowMs: number): void {
  const owner = message.store.owner as ReceivingEntity;
  message.deliveryCount++;
  const { maxDeliveryCount } = owner.options;
  if (message.deliveryCount >= maxDeliveryCount && message.store.kind === "main") {
    const description = `Message could not be consumed after ${maxDeliveryCount} delivery attempts.`;
    deadLetterMessage(engine, message, deadLetterRecord("MaxDeliveryCountExceeded", description), nowMs);
    return;
  }
  saveMessage(engine, message);
  releaseLock(engine, message, nowMs);
}

/** Ends a lock without counting a delivery; a message whose time is over meanwhile expires at once. */
export function releaseLock(engine: Engine, message: StoredMessage, nowMs: number): void {
  engine.timers.disarm(message);
  message.lockSerial = 0;
  message.session?.held.delete(message);
  if (message.expiresAtMs <= nowMs && message.store.kind === "main") {
    expireMessage(engine, message, nowMs);
    return;
  }
  armExpiry(engine, message);
  if (message.state === "active") makeReady(engine, message);
}
