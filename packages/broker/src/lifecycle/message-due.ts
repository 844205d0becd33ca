import type { Engine } from "../engine.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { activateScheduled } from "./activate-scheduled.js";
import { failDelivery } from "./end-lock.js";
import { expireMessage } from "./expire-message.js";
import { withdraw } from "./place-message.js";

/** What a message's timer brings: the end of its lock, its activation, or its expiry. */
export function onMessageDue(engine: Engine, message: StoredMessage, nowMs: number): void {
  if (message.state === "scheduled") {
    activateScheduled(engine, message, nowMs);
  } else if (message.isLocked) {
    engine.emit("lock-expired", message, nowMs);
    failDelivery(engine, message, nowMs);
  } else {
    withdraw(message);
    expireMessage(engine, message, nowMs);
  }
}
