import type { Engine } from "../engine/engine.js";
import { failDelivery } from "../lifecycle/end-lock.js";
import type { ApplicationProperties } from "../messages/message.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { changeProperties } from "./change-properties.js";

/** Abandons a locked message and counts a failed delivery; the next receiver gets it first. */
export function abandon(
  engine: Engine,
  message: StoredMessage,
  propertiesToModify: ApplicationProperties | undefined,
  nowMs: number,
): void {
  changeProperties(message, propertiesToModify);
  engine.emit("abandoned", message, nowMs);
  failDelivery(engine, message, nowMs);
}
