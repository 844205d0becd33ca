import type { Engine } from "../engine/engine.js";
import type { Entity, ReceivingEntity } from "../entities/entity-registry.js";
import type { Queue } from "../entities/queue.js";
import { takeSequence } from "../entities/sequence-number.js";
import type { Subscription } from "../entities/subscription.js";
import type { Topic } from "../entities/topic.js";
import type { ApplicationProperties } from "../messages/message.js";
import { StoredMessage } from "../messages/stored-message.js";
import { evaluateRules, type RuleCopies, type RuleFailure } from "../rules/rule-copies.js";
import { applyRuleChanges } from "./change-content.js";
import { deadLetterRecord } from "./dead-letter-message.js";
import { forwardDeadLetter, forwardMessage } from "./forward-message.js";
import { MessageSubject } from "./message-subject.js";
import { placeMessage } from "./place-message.js";
import type { Transit } from "./transit.js";

/** Adds an accepted message to a queue, or through a topic to its subscriptions. */
export function routeMessage(engine: Engine, target: Queue | Topic, transit: Transit, nowMs: number): void {
  if (target.kind === "queue") arrive(engine, target, transit, nowMs);
  else fanOut(engine, target, transit, nowMs);
}

/**
 * Schedules a message if it has a scheduled time in the future, set by its sender or by a rule's action, else routes it. Source: "Topic
 * filters and actions", actions.
 */
export function scheduleOrRoute(
  engine: Engine,
  target: Queue | Topic,
  transit: Transit,
  nowMs: number,
): void {
  if ((transit.content.scheduledEnqueueTimeMs ?? 0) > nowMs) {
    const message = enqueue(engine, target, target.main, transit, nowMs);
    message.state = "scheduled";
    placeMessage(engine, message);
    engine.emit("scheduled", message, nowMs);
  } else {
    routeMessage(engine, target, transit, nowMs);
  }
}

function arrive(engine: Engine, entity: ReceivingEntity, transit: Transit, nowMs: number): void {
  if (entity.main.sessions !== undefined && transit.content.sessionId === undefined) {
    deadLetterWithoutSession(engine, entity, transit, nowMs);
    return;
  }
  const message = enqueue(engine, entity, entity.main, transit, nowMs);
  engine.emit("enqueued", message, nowMs);
  if (entity.options.forwardTo === undefined) placeMessage(engine, message);
  else forwardMessage(engine, message, nowMs);
}

function deadLetterWithoutSession(
  engine: Engine,
  entity: ReceivingEntity,
  transit: Transit,
  nowMs: number,
): void {
  const description = "Session enabled entity doesn't allow a message whose session identifier is null.";
  addDeadLettered(engine, entity, transit, deadLetterRecord("Session ID is null", description), nowMs);
}

function addDeadLettered(
  engine: Engine,
  entity: ReceivingEntity,
  transit: Transit,
  record: ApplicationProperties,
  nowMs: number,
): void {
  const message = enqueue(engine, entity, entity.deadLetter, transit, nowMs);
  message.propertyChanges = { ...message.propertyChanges, ...record };
  engine.emit("dead-lettered", message, nowMs, String(record.DeadLetterReason));
  if (!forwardDeadLetter(engine, entity, message, nowMs)) placeMessage(engine, message);
}

function enqueue(
  engine: Engine,
  entity: Entity,
  store: StoredMessage["store"],
  transit: Transit,
  nowMs: number,
): StoredMessage {
  const sequence = transit.sequence ?? takeSequence(engine.storage, entity, transit.content);
  const lifeMs = shorterLife(transit.lifeMs, entity.options);
  return new StoredMessage(store, transit, sequence, nowMs, lifeMs);
}

function fanOut(engine: Engine, topic: Topic, transit: Transit, nowMs: number): void {
  const sequence = transit.sequence ?? takeSequence(engine.storage, topic, transit.content);
  const copy: Transit = {
    ...transit,
    sequence: undefined,
    enqueuedSequence: transit.enqueuedSequence ?? sequence,
    lifeMs: shorterLife(transit.lifeMs, topic.options),
  };
  const atTopic = () => new StoredMessage(topic.main, copy, sequence, nowMs, copy.lifeMs);
  if (engine.listeners.size > 0) engine.emit("published", atTopic(), nowMs);
  if (engine.fanOuts.mustWait(topic, transit.content)) {
    engine.fanOuts.keep(topic, atTopic());
    return;
  }
  const subject = new MessageSubject(engine, copy, sequence, nowMs);
  let copies = 0;
  for (const subscription of topic.subscriptions.values()) {
    const { rules } = subscription;
    const made = rules.passesAll ? undefined : evaluateRules(rules.compiled, subject);
    const count = countCopies(subscription, made);
    for (let index = 0; index < count; index++) giveCopy(engine, subscription, copy, made, index, nowMs);
    copies += count;
  }
  if (copies === 0) engine.emitEntity("matched-no-subscription", topic.path, nowMs);
  // Each copy has its own reference to the body; the topic gives up the one it was given.
  engine.storage.releaseBody(transit.content.bodyId);
}

/** How many copies of a message a subscription gets according to its rules; `undefined` if it matches every message. */
export function countCopies({ options }: Subscription, made: RuleCopies | undefined): number {
  if (made === undefined) return 1;
  const { copies, failures } = made;
  return copies.length + (failures.length > 0 && options.deadLetteringOnFilterEvaluationExceptions ? 1 : 0);
}

/** Adds one copy to a subscription; the last one may be the dead-lettered copy of a failed rule. */
export function giveCopy(
  engine: Engine,
  subscription: Subscription,
  transit: Transit,
  made: RuleCopies | undefined,
  index: number,
  nowMs: number,
): void {
  engine.storage.retainBody(transit.content.bodyId);
  const changes = made?.copies[index];
  const [failure] = made?.failures ?? [];
  if (made === undefined) arrive(engine, subscription, transit, nowMs);
  else if (changes !== undefined) arrive(engine, subscription, applyRuleChanges(transit, changes), nowMs);
  else if (failure !== undefined)
    addDeadLettered(engine, subscription, transit, failureRecord(failure), nowMs);
}

function failureRecord({ ruleName, error }: RuleFailure): ApplicationProperties {
  return deadLetterRecord(error.exceptionName, `Rule '${ruleName}' failed: ${error.message}`);
}

/** The maximum of .NET's `TimeSpan`, from which on a time means "never". */
const neverMs = 922_337_203_685_477;

function shorterLife(
  lifeMs: number,
  { defaultMessageTimeToLiveMs }: { readonly defaultMessageTimeToLiveMs: number },
): number {
  const shorter = Math.min(lifeMs, defaultMessageTimeToLiveMs);
  return shorter < neverMs ? shorter : Number.POSITIVE_INFINITY;
}
