import type { Engine } from "../engine/engine.js";
import { failDelivery } from "../lifecycle/end-lock.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** Abandons a locked message and counts a failed delivery; the next receiver gets it first. */
export function abandon(engine: Engine, message: StoredMessage, nowMs: number): void {
  engine.emit("abandoned", message, nowMs);
  failDelivery(engine, message, nowMs);
}
