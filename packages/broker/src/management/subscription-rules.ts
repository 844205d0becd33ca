import type { Engine } from "../engine/engine.js";
import type { Subscription } from "../entities/subscription.js";
import { requireMemory } from "../lifecycle/require-memory.js";
import { heapCosts } from "../memory/memory-mark.js";
import type { RuleDefinition } from "../rules/rule.js";
import { type RuleRecord, saveEntity } from "./save-entity.js";

/** A rule with its creation time. */
export interface RuleDescription extends RuleDefinition {
  readonly createdAt: Date;
}

/** Which rules to list. */
export interface ListRulesOptions {
  /** Default 0. */
  readonly skip?: number | undefined;
  /** Default: all. */
  readonly top?: number | undefined;
}

/** Adds a rule. Throws `entity-already-exists`, or `argument-error` for an invalid rule or a syntax error, `entity-not-found`. */
export function createRule(
  engine: Engine,
  topic: string,
  subscription: string,
  rule: RuleDefinition,
  nowMs: number,
): void {
  const entity = engine.entities.getSubscription(topic, subscription);
  requireMemory(entity.topic, heapCosts.rule, "add a rule to", entity.path);
  engine.memory.grow(heapCosts.rule);
  entity.rules.add(rule, nowMs, engine.storage.isVolatile ? undefined : engine.entities.nextId());
  saveRule(engine, entity, rule.name, nowMs);
}

/** Replaces the rule of the same name. Throws like `createRule`, and `rule-not-found`. */
export function updateRule(
  engine: Engine,
  topic: string,
  subscription: string,
  rule: RuleDefinition,
  nowMs: number,
): void {
  const entity = engine.entities.getSubscription(topic, subscription);
  entity.rules.replace(rule);
  saveRule(engine, entity, rule.name, nowMs);
}

/** Removes a rule. Throws `rule-not-found` or `entity-not-found`. */
export function deleteRule(
  engine: Engine,
  topic: string,
  subscription: string,
  name: string,
  nowMs: number,
): void {
  const entity = engine.entities.getSubscription(topic, subscription);
  const { recordId } = entity.rules.remove(name);
  noteUse(engine, entity, nowMs);
  if (!engine.storage.isVolatile && recordId !== undefined) engine.storage.deleteEntity(recordId);
}

/** The rules of a subscription, sorted by name, ignoring case. Throws `entity-not-found`. */
export function listRules(
  engine: Engine,
  topic: string,
  subscription: string,
  { skip = 0, top = Number.POSITIVE_INFINITY }: ListRulesOptions = {},
): RuleDescription[] {
  const { rules } = engine.entities.getSubscription(topic, subscription);
  return rules.byName.slice(skip, skip + top).map(({ definition, createdAtMs }) => ({
    ...structuredClone(definition),
    createdAt: new Date(createdAtMs),
  }));
}

/** Writes an added or changed rule; counts as use of the subscription. */
function saveRule(engine: Engine, subscription: Subscription, name: string, nowMs: number): void {
  noteUse(engine, subscription, nowMs);
  const rule = subscription.rules.find(name);
  if (engine.storage.isVolatile || rule?.recordId === undefined) return;
  const { definition, createdAtMs } = rule;
  const record: RuleRecord = { kind: "rule", subscriptionId: subscription.id, definition, createdAtMs };
  engine.storage.putEntity(rule.recordId, record);
}

function noteUse(engine: Engine, subscription: Subscription, nowMs: number): void {
  subscription.updatedAtMs = nowMs;
  subscription.accessedAtMs = nowMs;
  saveEntity(engine, subscription);
}
