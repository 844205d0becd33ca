import { propertyLimits } from "../messages/check-message.js";
import { sizeOfApplicationProperties } from "../messages/message-size.js";
import { RuleEvaluationError } from "./evaluation/rule-error.js";
import {
  draftOf,
  propertyName,
  type RuleChanges,
  type RuleDraft,
  type RuleSubject,
} from "./evaluation/rule-subject.js";
import { kindOf, type RuleValue } from "./evaluation/rule-value.js";
import {
  type SystemProperty,
  type SystemPropertyRule,
  systemProperties,
  systemProperty,
} from "./evaluation/system-property.js";
import { convertValue } from "./evaluation/value-conversion.js";
import type { SqlProperty } from "./sql-filter/ast.js";
import { compileExpression, type SqlEvaluation } from "./sql-filter/evaluator.js";
import { type SqlParameters, SqlParser } from "./sql-filter/parser.js";

/** Maximum number of statements of an action (Service Bus quotas). */
const maxActionStatements = 32;

/** Computes an action's changes for a message without modifying it. Throws `RuleEvaluationError`. */
export type RuleAction = (subject: RuleSubject) => RuleChanges;

/**
 * Compiles the text of an action: `SET property = expression` and `REMOVE property`, separated by `;`, `,` or nothing. Later statements see
 * the changes of earlier ones. Setting a property to *unknown* leaves it unchanged. The application properties it sets have at most 64 KB
 * together. Throws `RuleSyntaxError`. Source: "Subscription Rule SQL Action Syntax".
 */
export function compileRuleAction(text: string, parameters: SqlParameters = {}): RuleAction {
  const statements = parseStatements(text, parameters);
  return (subject) => {
    const draft = draftOf(subject);
    for (const statement of statements) statement(draft);
    checkSize(draft.changes);
    return draft.changes;
  };
}

type Statement = (draft: RuleDraft) => void;

function parseStatements(text: string, parameters: SqlParameters): readonly Statement[] {
  const parser = new SqlParser(text, "action", parameters);
  const statements: Statement[] = [];
  do {
    if (statements.length === maxActionStatements) parser.fail(`at most ${maxActionStatements} statements`);
    statements.push(parseStatement(parser));
    if (!parser.take(";") && parser.take(",") && parser.isAtEnd) parser.fail("SET or REMOVE");
  } while (!parser.isAtEnd);
  return statements;
}

function parseStatement(parser: SqlParser): Statement {
  if (parser.take("SET")) {
    const target = parseTarget(parser);
    parser.expect("=");
    const value = compileExpression(parser.expression(), "action");
    return target.scope === "sys" ? setSystem(target, value) : setApplication(target, value);
  }
  if (!parser.take("REMOVE")) parser.fail("SET or REMOVE");
  const target = parseTarget(parser);
  if (target.scope === "sys") return setSystem(target, () => null);
  const name = propertyName(target.name);
  return (draft) => {
    if (draft.application(name) !== undefined) draft.setApplication(name, undefined);
  };
}

function parseTarget(parser: SqlParser): SqlProperty {
  const start = parser.mark();
  const target = parser.property();
  if (target.scope === "sys") {
    const system = systemProperty(target.name);
    if (system !== undefined && !systemProperties[system].isWritable) {
      parser.failAt(start, "a system property that can be set");
    }
  }
  return target;
}

function setApplication(target: SqlProperty, evaluate: SqlEvaluation): Statement {
  const name = propertyName(target.name);
  return (draft) => {
    const value = evaluate(draft);
    if (value === undefined) return;
    const current = draft.application(name);
    const converted = current === undefined ? value : convertValue(value, kindOf(current));
    draft.setApplication(name, converted ?? value);
  };
}

function setSystem(target: SqlProperty, evaluate: SqlEvaluation): Statement {
  const property = systemProperty(target.name);
  if (property === undefined) {
    return () => failAction(`there is no system property ${JSON.stringify(target.name)}`);
  }
  const rule: SystemPropertyRule = systemProperties[property];
  return (draft) => {
    const value = evaluate(draft);
    if (value !== undefined) draft.setSystem(property, toSystemValue(property, rule, value));
  };
}

function toSystemValue(property: SystemProperty, rule: SystemPropertyRule, value: RuleValue): RuleValue {
  const converted = convertValue(value, rule.kind);
  if (converted === undefined)
    failAction(`sys.${property} cannot be set to a value of type ${kindOf(value)}`);
  if (typeof converted === "string" && converted.length > rule.maxLength) {
    failAction(`sys.${property} holds at most ${rule.maxLength} characters`);
  }
  return converted;
}

/** Prevents actions that copy properties from making a small message large. */
function checkSize({ application }: RuleChanges): void {
  const bytes = sizeOfApplicationProperties(Object.fromEntries(application));
  if (bytes > propertyLimits.totalBytes) {
    failAction(`the application properties that it sets have ${bytes} bytes`);
  }
}

function failAction(message: string): never {
  throw new RuleEvaluationError("RuleActionException", message);
}
