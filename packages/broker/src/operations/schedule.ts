import type { Engine } from "../engine/engine.js";
import type { Queue } from "../entities/queue.js";
import { takeSequence } from "../entities/sequence-number.js";
import type { Topic } from "../entities/topic.js";
import { refusal } from "../errors/broker-error.js";
import { scheduleOrRoute } from "../lifecycle/route-message.js";
import { newTransit } from "../lifecycle/transit.js";
import type { BrokerMessage } from "../messages/message.js";
import type { Admitted } from "../messages/message-content.js";
import { admitAll, isDropped, readerOf, take } from "./send.js";

/**
 * Schedules messages, all or none. Returns the sequence numbers that cancel them, valid until activation; 0 for a duplicate, which is
 * dropped. A message whose time has passed is enqueued at once, under the returned number.
 */
export function schedule(
  engine: Engine,
  target: Queue | Topic,
  messages: readonly BrokerMessage[],
  nowMs: number,
): bigint[] {
  return admitScheduled(target, messages).map((admitted) => {
    const content = take(engine, admitted);
    if (isDropped(engine, target, content, nowMs)) return 0n;
    const sequence = takeSequence(engine.storage, target, content);
    scheduleOrRoute(engine, target, newTransit(content, readerOf(admitted.message), sequence), nowMs);
    return BigInt(sequence);
  });
}

/** Checks messages to be scheduled together. Throws `argument-error` for one without a scheduled time. */
export function admitScheduled(target: Queue | Topic, messages: readonly BrokerMessage[]): Admitted[] {
  for (const { scheduledEnqueueTime } of messages) {
    if (scheduledEnqueueTime === undefined || Number.isNaN(scheduledEnqueueTime.getTime())) {
      const text = `Cannot schedule in '${target.path}': scheduledEnqueueTime is missing.`;
      throw refusal(target.path, "argument-error", text);
    }
  }
  return admitAll(target, messages);
}
