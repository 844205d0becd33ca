import type { Engine } from "../engine.js";
import type { ReceivingEntity } from "../entities/entity-registry.js";
import type { Queue } from "../entities/queue.js";
import { takeSequence } from "../entities/sequence-number.js";
import type { Topic } from "../entities/topic.js";
import type { ApplicationProperties } from "../messages/message.js";
import type { MessageContent } from "../messages/message-content.js";
import { StoredMessage } from "../messages/stored-message.js";
import { forwardOnArrival } from "./forward-message.js";
import { placeMessage } from "./place-message.js";

/** A message between two stores. It owns one reference to its body. */
export interface Transit {
  readonly content: MessageContent;
  readonly propertyChanges: ApplicationProperties | undefined;
  /** Absent until the first entity gave its number. */
  readonly enqueuedSequence: number | undefined;
  readonly hops: number;
  readonly deadLetterSource: string | undefined;
}

/** Brings an admitted message into a queue, or through a topic into its subscriptions. */
export function routeMessage(engine: Engine, target: Queue | Topic, transit: Transit, nowMs: number): void {
  if (target.kind === "queue") arrive(engine, target, transit, nowMs);
  else fanOut(engine, target, transit, nowMs);
}

function arrive(engine: Engine, entity: ReceivingEntity, transit: Transit, nowMs: number): void {
  const { content } = transit;
  const sequence = takeSequence(engine, entity, content);
  const lifeMs = Math.min(content.timeToLiveMs, entity.options.defaultMessageTimeToLiveMs);
  const message = new StoredMessage(
    entity.main,
    content,
    sequence,
    transit.enqueuedSequence ?? sequence,
    nowMs,
    nowMs + lifeMs,
  );
  message.propertyChanges = transit.propertyChanges;
  message.hops = transit.hops;
  message.deadLetterSource = transit.deadLetterSource;
  engine.emit("enqueued", message, nowMs);
  if (entity.options.forwardTo !== undefined && forwardOnArrival(engine, entity, message, nowMs)) return;
  placeMessage(engine, message, nowMs);
}

function fanOut(engine: Engine, topic: Topic, transit: Transit, nowMs: number): void {
  const enqueuedSequence = transit.enqueuedSequence ?? takeSequence(engine, topic, transit.content);
  for (const subscription of topic.subscriptions.values()) {
    engine.storage.retainBody(transit.content.bodyId);
    arrive(engine, subscription, { ...transit, enqueuedSequence }, nowMs);
  }
  engine.storage.releaseBody(transit.content.bodyId);
}
