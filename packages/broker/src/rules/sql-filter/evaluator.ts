import { randomUUID } from "node:crypto";
import { compileLike, type LikeMatcher } from "../evaluation/like-pattern.js";
import { RuleEvaluationError, type RulePart } from "../evaluation/rule-error.js";
import { propertyName, type RuleSubject } from "../evaluation/rule-subject.js";
import { type RuleValue, ruleGuid } from "../evaluation/rule-value.js";
import { systemProperty } from "../evaluation/system-property.js";
import {
  computeValues,
  equalValues,
  negateValue,
  plusValue,
  relateValues,
  type Truth,
} from "../evaluation/value-operations.js";
import type { ComparisonOperator, SqlExpression, SqlPredicate, SqlProperty } from "./ast.js";

/** A compiled predicate. Throws `RuleEvaluationError`. */
export type SqlTest = (subject: RuleSubject) => Truth;

/** A compiled expression; undefined is *unknown*. Throws `RuleEvaluationError`. */
export type SqlEvaluation = (subject: RuleSubject) => RuleValue | undefined;

/**
 * Compiles a predicate to a closure with SQL's three-valued logic. AND and OR do not evaluate their right side when the left side decides.
 */
export function compilePredicate(predicate: SqlPredicate): SqlTest {
  switch (predicate.type) {
    case "not":
      return compileNot(compilePredicate(predicate.operand));
    case "and":
      return compileAnd(compilePredicate(predicate.left), compilePredicate(predicate.right));
    case "or":
      return compileOr(compilePredicate(predicate.left), compilePredicate(predicate.right));
    case "comparison":
      return compileComparison(predicate.operator, predicate.left, predicate.right);
    case "is-null":
      return compileIsNull(predicate.property, predicate.isNegated);
    case "in":
      return negateIf(predicate.isNegated, compileIn(predicate.operand, predicate.candidates));
    case "like":
      return negateIf(predicate.isNegated, compileLikeTest(predicate));
    case "exists":
      return compileExists(predicate.property);
  }
}

/** Compiles an expression to a closure. `part` names the text in errors about unknown system properties. */
export function compileExpression(expression: SqlExpression, part: RulePart): SqlEvaluation {
  switch (expression.type) {
    case "constant": {
      const { value } = expression;
      return () => value;
    }
    case "property":
      return compileProperty(expression, part);
    case "newid":
      return () => ruleGuid(randomUUID());
    case "property-function":
      return compilePropertyFunction(compileExpression(expression.name, part));
    case "sign": {
      const operand = compileExpression(expression.operand, part);
      const apply = expression.operator === "-" ? negateValue : plusValue;
      return (subject) => {
        const value = operand(subject);
        return value === undefined ? undefined : apply(value);
      };
    }
    case "arithmetic": {
      const left = compileExpression(expression.left, part);
      const right = compileExpression(expression.right, part);
      const { operator } = expression;
      return (subject) => {
        const leftValue = left(subject);
        const rightValue = right(subject);
        if (leftValue === undefined || rightValue === undefined) return undefined;
        return computeValues(operator, leftValue, rightValue);
      };
    }
  }
}

function compileNot(operand: SqlTest): SqlTest {
  return (subject) => {
    const truth = operand(subject);
    return truth === undefined ? undefined : !truth;
  };
}

function compileAnd(left: SqlTest, right: SqlTest): SqlTest {
  return (subject) => {
    const leftTruth = left(subject);
    if (leftTruth === false) return false;
    const rightTruth = right(subject);
    return leftTruth === undefined && rightTruth === true ? undefined : rightTruth;
  };
}

function compileOr(left: SqlTest, right: SqlTest): SqlTest {
  return (subject) => {
    const leftTruth = left(subject);
    if (leftTruth === true) return true;
    const rightTruth = right(subject);
    return leftTruth === undefined && rightTruth === false ? undefined : rightTruth;
  };
}

function negateIf(isNegated: boolean, test: SqlTest): SqlTest {
  return isNegated ? compileNot(test) : test;
}

