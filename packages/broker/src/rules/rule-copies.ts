import { RuleEvaluationError } from "./evaluation/rule-error.js";
import type { RuleChanges, RuleSubject } from "./evaluation/rule-subject.js";
import { beginRule } from "./evaluation/rule-work.js";
import type { CompiledRule } from "./rule.js";

/** The result of a subscription's rules for a message. */
export interface RuleCopies {
  /** One element per copy that the subscription gets; without changes for the copy of rules without action. */
  readonly copies: readonly RuleChanges[];
  /** The rules that failed for the message, in order. */
  readonly failures: readonly RuleFailure[];
}

/** A rule that failed on a message. */
export interface RuleFailure {
  readonly ruleName: string;
  readonly error: RuleEvaluationError;
}

/**
 * Evaluates all rules of a subscription: those without an action are OR-ed into one copy, each rule with an action yields its own copy. A
 * failed rule yields no copy and does not stop the others. Source: "Topic filters and actions".
 */
export function evaluateRules(rules: readonly CompiledRule[], subject: RuleSubject): RuleCopies {
  const run = new RuleRun(rules);
  run.proceed(subject, () => false);
  return run;
}

/** The evaluation of a subscription's rules for one message; can be interrupted. */
export class RuleRun implements RuleCopies {
  readonly copies: RuleChanges[] = [];
  readonly failures: RuleFailure[] = [];
  readonly #rules: readonly CompiledRule[];
  #next = 0;
  #hasPlainCopy = false;

  constructor(rules: readonly CompiledRule[]) {
    this.#rules = rules;
  }

  /** Evaluates rules until `isTurnOver` returns true; returns `true` when all were evaluated. */
  proceed(subject: RuleSubject, isTurnOver: () => boolean): boolean {
    while (this.#next < this.#rules.length) {
      this.#run(this.#rules[this.#next++] as CompiledRule, subject);
      if (isTurnOver()) break;
    }
    return this.#next >= this.#rules.length;
  }

  #run(rule: CompiledRule, subject: RuleSubject): void {
    if (this.#hasPlainCopy && !rule.hasAction) return;
    beginRule();
    try {
      if (!rule.matches(subject)) return;
      this.copies.push(rule.apply(subject));
      this.#hasPlainCopy ||= !rule.hasAction;
    } catch (error) {
      if (!(error instanceof RuleEvaluationError)) throw error;
      this.failures.push({ ruleName: rule.name, error });
    }
  }
}
