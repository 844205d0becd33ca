import { entityNotFound } from "../broker-error.js";
import type { Engine } from "../engine.js";
import { subscriptionPath } from "../entities/entity-path.js";
import type { Subscription } from "../entities/subscription.js";
import type { RuleDefinition } from "../rules/rule.js";
import { saveEntity } from "./save-entity.js";

/** A rule as it is at present. */
export interface RuleDescription extends RuleDefinition {
  readonly createdAt: Date;
}

/** Adds a rule. Throws `entity-already-exists`, `argument-error` for what is no rule or a text that breaks the grammar, `entity-not-found`. */
export function createRule(
  engine: Engine,
  topic: string,
  subscription: string,
  rule: RuleDefinition,
  nowMs: number,
): void {
  const entity = findSubscription(engine, topic, subscription);
  entity.rules.add(rule, nowMs);
  saveRules(engine, entity, nowMs);
}

/** Replaces the rule of the same name. Throws as `createRule`, and `rule-not-found`. */
export function updateRule(
  engine: Engine,
  topic: string,
  subscription: string,
  rule: RuleDefinition,
  nowMs: number,
): void {
  const entity = findSubscription(engine, topic, subscription);
  entity.rules.replace(rule);
  saveRules(engine, entity, nowMs);
}

/** Removes a rule. Throws `rule-not-found` or `entity-not-found`. */
export function deleteRule(
  engine: Engine,
  topic: string,
  subscription: string,
  name: string,
  nowMs: number,
): void {
  const entity = findSubscription(engine, topic, subscription);
  entity.rules.remove(name);
  saveRules(engine, entity, nowMs);
}

/** The rules of a subscription in order of creation. */
export function listRules(engine: Engine, topic: string, subscription: string): RuleDescription[] {
  const { rules } = findSubscription(engine, topic, subscription);
  return Array.from(rules.values(), ({ definition, createdAtMs }) => ({
    ...structuredClone(definition),
    createdAt: new Date(createdAtMs),
  }));
}

function findSubscription(engine: Engine, topic: string, subscription: string): Subscription {
  const path = subscriptionPath(topic, subscription);
  const entity = engine.entities.find(path);
  if (entity?.kind !== "subscription") throw entityNotFound(path);
  return entity;
}

function saveRules(engine: Engine, subscription: Subscription, nowMs: number): void {
  subscription.updatedAtMs = nowMs;
  subscription.accessedAtMs = nowMs;
  saveEntity(engine, subscription);
}
