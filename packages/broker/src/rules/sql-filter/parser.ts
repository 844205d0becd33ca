import { compileLike } from "../evaluation/like-pattern.js";
import { type RulePart, RuleSyntaxError } from "../evaluation/rule-error.js";
import { comparedValue, type RuleConstant, type RuleValue } from "../evaluation/rule-value.js";
import { maxInt64 } from "../evaluation/value-conversion.js";
import type { ArithmeticOperator } from "../evaluation/value-operations.js";
import type { ComparisonOperator, SqlExpression, SqlPredicate, SqlProperty } from "./ast.js";
import { quote, type SqlToken, tokenize } from "./tokenizer.js";

/** Maximum nesting of parentheses, functions, `NOT` and signs: more than any real rule needs, and safe for the stack. */
export const maxNestingDepth = 100;

/** Values of `@name` parameters. Names are case-insensitive and may be given with or without the `@`. */
export type SqlParameters = Readonly<Record<string, RuleConstant>>;

/**
 * Parses the text of a SQL filter. Throws `RuleSyntaxError` with the position and what was expected there. Source: "Subscription Rule SQL
 * Filter Syntax". Precedence, from low to high: OR, AND, NOT, comparisons, `+ -`, `* / %`, signs.
 */
export function parseSqlFilter(text: string, parameters: SqlParameters = {}): SqlPredicate {
  const parser = new SqlParser(text, "filter", parameters);
  const predicate = parser.predicate();
  parser.end("AND, OR or the end");
  return predicate;
}

/**
 * Parses rule text from left to right: the filter grammar's predicates and expressions, and the parts that the action grammar needs. Every
 * method consumes what it returns.
 */
export class SqlParser {
  readonly #part: RulePart;
  readonly #tokens: readonly SqlToken[];
  readonly #parameters: ReadonlyMap<string, RuleValue>;
  #index = 0;
  #depth = 0;

