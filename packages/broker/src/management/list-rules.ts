import type { Engine } from "../engine/engine.js";
import type { RuleDefinition } from "../rules/rule.js";
import { findSubscription } from "./find-subscription.js";

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

/** The rules of a subscription, sorted by name, ignoring case. Throws `entity-not-found`. */
export function listRules(
  engine: Engine,
  topic: string,
  subscription: string,
  { skip = 0, top = Number.POSITIVE_INFINITY }: ListRulesOptions = {},
): RuleDescription[] {
  const { rules } = findSubscription(engine, topic, subscription);
  return rules.byName.slice(skip, skip + top).map(({ definition, createdAtMs }) => ({
    ...structuredClone(definition),
    createdAt: new Date(createdAtMs),
  }));
}
