import type { Engine } from "../engine/engine.js";
import { countDelivery, releaseLock } from "../lifecycle/end-lock.js";
import { saveMessage } from "../lifecycle/place-message.js";
import type { StoredMessage } from "../messages/stored-message.js";

/**
 * Defers a locked message: from now on it can only be received by sequence number. Counts as a delivery, so a message at its last delivery
 * is dead-lettered instead.
 */
export function defer(engine: Engine, message: StoredMessage, nowMs: number): void {
  if (countDelivery(engine, message, nowMs)) return;
  message.store.changeState(message, "deferred");
  message.session?.setAside(message);
  saveMessage(engine, message);
  engine.emit("deferred", message, nowMs);
  releaseLock(engine, message, nowMs);
}
