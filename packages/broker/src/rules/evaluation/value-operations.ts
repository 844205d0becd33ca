import { RuleEvaluationError } from "./rule-error.js";
import { type RuleInstant, type RuleTimeSpan, type RuleValue, ruleTimeSpan } from "./rule-value.js";
import { dateFromTicks, formatValue, isInt64, minInt64, ticksOf } from "./value-conversion.js";

/** A truth value of the rule language; undefined is *unknown*. */
export type Truth = boolean | undefined;

/** The ordering comparisons. */
export type RelationalOperator = "<" | "<=" | ">" | ">=";

/** The binary arithmetic operators. */
export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%";

/** Maximum length of a concatenated text, in UTF-16 units: the maximum size of a message's application properties. */
const textLimit = 64 * 1024;

/**
 * Compares two values for equality after C#'s promotions: integers with doubles as doubles, strings by ordinal, null equal only to null.
 * Unknown for types that C# cannot compare.
 */
export function equalValues(left: RuleValue, right: RuleValue): Truth {
  if (left === null || right === null) return left === right;
  if (typeof left === "boolean" && typeof right === "boolean") return left === right;
  const order = orderOf(left, right);
  if (order !== undefined) return order === 0;
  return equalObjects(left, right);
}

/**
 * Compares two values by order: numbers, dates, durations, and strings by ordinal. Comparing with null is false, as with C#'s lifted
 * operators; other pairs of types are unknown.
 */
export function relateValues(operator: RelationalOperator, left: RuleValue, right: RuleValue): Truth {
  if (left === null || right === null) return false;
  const order = orderOf(left, right);
  if (order === undefined) return undefined;
  switch (operator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
}

/**
 * Computes like C#: 64-bit integers that wrap around, doubles when either side is one, text concatenation, dates and durations. Null gives
 * null; types without the operator give unknown (undefined).
 * Throws `RuleEvaluationError` for an integer division by zero, for the minimum integer divided by -1, and for text of more than 65,536
 * characters.
 */
export function computeValues(
  operator: ArithmeticOperator,
  left: RuleValue,
  right: RuleValue,
): RuleValue | undefined {
  if (typeof left === "bigint" && typeof right === "bigint") return computeIntegers(operator, left, right);
  if (isNumeric(left) && isNumeric(right)) return computeDoubles(operator, Number(left), Number(right));
  if (operator === "+" && (typeof left === "string" || typeof right === "string"))
    return concatenate(left, right);
  if (left === null || right === null) return null;
  if (operator === "+" || operator === "-") return computeTimes(operator, left, right);
  return undefined;
}

/** Negates a number or a duration; null stays null, other types give unknown. */
export function negateValue(value: RuleValue): RuleValue | undefined {
  if (typeof value === "bigint") return isInt64(value) ? BigInt.asIntN(64, -value) : undefined;
  if (typeof value === "number") return -value;
  if (value === null) return null;
  return isTimeSpan(value) ? timeSpanOf(-value.ticks) : undefined;
}

/** Unary plus: returns a number, a duration or null unchanged; unknown for other types. */
export function plusValue(value: RuleValue): RuleValue | undefined {
  return value === null || isNumeric(value) || isTimeSpan(value) ? value : undefined;
}

/** Negative, zero or positive; NaN if an operand is NaN, so that every comparison is false; undefined if the types have no order. */
function orderOf(left: RuleValue, right: RuleValue): number | undefined {
  if (typeof left === "string") {
    if (typeof right !== "string") return undefined;
    return left === right ? 0 : left < right ? -1 : 1;
  }
  if (typeof left === "bigint" && typeof right === "bigint")
    return left === right ? 0 : left < right ? -1 : 1;
  if (isNumeric(left)) return isNumeric(right) ? orderOfDoubles(Number(left), Number(right)) : undefined;
  if (left instanceof Date && right instanceof Date) return left.getTime() - right.getTime();
  if (isTime(left)) return isTime(right) ? orderOfTicks(instantOf(left), instantOf(right)) : undefined;
  if (isTimeSpan(left) && isTimeSpan(right)) {
    return orderOfTicks(left.ticks, right.ticks);
  }
  return undefined;
}

function orderOfTicks(left: bigint, right: bigint): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

function isTime(value: RuleValue): value is Date | RuleInstant {
  return (
    value instanceof Date ||
    (value !== null && typeof value === "object" && "type" in value && value.type === "instant")
  );
}

function instantOf(time: Date | RuleInstant): bigint {
  return time instanceof Date ? ticksOf(time) : time.ticks;
}

function orderOfDoubles(left: number, right: number): number {
  if (left === right) return 0;
  return left < right ? -1 : left > right ? 1 : Number.NaN;
}

function equalObjects(left: RuleValue, right: RuleValue): Truth {
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    return left.length === right.length && left.every((byte, index) => byte === right[index]);
  }
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return undefined;
  if (!("type" in left && "type" in right)) return undefined;
  return left.type === "guid" && right.type === "guid" ? left.value === right.value : undefined;
}

function computeIntegers(operator: ArithmeticOperator, left: bigint, right: bigint): bigint | undefined {
  if (!isInt64(left) || !isInt64(right)) return undefined;
  switch (operator) {
    case "+":
      return BigInt.asIntN(64, left + right);
    case "-":
      return BigInt.asIntN(64, left - right);
    case "*":
      return BigInt.asIntN(64, left * right);
    default:
      if (right === 0n) throw new RuleEvaluationError("DivideByZeroException", "integer division by zero");
      if (right === -1n && left === minInt64) {
        throw new RuleEvaluationError("OverflowException", "integer division exceeds 64 bits");
      }
      return operator === "/" ? left / right : left % right;
  }
}

function computeDoubles(operator: ArithmeticOperator, left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "%":
      return left % right;
  }
}

function concatenate(left: RuleValue, right: RuleValue): string | undefined {
  const head = formatValue(left);
  const tail = formatValue(right);
  if (head === undefined || tail === undefined) return undefined;
  return head.length + tail.length <= textLimit ? head + tail : overflow("the text");
}

function computeTimes(operator: "+" | "-", left: RuleValue, right: RuleValue): RuleValue | undefined {
  if (isTime(left) && isTime(right)) {
    return operator === "-" ? timeSpanOf(instantOf(left) - instantOf(right)) : undefined;
  }
  if (!isTimeSpan(right)) return undefined;
  const ticks = operator === "+" ? right.ticks : -right.ticks;
  if (isTime(left)) return dateFromTicks(instantOf(left) + ticks) ?? overflow("the date");
  return isTimeSpan(left) ? timeSpanOf(left.ticks + ticks) : undefined;
}

function timeSpanOf(ticks: bigint): RuleTimeSpan {
  return isInt64(ticks) ? ruleTimeSpan(ticks) : overflow("the span of time");
}

function overflow(what: string): never {
  throw new RuleEvaluationError("OverflowException", `${what} is out of range`);
}

function isNumeric(value: RuleValue): value is bigint | number {
  return typeof value === "bigint" || typeof value === "number";
}

function isTimeSpan(value: RuleValue): value is RuleTimeSpan {
  return typeof value === "object" && value !== null && "type" in value && value.type === "timespan";
}
