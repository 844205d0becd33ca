import type { RuleValue } from "../src/rules/evaluation/rule-value.js";
import type { SqlExpression, SqlPredicate, SqlProperty } from "../src/rules/sql-filter/ast.js";

/** A message for the naive evaluator: system properties by lower-case name, application properties in order. */
export interface NaiveMessage {
  readonly system: Readonly<Record<string, RuleValue>>;
  readonly application: readonly (readonly [name: string, value: RuleValue])[];
}

type Truth = "T" | "F" | "U";

/** A second implementation of the documentation: evaluates the tree for each message, in the simplest way. */
export function naiveMatches(predicate: SqlPredicate, message: NaiveMessage): boolean {
  return truthOf(predicate, message) === "T";
}

function truthOf(node: SqlPredicate, message: NaiveMessage): Truth {
  switch (node.type) {
    case "not":
      return not(truthOf(node.operand, message));
    case "and": {
      const left = truthOf(node.left, message);
      return left === "F" ? "F" : worst(left, truthOf(node.right, message));
    }
    case "or": {
      const left = truthOf(node.left, message);
      return left === "T" ? "T" : not(worst(not(left), not(truthOf(node.right, message))));
    }
    case "comparison": {
      const left = evaluate(node.left, message);
      const right = evaluate(node.right, message);
      if (left === undefined || right === undefined) return "U";
      return compare(node.operator, left, right);
    }
    case "is-null":
      return truth((find(node.property, message) ?? null) === null ? !node.isNegated : node.isNegated);
    case "exists": {
      const value = find(node.property, message);
      return truth(node.property.scope === "sys" ? value !== null : value !== undefined);
    }
    case "in": {
      const left = evaluate(node.operand, message);
      if (left === undefined) return "U";
      const results: Truth[] = [];
      for (const candidate of node.candidates) {
        const right = evaluate(candidate, message);
        results.push(right === undefined ? "U" : compare("=", left, right));
        if (results.at(-1) === "T") break;
      }
      const found: Truth = results.includes("T") ? "T" : results.includes("U") ? "U" : "F";
      return node.isNegated ? not(found) : found;
    }
    case "like": {
      const value = evaluate(node.operand, message);
      const pattern = evaluate(node.pattern, message);
      if (typeof value !== "string" || typeof pattern !== "string") return "U";
      const isMatch = new RegExp(`^${toRegExp(pattern, node.escapeCharacter !== undefined)}$`, "s").test(
        value,
      );
      return truth(isMatch !== node.isNegated);
    }
  }
}

function evaluate(node: SqlExpression, message: NaiveMessage): RuleValue | undefined {
  switch (node.type) {
    case "constant":
      return node.value as RuleValue;
    case "property":
      return find(node, message);
    case "newid":
      throw new Error("not generated");
    case "property-function": {
      const name = evaluate(node.name, message);
      return typeof name === "string" ? find({ type: "property", scope: "user", name }, message) : undefined;
    }
    case "sign": {
      const value = evaluate(node.operand, message);
      if (value === undefined || value === null) return value;
      if (node.operator === "+") return isNumber(value) || isSpan(value) ? value : undefined;
      if (typeof value === "bigint") return wrap(0n - value);
      if (typeof value === "number") return -value;
      return isSpan(value) ? { type: "timespan", ticks: -value.ticks } : undefined;
    }
    case "arithmetic": {
      const left = evaluate(node.left, message);
      const right = evaluate(node.right, message);
      if (left === undefined || right === undefined) return undefined;
      return compute(node.operator, left, right);
    }
  }
}

