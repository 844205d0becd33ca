import type { Engine } from "../engine.js";
import type { ArrivalWalk } from "../entities/arrival-walk.js";
import { STRIDE } from "../timing/next-turn.js";
import { removeMessage } from "./purge.js";

/** Which messages a batch delete takes. */
export interface DeleteBatchOptions {
  /** Only messages enqueued before this instant; default: all. */
  readonly enqueuedBefore?: Date | undefined;
  readonly sessionId?: string | undefined;
}

/** What came of a part of a batch delete. */
export interface DeletedPart {
  readonly count: number;
  /** Whether there is nothing more to look at. */
  readonly isLast: boolean;
}

/** Deletes up to `maxCount` active, unlocked messages among the next ones of a walk, the oldest first. */
export function deleteSome(
  engine: Engine,
  walk: ArrivalWalk,
  maxCount: number,
  { enqueuedBefore, sessionId }: DeleteBatchOptions,
): DeletedPart {
  const beforeMs = enqueuedBefore?.getTime() ?? Number.POSITIVE_INFINITY;
  const messages = walk.take(STRIDE);
  let count = 0;
  for (const message of messages) {
    if (count >= maxCount) break;
    if (message.state !== "active" || message.isLocked || message.enqueuedAtMs >= beforeMs) continue;
    if (sessionId !== undefined && message.content.sessionId !== sessionId) continue;
    removeMessage(engine, message);
    count++;
  }
  return { count, isLast: messages.length < STRIDE };
}