function compileComparison(operator: ComparisonOperator, left: SqlExpression, right: SqlExpression): SqlTest {
  const leftOperand = compileExpression(left, "filter");
  const rightOperand = compileExpression(right, "filter");
  return negateIf(operator === "<>", (subject) => {
    const leftValue = leftOperand(subject);
    const rightValue = rightOperand(subject);
    if (leftValue === undefined || rightValue === undefined) return undefined;
    if (operator === "=" || operator === "<>") return equalValues(leftValue, rightValue);
    return relateValues(operator, leftValue, rightValue);
  });
}

function compileIsNull(property: SqlProperty, isNegated: boolean): SqlTest {
  const operand = compileProperty(property, "filter");
  return (subject) => {
    const value = operand(subject);
    return (value === undefined || value === null) !== isNegated;
  };
}

/** An application property exists even when its value is null; a system property exists when it is set. */
function compileExists(property: SqlProperty): SqlTest {
  const operand = compileProperty(property, "filter");
  if (property.scope === "sys") return (subject) => operand(subject) !== null;
  return (subject) => operand(subject) !== undefined;
}

/** True if a candidate is equal; otherwise unknown if any comparison was unknown. */
function compileIn(operand: SqlExpression, candidates: readonly SqlExpression[]): SqlTest {
  const evaluate = compileExpression(operand, "filter");
  const evaluations = candidates.map((candidate) => compileExpression(candidate, "filter"));
  return (subject) => {
    const value = evaluate(subject);
    if (value === undefined) return undefined;
    let truth: Truth = false;
    for (const evaluation of evaluations) {
      const candidate = evaluation(subject);
      const isEqual = candidate === undefined ? undefined : equalValues(value, candidate);
      if (isEqual === true) return true;
      if (isEqual === undefined) truth = undefined;
    }
    return truth;
  };
}

function compileLikeTest(predicate: SqlPredicate & { type: "like" }): SqlTest {
  const operand = compileExpression(predicate.operand, "filter");
  const matcher = compileLikeMatcher(predicate.pattern, predicate.escapeCharacter);
  return (subject) => {
    const value = operand(subject);
    const matches = matcher(subject);
    return typeof value === "string" && matches !== undefined ? matches(value) : undefined;
  };
}

/** Constant patterns are compiled once, others for each message; for an operand that is not text, LIKE is unknown. */
function compileLikeMatcher(
  pattern: SqlExpression,
  escapeCharacter: SqlExpression | undefined,
): (subject: RuleSubject) => LikeMatcher | undefined {
  if (pattern.type === "constant" && (escapeCharacter === undefined || escapeCharacter.type === "constant")) {
    const matcher = compileLike(pattern.value as string, escapeCharacter?.value as string | undefined);
    return () => matcher;
  }
  const patternOperand = compileExpression(pattern, "filter");
  const escapeOperand =
    escapeCharacter === undefined ? undefined : compileExpression(escapeCharacter, "filter");
  return (subject) => {
    const patternValue = patternOperand(subject);
    const escapeValue = escapeOperand?.(subject);
    if (typeof patternValue !== "string") return undefined;
    if (escapeOperand === undefined) return compileLike(patternValue, undefined);
    if (typeof escapeValue !== "string") return undefined;
    if (escapeValue.length !== 1)
      throw new RuleEvaluationError("FilterException", "ESCAPE needs one character");
    return compileLike(patternValue, escapeValue) ?? failIncompletePattern();
  };
}

function failIncompletePattern(): never {
  throw new RuleEvaluationError("FilterException", "a LIKE pattern ends in its escape character");
}

function compileProperty(property: SqlProperty, part: RulePart): SqlEvaluation {
  if (property.scope === "user") {
    const name = propertyName(property.name);
    return (subject) => subject.application(name);
  }
  const system = systemProperty(property.name);
  if (system !== undefined) return (subject) => subject.system(system);
  const message = `there is no system property ${JSON.stringify(property.name)}`;
  return () => {
    throw new RuleEvaluationError(part === "filter" ? "FilterException" : "RuleActionException", message);
  };
}

/** The name refers to application properties only, even when it starts with `sys.`. */
function compilePropertyFunction(nameOperand: SqlEvaluation): SqlEvaluation {
  return (subject) => {
    const name = nameOperand(subject);
    return typeof name === "string" ? subject.application(propertyName(name)) : undefined;
  };
}
