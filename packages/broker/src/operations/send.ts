import type { Engine } from "../engine/engine.js";
import type { Queue } from "../entities/queue.js";
import { takeSequence, transferKeyOf } from "../entities/sequence-number.js";
import type { Topic } from "../entities/topic.js";
import { type BrokerError, refusal } from "../errors/broker-error.js";
import { detectDuplicate } from "../lifecycle/detect-duplicate.js";
import { hasRoom, transfer, transferDeadLetter } from "../lifecycle/forward-message.js";
import { requireMemory } from "../lifecycle/require-memory.js";
import { scheduleOrRoute } from "../lifecycle/route-message.js";
import { newTransit, type Transit } from "../lifecycle/transit.js";
import { checkProperties } from "../messages/check-message.js";
import type { BrokerMessage } from "../messages/message.js";
import { type Admitted, bytesToStore, type MessageContent, takeIn } from "../messages/message-content.js";
import { quotaCostOf, sizeOf } from "../messages/message-size.js";
import { checkOnePartition } from "./check-one-partition.js";

/** Sends one message. If it throws, nothing has changed. */
export function send(engine: Engine, target: Queue | Topic, message: BrokerMessage, nowMs: number): void {
  const admitted = admit(target, message, 0);
  enter(engine, target, take(engine, admitted), readerOf(message), nowMs);
}

/** Sends all messages or, if one is refused, none. */
export function sendBatch(
  engine: Engine,
  target: Queue | Topic,
  messages: readonly BrokerMessage[],
  nowMs: number,
): void {
  checkOnePartition(target, messages);
  for (const admitted of admitAll(target, messages)) {
    enter(engine, target, take(engine, admitted), readerOf(admitted.message), nowMs);
  }
}

/** Checks messages to be sent together. */
export function admitAll(target: Queue | Topic, messages: readonly BrokerMessage[]): Admitted[] {
  let pendingBytes = 0;
  return messages.map((message) => {
    const admitted = admit(target, message, pendingBytes);
    pendingBytes += quotaCostOf(admitted.sizeInBytes);
    return admitted;
  });
}

/**
 * Checks a message against its target's status, rules, limits and quota, of which `pendingBytes` are already reserved. Throws if it must be
 * refused.
 */
function admit(target: Queue | Topic, message: BrokerMessage, pendingBytes: number): Admitted {
  const { path, options } = target;
  checkSendable(target);
  checkProperties(message, path);
  if (target.kind === "queue" && target.main.sessions !== undefined && message.sessionId === undefined) {
    throw noSessionId(path);
  }
  const bytes = bytesToStore(message, path);
  const sizeInBytes = sizeOf(message, bytes);
  const limit = options.maxMessageSizeInKilobytes * 1024;
  if (sizeInBytes > limit) throw tooLarge(path, sizeInBytes, limit);
  if (!hasRoom(target, pendingBytes + quotaCostOf(sizeInBytes))) throw full(path, options.maxSizeInMegabytes);
  requireMemory(target, pendingBytes + sizeInBytes, "send to", path);
  return { message, bytes, sizeInBytes };
}

// Errors are made in functions of their own: V8 inlines by size, what never runs included.
function noSessionId(path: string): BrokerError {
  const text = `The SessionId was not set on a message, and it cannot be sent to the entity '${path}'. Entities that have session support enabled can only receive messages that have the SessionId set to a valid value.`;
  return refusal(path, "not-allowed", text);
}

function tooLarge(path: string, sizeInBytes: number, limit: number): BrokerError {
  const text = `Cannot send to '${path}': the message has ${sizeInBytes} bytes, the entity takes at most ${limit}.`;
  return refusal(path, "message-size-exceeded", text);
}

function full(path: string, maxSizeInMegabytes: number): BrokerError {
  const text = `Cannot send to '${path}': its messages have reached the maximum size of ${maxSizeInMegabytes} MB. Receive some first.`;
  return refusal(path, "quota-exceeded", text);
}

/** Throws `entity-disabled` if an entity's status forbids sending. */
export function checkSendable({ path, options: { status } }: Queue | Topic): void {
  if (status === "Active" || status === "ReceiveDisabled") return;
  throw refusal(path, "entity-disabled", `Cannot send to '${path}': its status is ${status}.`);
}

/** Copies a checked message into the broker. */
export function take(engine: Engine, admitted: Admitted): MessageContent {
  return takeIn(engine.storage, engine.messageIdOf(admitted.message), admitted);
}

/** The function by which rules read the application properties of a message sent as `wire`. */
export function readerOf({ applicationProperties }: BrokerMessage): Transit["readProperties"] {
  return typeof applicationProperties === "function" ? applicationProperties : undefined;
}

/** Enqueues a message, or schedules it if it has a scheduled time. Drops duplicates. */
export function enter(
  engine: Engine,
  target: Queue | Topic,
  content: MessageContent,
  readProperties: Transit["readProperties"],
  nowMs: number,
): void {
  if (isDropped(engine, target, content, nowMs)) return;
  scheduleOrRoute(engine, target, newTransit(content, readProperties), nowMs);
}

/** Sends a message to `path` via the queue or topic `via`, which moves it to its transfer dead-letter queue if that is impossible. */
export function enterVia(
  engine: Engine,
  via: Queue | Topic,
  path: string,
  content: MessageContent,
  nowMs: number,
): void {
  const transit = newTransit(content);
  const refusal = transfer(engine, path, transit, nowMs);
  if (refusal === undefined) return;
  const viaPartitionKey = content.rare?.viaPartitionKey;
  const sequence = takeSequence(
    engine.storage,
    via,
    content,
    transferKeyOf(via, { ...content, viaPartitionKey }),
  );
  transferDeadLetter(engine, via, transit, sequence, path, refusal, nowMs);
}

/** Drops a duplicate, and returns whether it did. The sender is not notified. */
export function isDropped(
  engine: Engine,
  target: Queue | Topic,
  content: MessageContent,
  nowMs: number,
): boolean {
  if (!detectDuplicate(engine, target, content, nowMs)) return false;
  engine.emitEntity("dropped-as-duplicate", target.path, nowMs, content.sessionId, String(content.messageId));
  engine.storage.releaseBody(content.bodyId);
  return true;
}
