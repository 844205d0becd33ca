import { BROKER_LIMITS } from "../../errors/limits.js";
import { RuleEvaluationError } from "./rule-error.js";

/**
 * What one rule may cost on one message. No pattern that stands in a filter comes near it on a message of the size that the service takes; patterns
 * out of long properties may.
 */
const { comparisonsPerRule: LIMIT } = BROKER_LIMITS;

let left = LIMIT;

/** Begins the work of another rule. */
export function beginRule(): void {
  left = LIMIT;
}

/** Counts comparisons. Throws `RuleEvaluationError` once a rule has made too many. */
export function countComparisons(count: number): void {
  left -= count;
  if (left < 0) throw new RuleEvaluationError("FilterException", "LIKE compares too much text");
}
