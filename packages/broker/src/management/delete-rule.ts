import type { Engine } from "../engine/engine.js";
import { findSubscription } from "./find-subscription.js";
import { forgetRule } from "./save-entity.js";

/** Removes a rule. Throws `rule-not-found` or `entity-not-found`. */
export function deleteRule(
  engine: Engine,
  topic: string,
  subscription: string,
  name: string,
  nowMs: number,
): void {
  const entity = findSubscription(engine, topic, subscription);
  forgetRule(engine, entity, entity.rules.remove(name), nowMs);
}
