import type { RuleValue } from "../evaluation/rule-value.js";
import type { ArithmeticOperator, RelationalOperator } from "../evaluation/value-operations.js";

/** A comparison in its canonical spelling: `!=` is written `<>`. */
export type ComparisonOperator = "=" | "<>" | RelationalOperator;

/** A constant of the language or the value of a parameter. */
export interface SqlConstant {
  readonly type: "constant";
  readonly value: RuleValue;
}

/** A property by scope and name; the name keeps its spelling. */
export interface SqlProperty {
  readonly type: "property";
  readonly scope: "sys" | "user";
  readonly name: string;
}

/** An expression, whose value may be unknown. */
export type SqlExpression =
  | SqlConstant
  | SqlProperty
  | { readonly type: "newid" }
  | { readonly type: "property-function"; readonly name: SqlExpression }
  | { readonly type: "sign"; readonly operator: "+" | "-"; readonly operand: SqlExpression }
  | {
      readonly type: "arithmetic";
      readonly operator: ArithmeticOperator;
      readonly left: SqlExpression;
      readonly right: SqlExpression;
    };

/** A predicate: true, false or unknown. */
export type SqlPredicate =
  | { readonly type: "not"; readonly operand: SqlPredicate }
  | { readonly type: "and" | "or"; readonly left: SqlPredicate; readonly right: SqlPredicate }
  | {
      readonly type: "comparison";
      readonly operator: ComparisonOperator;
      readonly left: SqlExpression;
      readonly right: SqlExpression;
    }
  | { readonly type: "is-null"; readonly property: SqlProperty; readonly isNegated: boolean }
  | {
      readonly type: "in";
      readonly operand: SqlExpression;
      readonly candidates: readonly SqlExpression[];
      readonly isNegated: boolean;
    }
  | {
      readonly type: "like";
      readonly operand: SqlExpression;
      readonly pattern: SqlExpression;
      readonly escapeCharacter: SqlExpression | undefined;
      readonly isNegated: boolean;
    }
  | { readonly type: "exists"; readonly property: SqlProperty };
