import { BrokerError } from "../broker-error.js";
import type { Engine } from "../engine.js";
import type { Queue } from "../entities/queue.js";
import type { Topic } from "../entities/topic.js";
import type { BrokerMessage } from "../messages/message.js";
import { acceptScheduled, admit } from "./send.js";

/**
 * Keeps messages until their scheduled time, all or none. Returns the numbers that cancel them, valid until activation.
 * A time that has passed activates at once.
 */
export function schedule(
  engine: Engine,
  target: Queue | Topic,
  messages: readonly BrokerMessage[],
  nowMs: number,
): bigint[] {
  const admitted = messages.map((message) => {
    if (message.scheduledEnqueueTime === undefined || Number.isNaN(message.scheduledEnqueueTime.getTime())) {
      throw new BrokerError(
        "argument-error",
        `Cannot schedule in '${target.path}': scheduledEnqueueTime is missing.`,
        {
          entity: target.path,
        },
      );
    }
    return admit(engine, target, message);
  });
  return admitted.map((one) => BigInt(acceptScheduled(engine, target, one, nowMs)));
}
