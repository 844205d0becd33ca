import { BrokerError, entityNotFound } from "../broker-error.js";
import type { Engine } from "../engine.js";
import {
  type QueueOptions,
  resolveQueueOptions,
  resolveSubscriptionOptions,
  resolveTopicOptions,
  type SubscriptionOptions,
  type TopicOptions,
} from "../entities/entity-options.js";
import { checkChildName, checkEntityName, subscriptionPath } from "../entities/entity-path.js";
import { Queue } from "../entities/queue.js";
import { Subscription } from "../entities/subscription.js";
import { Topic } from "../entities/topic.js";

/** Makes a queue. Throws `entity-already-exists` when a queue or topic of that name is there, in any letter case. */
export function createQueue(
  engine: Engine,
  path: string,
  options: QueueOptions | undefined,
  nowMs: number,
): Queue {
  checkEntityName(path);
  checkFree(engine, path);
  const queue = new Queue(engine, engine.entities.nextId(), path, resolveQueueOptions(path, options), nowMs);
  engine.entities.add(queue);
  engine.emitEntity("entity-created", path, nowMs);
  return queue;
}

/** Makes a topic, as `createQueue` does. */
export function createTopic(
  engine: Engine,
  path: string,
  options: TopicOptions | undefined,
  nowMs: number,
): Topic {
  checkEntityName(path);
  checkFree(engine, path);
  const topic = new Topic(engine, engine.entities.nextId(), path, resolveTopicOptions(path, options), nowMs);
  engine.entities.add(topic);
  engine.emitEntity("entity-created", path, nowMs);
  return topic;
}

/** Makes a subscription. Throws `entity-not-found` without its topic. */
export function createSubscription(
  engine: Engine,
  topicPath: string,
  name: string,
  options: SubscriptionOptions | undefined,
  nowMs: number,
): Subscription {
  const topic = engine.entities.find(topicPath);
  if (topic?.kind !== "topic") throw entityNotFound(topicPath);
  checkChildName(name);
  const path = subscriptionPath(topic.path, name);
  checkFree(engine, path);
  const resolved = resolveSubscriptionOptions(path, options);
  const subscription = new Subscription(engine, engine.entities.nextId(), topic, name, resolved, nowMs);
  topic.subscriptions.set(name.toLowerCase(), subscription);
  engine.entities.add(subscription);
  engine.emitEntity("entity-created", path, nowMs);
  return subscription;
}

function checkFree(engine: Engine, path: string): void {
  if (engine.entities.find(path) === undefined) return;
  throw new BrokerError("entity-already-exists", `The messaging entity '${path}' already exists.`, {
    entity: path,
  });
}