  constructor(text: string, part: RulePart, parameters: SqlParameters) {
    this.#part = part;
    this.#tokens = tokenize(text, part);
    this.#parameters = new Map(
      Object.entries(parameters).map(([name, value]) => [
        name.replace(/^@/, "").toLowerCase(),
        comparedValue(value),
      ]),
    );
  }

  /** Whether all text has been read. */
  get isAtEnd(): boolean {
    return this.#next.kind === "end";
  }

  /** The next token, for a later {@link failAt}. */
  mark(): SqlToken {
    return this.#next;
  }

  /** Consumes a symbol or keyword if it comes next; returns whether it did. */
  take(text: string): boolean {
    if (!this.#isNext(text)) return false;
    this.#index++;
    return true;
  }

  /** Consumes a symbol or keyword that must come next. */
  expect(text: string): void {
    if (!this.take(text)) this.fail(text);
  }

  /** Checks that nothing follows. */
  end(expected: string): void {
    if (!this.isAtEnd) this.fail(expected);
  }

  /** Reads a predicate. */
  predicate(): SqlPredicate {
    const node = this.#or();
    return isPredicate(node) ? node : this.fail("a comparison operator, IS, IN or LIKE");
  }

  /** Reads an expression. */
  expression(): SqlExpression {
    const { position } = this.#next;
    return this.#asExpression(this.#additive(), position);
  }

  /** Reads a property with its optional scope. */
  property(): SqlProperty {
    const token = this.#next;
    if (token.kind !== "identifier" && token.kind !== "delimited") return this.fail("a property");
    this.#index++;
    if (!this.take(".")) return { type: "property", scope: "user", name: token.text };
    const scope = token.kind === "identifier" ? token.text.toLowerCase() : undefined;
    if (scope !== "sys" && scope !== "user") return this.failAt(token, "the scope sys or user");
    const name = this.#next;
    if (name.kind !== "identifier" && name.kind !== "delimited") return this.fail("a property name");
    this.#index++;
    return { type: "property", scope, name: name.text };
  }

  /** Throws the error for an unexpected next token. */
  fail(expected: string): never {
    return this.failAt(this.#next, expected);
  }

  /** Throws the error for an unexpected token. */
  failAt(token: SqlToken, expected: string): never {
    const found = token.kind === "end" ? "the end" : quote(token.text);
    throw new RuleSyntaxError(this.#part, token.position, expected, found);
  }

  get #next(): SqlToken {
    return this.#tokens[this.#index] as SqlToken;
  }

  #isNext(text: string): boolean {
    const { kind, text: found } = this.#next;
    return (kind === "symbol" || kind === "keyword") && found === text;
  }

  #takeAny<Text extends string>(texts: readonly Text[]): Text | undefined {
    return texts.find((text) => this.take(text));
  }

  #nested<Node>(read: () => Node): Node {
    if (this.#depth === maxNestingDepth) this.fail(`at most ${maxNestingDepth} levels of nesting`);
    this.#depth++;
    const node = read();
    this.#depth--;
    return node;
  }

  #or(): SqlExpression | SqlPredicate {
    return this.#logical("OR", () => this.#logical("AND", () => this.#not()));
  }

  #logical(keyword: "AND" | "OR", operand: () => SqlExpression | SqlPredicate): SqlExpression | SqlPredicate {
    let left = operand();
    while (this.#isNext(keyword)) {
      if (!isPredicate(left)) this.fail("a comparison operator, IS, IN or LIKE");
      this.#index++;
      const right = operand();
      if (!isPredicate(right)) this.fail("a comparison operator, IS, IN or LIKE");
      left = { type: keyword === "AND" ? "and" : "or", left, right };
    }
    return left;
  }

  #not(): SqlExpression | SqlPredicate {
    if (!this.take("NOT")) return this.#comparison();
    const operand = this.#nested(() => this.#not());
    if (!isPredicate(operand)) this.fail("a comparison operator, IS, IN or LIKE");
    return { type: "not", operand };
  }

  #comparison(): SqlExpression | SqlPredicate {
    const start = this.#next.position;
    const left = this.#additive();
    const operator = this.#takeAny<ComparisonOperator>(["=", "<>", "<=", ">=", "<", ">"]);
    if (operator !== undefined) {
      const operand = this.#asExpression(left, start);
      return { type: "comparison", operator, left: operand, right: this.expression() };
    }
    if (this.take("IS")) return this.#isNull(left, start);
    const isNegated = this.take("NOT");
    if (this.take("IN")) return this.#in(this.#asExpression(left, start), isNegated);
    if (this.take("LIKE")) return this.#like(this.#asExpression(left, start), isNegated);
    return isNegated ? this.fail("IN or LIKE") : left;
  }

  #isNull(left: SqlExpression | SqlPredicate, start: number): SqlPredicate {
    if (left.type !== "property") {
      throw new RuleSyntaxError(this.#part, start, "a property before IS", "another expression");
    }
    const isNegated = this.take("NOT");
    this.expect("NULL");
    return { type: "is-null", property: left, isNegated };
  }

  #in(operand: SqlExpression, isNegated: boolean): SqlPredicate {
    this.expect("(");
    const candidates = [this.expression()];
    while (this.take(",")) candidates.push(this.expression());
    if (!this.take(")")) this.fail(", or )");
    return { type: "in", operand, candidates, isNegated };
  }

  #like(operand: SqlExpression, isNegated: boolean): SqlPredicate {
    const patternToken = this.#next;
    const pattern = this.expression();
    const escapeToken = this.take("ESCAPE") ? this.#next : undefined;
    const escapeCharacter = escapeToken === undefined ? undefined : this.expression();
    if (pattern.type === "constant" && typeof pattern.value !== "string")
      this.failAt(patternToken, "a text pattern");
    if (
      escapeCharacter?.type === "constant" &&
      (typeof escapeCharacter.value !== "string" || escapeCharacter.value.length !== 1)
    ) {
      this.failAt(escapeToken as SqlToken, "a text of one character");
    }
    if (
      pattern.type === "constant" &&
      (escapeCharacter === undefined || escapeCharacter.type === "constant")
    ) {
      const isComplete =
        compileLike(pattern.value as string, escapeCharacter?.value as string | undefined) !== undefined;
      if (!isComplete) this.failAt(patternToken, "a pattern that does not end in its escape character");
    }
    return { type: "like", operand, pattern, escapeCharacter, isNegated };
  }

  #additive(): SqlExpression | SqlPredicate {
    return this.#binary(["+", "-"], () => this.#binary(["*", "/", "%"], () => this.#signed()));
  }

  #binary(
    operators: readonly ArithmeticOperator[],
    operand: () => SqlExpression | SqlPredicate,
  ): SqlExpression | SqlPredicate {
    const start = this.#next.position;
    let left = operand();
    for (
      let operator = this.#takeAny(operators);
      operator !== undefined;
      operator = this.#takeAny(operators)
    ) {
      const rightStart = this.#next.position;
      const right = this.#asExpression(operand(), rightStart);
      left = { type: "arithmetic", operator, left: this.#asExpression(left, start), right };
    }
    return left;
  }

  #signed(): SqlExpression | SqlPredicate {
    const operator = this.#takeAny(["+", "-"] as const);
    if (operator === undefined) return this.#primary();
    const token = this.#next;
    // As in C#, the minimum integer is the only literal that is valid only with its sign.
    if (operator === "-" && token.kind === "integer" && token.value === maxInt64 + 1n) {
      this.#index++;
      return { type: "constant", value: -token.value };
    }
    const operand = this.#nested(() => this.#signed());
    return { type: "sign", operator, operand: this.#asExpression(operand, token.position) };
  }

  #primary(): SqlExpression | SqlPredicate {
    const token = this.#next;
    switch (token.kind) {
      case "integer":
        if (token.value > maxInt64) this.fail("a 64-bit integer");
        return this.#constant(token.value);
      case "double":
        return this.#constant(token.value);
      case "string":
        return this.#constant(token.text);
      case "parameter":
        return this.#constant(this.#parameter(token));
      case "identifier":
        return this.#isCall() ? this.#call(token) : this.property();
      case "delimited":
        return this.property();
      default:
        return this.#keywordOrParenthesis();
    }
  }

  #constant(value: RuleValue): SqlExpression {
    this.#index++;
    return { type: "constant", value };
  }

  #parameter(token: SqlToken): RuleValue {
    const value = this.#parameters.get(token.text.toLowerCase());
    return value === undefined ? this.failAt(token, "a parameter that has a value") : value;
  }

  #isCall(): boolean {
    const after = this.#tokens[this.#index + 1];
    return after?.kind === "symbol" && after.text === "(";
  }

  #call(token: SqlToken): SqlExpression {
    const name = token.text.toLowerCase();
    if (name !== "newid" && name !== "property" && name !== "p") {
      return this.fail("newid, property, p or an operator after a property");
    }
    this.#index += 2;
    if (name === "newid") {
      this.expect(")");
      return { type: "newid" };
    }
    const argument = this.#nested(() => this.expression());
    this.expect(")");
    return { type: "property-function", name: argument };
  }

  #keywordOrParenthesis(): SqlExpression | SqlPredicate {
    if (this.take("TRUE")) return { type: "constant", value: true };
    if (this.take("FALSE")) return { type: "constant", value: false };
    if (this.take("NULL")) return { type: "constant", value: null };
    if (this.take("EXISTS")) {
      this.expect("(");
      const property = this.property();
      this.expect(")");
      return { type: "exists", property };
    }
    if (!this.take("(")) return this.fail("a property, a constant, a function or (");
    const node = this.#nested(() => (this.#part === "filter" ? this.#or() : this.#additive()));
    this.expect(")");
    return node;
  }

  #asExpression(node: SqlExpression | SqlPredicate, start: number): SqlExpression {
    if (!isPredicate(node)) return node;
    throw new RuleSyntaxError(this.#part, start, "an expression", "a predicate");
  }
}

function isPredicate(node: SqlExpression | SqlPredicate): node is SqlPredicate {
  switch (node.type) {
    case "constant":
    case "property":
    case "newid":
    case "property-function":
    case "sign":
    case "arithmetic":
      return false;
    default:
      return true;
  }
}
