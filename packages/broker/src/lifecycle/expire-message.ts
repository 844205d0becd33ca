import type { Engine } from "../engine/engine.js";
import type { ReceivingEntity } from "../entities/entity-registry.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { deadLetterMessage, deadLetterRecord } from "./dead-letter-message.js";
import { discardMessage } from "./place-message.js";

/** Dead-letters or deletes a message whose time to live is over. The message must not be in a lane. */
export function expireMessage(engine: Engine, message: StoredMessage, nowMs: number): void {
  engine.emit("expired", message, nowMs);
  const owner = message.store.owner as ReceivingEntity;
  if (owner.options.deadLetteringOnMessageExpiration) {
    const record = deadLetterRecord("TTLExpiredException", "The message expired and was dead lettered.");
    deadLetterMessage(engine, message, record, nowMs);
  } else {
    discardMessage(engine, message);
  }
}
