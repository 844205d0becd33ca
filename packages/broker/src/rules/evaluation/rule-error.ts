/** Which text of a rule an error is about. */
export type RulePart = "filter" | "action";

/**
 * An invalid rule: its text has a syntax error or exceeds a limit. `position` counts UTF-16 units from 0; `expected` says what would be
 * valid there.
 */
export class RuleSyntaxError extends Error {
  override readonly name = "RuleSyntaxError";
  readonly part: RulePart;
  readonly position: number;
  readonly expected: string;

  constructor(part: RulePart, position: number, expected: string, found: string) {
    super(`rule ${part}: expected ${expected} at position ${position}, found ${found}`);
    this.part = part;
    this.position = position;
    this.expected = expected;
  }
}

/** The names under which the service reports a failed evaluation, used as dead-letter reasons. */
export type RuleExceptionName =
  | "FilterException"
  | "RuleActionException"
  | "DivideByZeroException"
  | "OverflowException";

/**
 * A rule that failed for one message. The broker treats it as no match or, if the subscription is configured so, dead-letters the message
 * with `exceptionName` as the reason. The text never contains property values.
 */
export class RuleEvaluationError extends Error {
  override readonly name = "RuleEvaluationError";
  readonly exceptionName: RuleExceptionName;

  constructor(exceptionName: RuleExceptionName, message: string) {
    super(message);
    this.exceptionName = exceptionName;
  }
}