function compute(operator: string, left: RuleValue, right: RuleValue): RuleValue | undefined {
  if (operator === "+" && (typeof left === "string" || typeof right === "string"))
    return write(left) + write(right);
  if (left === null || right === null) {
    return null;
  }
  if (typeof left === "bigint" && typeof right === "bigint") {
    if (operator === "+") return wrap(left + right);
    if (operator === "-") return wrap(left - right);
    if (operator === "*") return wrap(left * right);
    if (right === 0n || (right === -1n && left === -(2n ** 63n))) throw new Error("arithmetic");
    return operator === "/" ? left / right : left % right;
  }
  if (isNumber(left) && isNumber(right)) {
    const [x, y] = [Number(left), Number(right)];
    return { "+": x + y, "-": x - y, "*": x * y, "/": x / y, "%": x % y }[operator];
  }
  const sign = operator === "-" ? -1n : 1n;
  if (operator !== "+" && operator !== "-") return undefined;
  if (left instanceof Date && right instanceof Date && operator === "-") {
    return { type: "timespan", ticks: BigInt(left.getTime() - right.getTime()) * 10_000n };
  }
  if (left instanceof Date && isSpan(right)) {
    return new Date(left.getTime() + Number((sign * right.ticks) / 10_000n));
  }
  return isSpan(left) && isSpan(right)
    ? { type: "timespan", ticks: left.ticks + sign * right.ticks }
    : undefined;
}

function compare(operator: string, left: RuleValue, right: RuleValue): Truth {
  if (left === null || right === null) {
    const bothNull = left === null && right === null;
    return truth(operator === "=" ? bothNull : operator === "<>" ? !bothNull : false);
  }
  if (typeof left === "boolean" && typeof right === "boolean") {
    return operator === "=" ? truth(left === right) : operator === "<>" ? truth(left !== right) : "U";
  }
  const pair = comparable(left, right);
  if (pair === undefined) return "U";
  const [x, y] = pair as [number, number];
  switch (operator) {
    case "=":
      return truth(x === y);
    case "<>":
      return truth(x !== y);
    case "<":
      return truth(x < y);
    case "<=":
      return truth(x <= y);
    case ">":
      return truth(x > y);
    default:
      return truth(x >= y);
  }
}

/** Two primitives of one type with the same order as the values; undefined if there is no order. */
function comparable(left: RuleValue, right: RuleValue): readonly [unknown, unknown] | undefined {
  if (typeof left === "string" && typeof right === "string") return [left, right];
  if (typeof left === "bigint" && typeof right === "bigint") return [left, right];
  if (isNumber(left) && isNumber(right)) return [Number(left), Number(right)];
  if (left instanceof Date && right instanceof Date) return [left.getTime(), right.getTime()];
  return isSpan(left) && isSpan(right) ? [left.ticks, right.ticks] : undefined;
}

function find(property: SqlProperty, message: NaiveMessage): RuleValue | undefined {
  const folded = property.name.toLowerCase();
  if (property.scope === "sys") return message.system[folded] ?? null;
  const exact = message.application.find(([name]) => name === property.name);
  return (exact ?? message.application.find(([name]) => name.toLowerCase() === folded))?.[1];
}

function toRegExp(pattern: string, hasEscape: boolean): string {
  let source = "";
  for (let index = 0; index < pattern.length; index++) {
    const isEscaped = hasEscape && pattern[index] === "\\";
    if (isEscaped) index++;
    const character = pattern[index] ?? "";
    if (!isEscaped && character === "%") source += ".*";
    else if (!isEscaped && character === "_") source += ".";
    else source += character.replace(/[\\^$.*+?()[\]{}|]/, "\\$&");
  }
  return source;
}

/** Only for generated values; doubles are chosen so that both languages write them in the same way. */
function write(value: RuleValue): string {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value instanceof Date || typeof value === "object" || typeof value === "number")
    throw new Error("not written");
  return String(value);
}

function worst(left: Truth, right: Truth): Truth {
  return left === "F" || right === "F" ? "F" : left === "U" || right === "U" ? "U" : "T";
}

function not(value: Truth): Truth {
  return value === "T" ? "F" : value === "F" ? "T" : "U";
}

function truth(value: boolean): Truth {
  return value ? "T" : "F";
}

function wrap(value: bigint): bigint {
  const low = value & (2n ** 64n - 1n);
  return low >= 2n ** 63n ? low - 2n ** 64n : low;
}

function isNumber(value: RuleValue): value is bigint | number {
  return typeof value === "bigint" || typeof value === "number";
}

function isSpan(value: RuleValue): value is { type: "timespan"; ticks: bigint } {
  return typeof value === "object" && value !== null && "ticks" in value;
}
