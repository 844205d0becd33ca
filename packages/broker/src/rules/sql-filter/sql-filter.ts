import type { RuleSubject } from "../rule-subject.js";
import { compilePredicate } from "./evaluator.js";
import { parseSqlFilter, type SqlParameters } from "./parser.js";

/**
 * Compiles the text of a SQL filter to a test; *unknown* is no match.
 * Throws `RuleSyntaxError`; the test throws `RuleEvaluationError`.
 * Source: "Subscription Rule SQL Filter Syntax".
 */
export function compileSqlFilter(
  text: string,
  parameters?: SqlParameters,
): (subject: RuleSubject) => boolean {
  const test = compilePredicate(parseSqlFilter(text, parameters));
  return (subject) => test(subject) === true;
}
