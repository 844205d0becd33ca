import { RuleEvaluationError } from "./evaluation/rule-error.js";
import type { RuleChanges, RuleSubject } from "./evaluation/rule-subject.js";
import { beginRule } from "./evaluation/rule-work.js";
import type { CompiledRule } from "./rule.js";

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
export function evaluateRules(rules: readonly CompiledRule[], subject: RuleSubject): RuleCopies {
  const run = new RuleRun(rules);
  run.goOn(subject, () => false);
  return run;
}

/** The rules of a subscription at work on one message, which may be interrupted. */
export class RuleRun implements RuleCopies {
  readonly copies: RuleChanges[] = [];
  readonly failures: RuleFailure[] = [];
  readonly #rules: readonly CompiledRule[];
  #next = 0;
  #hasPlainCopy = false;

  constructor(rules: readonly CompiledRule[]) {
    this.#rules = rules;
  }

  /** Runs rules until `isTurnOver` says so; `true` when all have run. */
  goOn(subject: RuleSubject, isTurnOver: () => boolean): boolean {
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
