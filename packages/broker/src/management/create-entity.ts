import type { Engine } from "../engine/engine.js";
import {
  type QueueOptions,
  resolveOptions,
  type SubscriptionOptions,
  type TopicOptions,
} from "../entities/entity-options.js";
import { checkChildName, checkEntityName, subscriptionPath } from "../entities/entity-path.js";
import type { Entity } from "../entities/entity-registry.js";
import { Queue } from "../entities/queue.js";
import { defaultRuleDefinition } from "../entities/rule-set.js";
import { Subscription } from "../entities/subscription.js";
import { requireFeature } from "../entities/tier.js";
import { Topic } from "../entities/topic.js";
import { entityNotFound, refusal } from "../errors/broker-error.js";
import { watchIdle } from "../lifecycle/auto-delete.js";
import type { RuleDefinition } from "../rules/rule.js";
import { checkForwards } from "./check-forwards.js";
import { saveEntity } from "./save-entity.js";

/** Maximum subscriptions of a topic. Source: "Service Bus quotas". */
const subscriptionLimit = 2000;

/** Creates a queue. Throws `entity-already-exists` if a queue or topic of that name exists, ignoring case. */
export function createQueue(engine: Engine, path: string, options: QueueOptions = {}, nowMs: number): Queue {
  checkEntityName(path);
  checkFree(engine, path);
  const resolved = checkForwards(engine, path, resolveOptions("queue", path, options, engine.tier));
  return enlist(engine, new Queue(engine, engine.entities.nextId(), path, resolved, nowMs), nowMs);
}

/** Creates a topic, like `createQueue`. */
export function createTopic(engine: Engine, path: string, options: TopicOptions = {}, nowMs: number): Topic {
  requireFeature(engine.tier, "topics", path);
  checkEntityName(path);
  checkFree(engine, path);
  const resolved = resolveOptions("topic", path, options, engine.tier);
  return enlist(engine, new Topic(engine, engine.entities.nextId(), path, resolved, nowMs), nowMs);
}

/**
 * Creates a subscription with one rule, by default `$Default`. Throws `entity-not-found` if its topic is missing, `quota-exceeded` beyond
 * 2000.
 */
export function createSubscription(
  engine: Engine,
  topicPath: string,
  name: string,
  options: SubscriptionOptions = {},
  defaultRule: RuleDefinition | undefined,
  nowMs: number,
): Subscription {
  const topic = engine.entities.find(topicPath);
  if (topic?.kind !== "topic") throw entityNotFound(topicPath);
  checkChildName(name);
  const path = subscriptionPath(topic.path, name);
  checkFree(engine, path);
  if (topic.subscriptions.size >= subscriptionLimit) {
    const text = `Topic '${topic.path}' has ${subscriptionLimit} subscriptions already.`;
    throw refusal(topic.path, "quota-exceeded", text);
  }
  const resolved = checkForwards(engine, path, resolveOptions("subscription", path, options, engine.tier));
  const subscription = new Subscription(engine, engine.entities.nextId(), topic, name, resolved, nowMs);
  subscription.rules.add(defaultRule ?? defaultRuleDefinition, nowMs);
  topic.subscriptions.set(name.toLowerCase(), subscription);
  topic.forgetCost();
  topic.accessedAtMs = nowMs;
  return enlist(engine, subscription, nowMs);
}

function enlist<Created extends Entity>(engine: Engine, entity: Created, nowMs: number): Created {
  engine.entities.add(entity);
  saveEntity(engine, entity);
  watchIdle(engine, entity);
  engine.emitEntity("entity-created", entity.path, nowMs);
  return entity;
}

function checkFree(engine: Engine, path: string): void {
  if (engine.entities.find(path) === undefined) return;
  throw refusal(path, "entity-already-exists", `The messaging entity '${path}' already exists.`);
}
