import type { Engine } from "../engine.js";
import type { RuleDefinition } from "../rules/rule.js";
import { findSubscription } from "./find-subscription.js";

/** A rule as it is at present. */
export interface RuleDescription extends RuleDefinition {
  readonly createdAt: Date;
}

/** The rules of a subscription in the order of their names, whatever their letter case. Throws `entity-not-found`. */
export function listRules(engine: Engine, topic: string, subscription: string): RuleDescription[] {
  const { rules } = findSubscription(engine, topic, subscription);
  return Array.from(rules.values(), ({ definition, createdAtMs }) => ({
    ...structuredClone(definition),
    createdAt: new Date(createdAtMs),
  })).sort((a, b) => compareNames(a.name, b.name));
}

/** By UTF-16 units: an order that depends on no locale. */
function compareNames(a: string, b: string): number {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  return left < right ? -1 : Number(left > right);
}
