import type { Engine } from "../engine/engine.js";
import type { Queue } from "../entities/queue.js";
import type { Topic } from "../entities/topic.js";
import { messageNotFound } from "../errors/broker-error.js";
import { discardMessage } from "../lifecycle/place-message.js";

/** Cancels scheduled messages, all or none. Throws `message-not-found` for a number that is not (or no longer) scheduled. */
export function cancelScheduled(
  engine: Engine,
  target: Queue | Topic,
  sequenceNumbers: readonly bigint[],
  nowMs: number,
): void {
  const messages = new Set(
    sequenceNumbers.map((sequenceNumber) => {
      const message = target.main.index.find(Number(sequenceNumber));
      if (message?.state !== "scheduled") throw messageNotFound(target.path, sequenceNumber, "scheduled");
      return message;
    }),
  );
  for (const message of messages) {
    engine.emit("cancelled", message, nowMs);
    discardMessage(engine, message);
  }
}
