import { required } from "@waybill/foundation";
import type { Engine } from "../engine/engine.js";
import { lockDurationOf } from "../entities/entity-registry.js";
import { refusal } from "../errors/broker-error.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** Renews a message's lock; returns its new end. Throws `not-allowed` in a session, whose lock covers its messages. */
export function renewLock(engine: Engine, message: StoredMessage, nowMs: number): Date {
  const { store, session } = message;
  if (session !== undefined) {
    const text = `Renew the lock of session '${session.id}' of '${store.path}', not its messages'.`;
    throw refusal(store.path, "not-allowed", text);
  }
  message.arm(nowMs + lockDurationOf(store));
  engine.emit("lock-renewed", message, nowMs);
  return new Date(required(message.lockedUntilMs, "The end of a message's lock"));
}
