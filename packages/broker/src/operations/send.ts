import { BrokerError } from "../broker-error.js";
import type { Engine } from "../engine.js";
import type { Queue } from "../entities/queue.js";
import { takeSequence } from "../entities/sequence-number.js";
import type { Topic } from "../entities/topic.js";
import { placeMessage } from "../lifecycle/place-message.js";
import { routeMessage } from "../lifecycle/route-message.js";
import type { BrokerMessage } from "../messages/message.js";
import { type Admitted, bytesToStore, checkProperties, sizeOf, takeIn } from "../messages/message-content.js";
import { StoredMessage } from "../messages/stored-message.js";

/** Sends one message. Throws before anything changed when it is refused. */
export function send(engine: Engine, target: Queue | Topic, message: BrokerMessage, nowMs: number): void {
  accept(engine, target, admit(engine, target, message), nowMs);
}

/** Sends messages as one: if one is refused, none is sent. */
export function sendBatch(
  engine: Engine,
  target: Queue | Topic,
  messages: readonly BrokerMessage[],
  nowMs: number,
): void {
  const admitted = messages.map((message) => admit(engine, target, message));
  for (const one of admitted) accept(engine, target, one, nowMs);
}

/** Checks a message against its target's rules and limits. Throws when it has to be refused. */
export function admit(_engine: Engine, target: Queue | Topic, message: BrokerMessage): Admitted {
  const { path } = target;
  checkProperties(message, path);
  const bytes = bytesToStore(message, path);
  const sizeInBytes = sizeOf(message, bytes);
  const limit = target.options.maxMessageSizeInKilobytes * 1024;
  if (sizeInBytes > limit) {
    throw new BrokerError(
      "message-size-exceeded",
      `Cannot send to '${path}': the message has ${sizeInBytes} bytes, the entity takes at most ${limit}.`,
      { entity: path },
    );
  }
  return { message, bytes, sizeInBytes };
}

/** Takes an admitted message in and enqueues it, or keeps it until its scheduled time. */
export function accept(engine: Engine, target: Queue | Topic, admitted: Admitted, nowMs: number): void {
  const scheduledMs = admitted.message.scheduledEnqueueTime?.getTime();
  if (scheduledMs !== undefined && scheduledMs > nowMs) {
    acceptScheduled(engine, target, admitted, nowMs);
    return;
  }
  const content = takeIn(engine.storage, engine.messageIdOf(admitted.message), admitted);
  routeMessage(
    engine,
    target,
    {
      content,
      propertyChanges: undefined,
      enqueuedSequence: undefined,
      hops: 0,
      deadLetterSource: undefined,
    },
    nowMs,
  );
}

/** Keeps an admitted message in its target until its scheduled time; returns the number that cancels it. */
export function acceptScheduled(
  engine: Engine,
  target: Queue | Topic,
  admitted: Admitted,
  nowMs: number,
): number {
  const content = takeIn(engine.storage, engine.messageIdOf(admitted.message), admitted);
  const sequence = takeSequence(engine, target, content);
  const message = new StoredMessage(
    target.main,
    content,
    sequence,
    sequence,
    nowMs,
    Number.POSITIVE_INFINITY,
  );
  message.state = "scheduled";
  placeMessage(engine, message, nowMs);
  engine.emit("scheduled", message, nowMs);
  return sequence;
}
