import type { Engine } from "../engine.js";
import type { RuleDefinition } from "../rules/rule.js";
import { findSubscription } from "./find-subscription.js";
import { saveRules } from "./save-entity.js";

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
