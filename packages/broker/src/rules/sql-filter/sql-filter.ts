import type { RuleSubject } from "../evaluation/rule-subject.js";
import { compilePredicate } from "./evaluator.js";
import { parseSqlFilter, type SqlParameters } from "./parser.js";
import { costOfPredicate, type RuleCost } from "./rule-cost.js";

/** A filter with its cost. */
export interface PricedFilter {
  readonly matches: (subject: RuleSubject) => boolean;
  readonly cost: RuleCost;
}

/**
 * Compiles the text of a SQL filter to a predicate; *unknown* is no match. Throws `RuleSyntaxError`; the predicate throws
 * `RuleEvaluationError`. Source: "Subscription Rule SQL Filter Syntax".
 */
export function compileSqlFilter(text: string, parameters?: SqlParameters): PricedFilter {
  const predicate = parseSqlFilter(text, parameters);
  const test = compilePredicate(predicate);
  return { matches: (subject) => test(subject) === true, cost: costOfPredicate(predicate) };
}
