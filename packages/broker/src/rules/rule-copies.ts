import type { CompiledRule } from "./rule.js";
import { RuleEvaluationError } from "./rule-error.js";
import type { RuleChanges, RuleSubject } from "./rule-subject.js";

/** What a subscription's rules make of a message. */
export interface RuleCopies {
  /** One element for each copy that the subscription gets; without changes for the copy of the rules without action. */
  readonly copies: readonly RuleChanges[];
  /** The rules that failed on the message, in order. */
  readonly failures: readonly RuleFailure[];
}

/** A rule that failed on a message. */
export interface RuleFailure {
  readonly ruleName: string;
  readonly error: RuleEvaluationError;
}

/**
 * Runs all rules of a subscription on a message: those without an action are OR-ed into one copy, each one with an
 * action yields its own. A failing rule yields no copy and does not stop the others.
 * Source: "Topic filters and actions".
 */
export function evaluateRules(rules: Iterable<CompiledRule>, subject: RuleSubject): RuleCopies {
  const copies: RuleChanges[] = [];
  const failures: RuleFailure[] = [];
  let hasPlainCopy = false;
  for (const rule of rules) {
    if (hasPlainCopy && !rule.hasAction) continue;
    try {
      if (!rule.matches(subject)) continue;
      copies.push(rule.apply(subject));
      hasPlainCopy ||= !rule.hasAction;
    } catch (error) {
      if (!(error instanceof RuleEvaluationError)) throw error;
      failures.push({ ruleName: rule.name, error });
    }
  }
  return { copies, failures };
}
