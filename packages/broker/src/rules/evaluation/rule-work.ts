import { brokerLimits } from "../../errors/limits.js";
import { RuleEvaluationError } from "./rule-error.js";

/**
 * The maximum work of one rule for one message. Constant patterns stay far below it for messages of the service's maximum size; patterns
 * read from long properties may exceed it.
 */
const { comparisonsPerRule: limit } = brokerLimits;

let left = limit;

/** Resets the counter for the next rule. */
export function beginRule(): void {
  left = limit;
}

/** Counts comparisons. Throws `RuleEvaluationError` once a rule exceeds the maximum. */
export function countComparisons(count: number): void {
  left -= count;
  if (left < 0) throw new RuleEvaluationError("FilterException", "LIKE compares too much text");
}
