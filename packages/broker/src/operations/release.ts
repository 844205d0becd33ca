import type { Engine } from "../engine/engine.js";
import { releaseLock } from "../lifecycle/end-lock.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** Releases a locked message as if it had not been delivered: at its old position, without counting a failed delivery. */
export function release(engine: Engine, message: StoredMessage, nowMs: number): void {
  releaseLock(engine, message, nowMs);
}
