import { required } from "@waybill/foundation";
import type { Engine } from "../engine/engine.js";
import type { Entity, ReceivingEntity } from "../entities/entity-registry.js";
import { partitions } from "../entities/partitions.js";
import type { Queue } from "../entities/queue.js";
import type { Topic } from "../entities/topic.js";
import { quotaCostOf } from "../messages/message-size.js";
import { StoredMessage } from "../messages/stored-message.js";
import { deadLetterRecord, type SystemDeadLetterReason } from "./dead-letter-message.js";
import { detectDuplicate } from "./detect-duplicate.js";
import { placeMessage } from "./place-message.js";
import { scheduleOrRoute } from "./route-message.js";
import { type Transit, transitOf } from "./transit.js";

/** Maximum number of times a message is forwarded. Source: "Chaining Service Bus entities with autoforwarding". */
const hopLimit = 4;

/**
 * Forwards a message from its entity, or moves it to the entity's transfer dead-letter queue if that is impossible. The message must not be
 * in a store.
 */
export function forwardMessage(engine: Engine, message: StoredMessage, nowMs: number): void {
  const from = message.store.owner as ReceivingEntity;
  const path = required(from.options.forwardTo, "Where an entity forwards");
  const transit = { ...transitOf(message), hops: message.hops + 1 };
  const refusal = transfer(engine, path, transit, nowMs);
  if (refusal === undefined) engine.emit("forwarded", message, nowMs, path);
  else transferDeadLetter(engine, from, transitOf(message), message.sequence, path, refusal, nowMs);
}

/**
 * Forwards a dead-lettered message if its entity is configured so; returns whether it did. A message that cannot be forwarded stays in the
 * dead-letter queue.
 */
export function forwardDeadLetter(
  engine: Engine,
  from: ReceivingEntity,
  message: StoredMessage,
  nowMs: number,
): boolean {
  const path = from.options.forwardDeadLetteredMessagesTo;
  if (path === undefined) return false;
  const transit: Transit = {
    ...transitOf(message),
    lifeMs: message.content.timeToLiveMs ?? Number.POSITIVE_INFINITY,
    hops: message.hops + 1,
    deadLetterSource: from.path,
  };
  if (transfer(engine, path, transit, nowMs) !== undefined) return false;
  engine.emit("forwarded", message, nowMs, path);
  return true;
}

/** Moves a message that could not be transferred to the transfer dead-letter queue, with the reason. */
export function transferDeadLetter(
  engine: Engine,
  from: Entity,
  transit: Transit,
  sequence: number,
  path: string,
  reason: SystemDeadLetterReason,
  nowMs: number,
): void {
  const record = deadLetterRecord(
    reason,
    reason === "MaxTransferHopCountExceeded"
      ? `The maximum number of allowed hops when forwarding between queues exceeded the limit. This value is set to ${hopLimit}.`
      : `The message could not be transferred to '${path}'.`,
  );
  const refused = { ...transit, propertyChanges: { ...transit.propertyChanges, ...record } };
  const message = new StoredMessage(from.transferDeadLetter, refused, sequence, nowMs, transit.lifeMs);
  engine.emit("dead-lettered", message, nowMs, reason);
  placeMessage(engine, message);
}

/** Transfers a message to another entity; if that is impossible, returns the reason and leaves the message where it was. */
export function transfer(
  engine: Engine,
  path: string,
  transit: Transit,
  nowMs: number,
): SystemDeadLetterReason | undefined {
  if (transit.hops > hopLimit) return "MaxTransferHopCountExceeded";
  const target = engine.entities.find(path);
  if (target === undefined || target.kind === "subscription") return "MessagingEntityNotFound";
  if (target.options.status === "Disabled" || target.options.status === "SendDisabled")
    return "MessagingEntityDisabled";
  if (!hasRoom(target, quotaCostOf(transit.content.sizeInBytes))) return "QuotaExceeded";
  if (detectDuplicate(engine, target, transit.content, nowMs)) {
    engine.storage.releaseBody(transit.content.bodyId);
    return undefined;
  }
  target.accessedAtMs = nowMs;
  scheduleOrRoute(engine, target, transit, nowMs);
  return undefined;
}

/** Whether `bytes` more fit into an entity's quota; each partition has its own quota. */
export function hasRoom(target: Queue | Topic, bytes: number): boolean {
  const { maxSizeInMegabytes } = target.options;
  const quota = maxSizeInMegabytes * 1024 * 1024 * (target.isPartitioned ? partitions : 1);
  return target.usage.bytes + bytes <= quota && !target.isFilled;
}
