import { Buffer } from "node:buffer";
import type { Engine } from "../engine/engine.js";
import type { Queue } from "../entities/queue.js";
import type { Keyed } from "../entities/sequence-number.js";
import type { Topic } from "../entities/topic.js";
import type { MessageId } from "../messages/message.js";

/**
 * Whether an entity with duplicate detection has seen this message's id within its window, in a partitioned entity with the same key; if
 * not, the id is added. A message without an id is never a duplicate.
 */
export function detectDuplicate(
  engine: Engine,
  target: Queue | Topic,
  message: Keyed,
  nowMs: number,
): boolean {
  return target.options.requiresDuplicateDetection && isRepeated(engine, target, message, nowMs);
}

function isRepeated(engine: Engine, target: Queue | Topic, message: Keyed, nowMs: number): boolean {
  const { options, history } = target;
  if (message.messageId === undefined) return false;
  const steadyMs = nowMs - engine.timers.steppedMs;
  forgetOld(engine, target, steadyMs);
  const partitionKey = options.enablePartitioning ? (message.sessionId ?? message.partitionKey) : undefined;
  const key = keyOf(message.messageId, partitionKey);
  if ((history.get(key) ?? 0) > steadyMs) return true;
  history.delete(key);
  const windowMs = options.duplicateDetectionHistoryTimeWindowMs;
  history.set(key, steadyMs + windowMs);
  // Steady time is per process, so the storage gets wall-clock time.
  if (!engine.storage.isVolatile) engine.storage.putDuplicate(target.id, key, nowMs + windowMs);
  return false;
}

/** Ids expire in insertion order, so only the oldest are checked. */
function forgetOld(engine: Engine, { id, history }: Queue | Topic, steadyMs: number): void {
  for (const [key, expiresAtMs] of history) {
    if (expiresAtMs > steadyMs) return;
    history.delete(key);
    if (!engine.storage.isVolatile) engine.storage.deleteDuplicate(id, key);
  }
}

function keyOf(messageId: MessageId, partitionKey: string | undefined): string {
  let key: string;
  if (typeof messageId === "string") key = `s${messageId}`;
  else if (messageId instanceof Uint8Array) key = `b${Buffer.from(messageId).toString("base64")}`;
  else key = `n${messageId}`;
  return partitionKey === undefined ? key : `${key}\n${partitionKey}`;
}
