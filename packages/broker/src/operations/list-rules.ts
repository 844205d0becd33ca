import type { Engine } from "../engine.js";
import type { RuleDefinition } from "../rules/rule.js";
import { findSubscription } from "./find-subscription.js";

/** A rule as it is at present. */
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

/** The rules of a subscription in order of creation. Throws `entity-not-found`. */
export function listRules(
  engine: Engine,
  topic: string,
  subscription: string,
  { skip = 0, top = Number.POSITIVE_INFINITY }: ListRulesOptions = {},
): RuleDescription[] {
  const { rules } = findSubscription(engine, topic, subscription);
  const page = Array.from(rules.values()).slice(skip, skip + top);
  return page.map(({ definition, createdAtMs }) => ({
    ...structuredClone(definition),
    createdAt: new Date(createdAtMs),
  }));
}
