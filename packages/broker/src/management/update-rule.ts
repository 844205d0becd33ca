import type { Engine } from "../engine/engine.js";
import type { RuleDefinition } from "../rules/rule.js";
import { findSubscription } from "./find-subscription.js";
import { saveRule } from "./save-entity.js";

/** Replaces the rule of the same name. Throws like `createRule`, and `rule-not-found`. */
export function updateRule(
  engine: Engine,
  topic: string,
  subscription: string,
  rule: RuleDefinition,
  nowMs: number,
): void {
  const entity = findSubscription(engine, topic, subscription);
  entity.rules.replace(rule);
  saveRule(engine, entity, rule.name, nowMs);
}
