import type { Engine } from "../engine/engine.js";
import { HEAP_COSTS } from "../engine/memory-mark.js";
import { requireMemory } from "../lifecycle/require-memory.js";
import type { RuleDefinition } from "../rules/rule.js";
import { findSubscription } from "./find-subscription.js";
import { saveRule } from "./save-entity.js";

/** Adds a rule. Throws `entity-already-exists`, `argument-error` for an invalid rule or a syntax error, `entity-not-found`. */
export function createRule(
  engine: Engine,
  topic: string,
  subscription: string,
  rule: RuleDefinition,
  nowMs: number,
): void {
  const entity = findSubscription(engine, topic, subscription);
  requireMemory(entity.topic, HEAP_COSTS.rule, `Cannot add a rule to '${entity.path}'`, entity.path);
  engine.memory.grow(HEAP_COSTS.rule);
  entity.rules.add(rule, nowMs, engine.storage.isVolatile ? undefined : engine.entities.nextId());
  saveRule(engine, entity, rule.name, nowMs);
}
