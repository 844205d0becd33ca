import type { Engine } from "../engine/engine.js";
import { failDelivery } from "../lifecycle/end-lock.js";
import { discardMessage } from "../lifecycle/place-message.js";
import type { StoredMessage } from "../messages/stored-message.js";

export function complete(engine: Engine, message: StoredMessage, nowMs: number): void {
  if (engine.faults.isActive && engine.faults.takeDuplicate(message.store.path)) {
    failDelivery(engine, message, nowMs);
    return;
  }
  engine.emit("completed", message, nowMs);
  discardMessage(engine, message);
}
