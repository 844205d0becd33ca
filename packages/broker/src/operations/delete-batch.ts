import type { Engine } from "../engine.js";
import type { MessageStore } from "../entities/message-store.js";
import { removeMessage } from "./purge.js";

/** Which messages a batch delete takes. */
export interface DeleteBatchOptions {
  /** Only messages enqueued before this instant; default: all. */
  readonly enqueuedBefore?: Date | undefined;
  readonly sessionId?: string | undefined;
}

/** Deletes up to `maxCount` active, unlocked messages, the oldest first; returns how many. */
export function deleteBatch(
  engine: Engine,
  store: MessageStore,
  maxCount: number,
  { enqueuedBefore, sessionId }: DeleteBatchOptions,
): number {
  const beforeMs = enqueuedBefore?.getTime() ?? Number.POSITIVE_INFINITY;
  const chosen = [];
  for (const message of store.byArrival()) {
    if (chosen.length >= maxCount) break;
    if (message.state !== "active" || message.isLocked || message.enqueuedAtMs >= beforeMs) continue;
    if (sessionId === undefined || message.content.sessionId === sessionId) chosen.push(message);
  }
  for (const message of chosen) removeMessage(engine, message);
  return chosen.length;
}
