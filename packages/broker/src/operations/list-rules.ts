import type { Engine } from "../engine.js";
import type { RuleDefinition } from "../rules/rule.js";
import { findSubscription } from "./find-subscription.js";

/** A rule as it is at present. */
export interface RuleDescription extends RuleDefinition {
  readonly createdAt: Date;
}

/** The rules of a subscription in order of creation. Throws `entity-not-found`. */
export function listRules(engine: Engine, topic: string, subscription: string): RuleDescription[] {
  const { rules } = findSubscription(engine, topic, subscription);
  return Array.from(rules.values(), ({ definition, createdAtMs }) => ({
    ...structuredClone(definition),
    createdAt: new Date(createdAtMs),
  }));
}
