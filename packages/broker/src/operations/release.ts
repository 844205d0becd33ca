import type { Engine } from "../engine/engine.js";
import { releaseLock } from "../lifecycle/end-lock.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** Gives a locked message back as if it had not been delivered: at its old place, and no delivery counts as failed. */
export function release(engine: Engine, message: StoredMessage, nowMs: number): void {
  releaseLock(engine, message, nowMs);
}
