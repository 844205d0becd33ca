import type { Engine } from "../engine/engine.js";
import type { ReceivingEntity } from "../entities/entity-registry.js";
import type { ApplicationProperties } from "../messages/message.js";
import { StoredMessage } from "../messages/stored-message.js";
import { forwardDeadLetter } from "./forward-message.js";
import { placeMessage, takeOut } from "./place-message.js";

/** Dead-letter reasons set by the broker itself. Source: "Overview of Service Bus dead-letter queues". */
export type SystemDeadLetterReason =
  | "MaxDeliveryCountExceeded"
  | "MaxTransferHopCountExceeded"
  | "MessagingEntityDisabled"
  | "MessagingEntityNotFound"
  | "QuotaExceeded"
  | "Session ID is null"
  | "TTLExpiredException";

/**
 * Moves a message to the dead-letter queue of its entity, or forwards it from there. It keeps its sequence number, enqueued time and
 * delivery count. The message must not be in a lane.
 */
export function deadLetterMessage(
  engine: Engine,
  message: StoredMessage,
  record: ApplicationProperties,
  nowMs: number,
): void {
  const owner = message.store.owner as ReceivingEntity;
  takeOut(engine, message);
  const { sequence, lifeMs, enqueuedAtMs } = message;
  const moved = new StoredMessage(owner.deadLetter, message, sequence, enqueuedAtMs, lifeMs);
  moved.deliveryCount = message.deliveryCount;
  moved.propertyChanges = { ...message.propertyChanges, ...record };
  engine.emit("dead-lettered", message, nowMs, String(record.DeadLetterReason ?? ""), moved);
  if (!forwardDeadLetter(engine, owner, moved, nowMs)) placeMessage(engine, moved);
}

/** The properties that say why the broker dead-lettered a message. */
export function deadLetterRecord(
  reason: SystemDeadLetterReason | string,
  description: string,
): ApplicationProperties {
  return { DeadLetterReason: reason, DeadLetterErrorDescription: description };
}
