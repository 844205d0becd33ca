/** A GUID as rules see it: AMQP `uuid` values and what `newid()` returns. `value` is the lower-case text form. */
export interface RuleGuid {
  readonly type: "guid";
  readonly value: string;
}

/** A duration in ticks of 100 ns, the unit of .NET's `TimeSpan` and of `com.microsoft:timespan` properties. */
export interface RuleTimeSpan {
  readonly type: "timespan";
  readonly ticks: bigint;
}

/** A time in ticks of 100 ns since the Unix epoch, for times that `Date` would round to milliseconds. */
export interface RuleInstant {
  readonly type: "instant";
  readonly ticks: bigint;
}

/** A value that rules cannot compare, such as a decimal128, a list or a map. */
export interface RuleOpaque {
  readonly type: "opaque";
}

/**
 * A property's value in the types of filters and actions. Every AMQP integer type is a `bigint` and every floating-point type a `number`,
 * so the literal 5 means the same whichever SDK wrote it.
 */
export type RuleValue =
  | null
  | string
  | boolean
  | bigint
  | number
  | Date
  | Uint8Array
  | RuleGuid
  | RuleTimeSpan
  | RuleInstant
  | RuleOpaque;

/** A value of a rule as it was given: with its type and text, which a listing returns, and the value that is compared. */
export interface TypedRuleValue {
  readonly type: "typed";
  /** The name of its type in XML Schema, such as `int`, `long`, `double`, `dateTime` or `duration`. */
  readonly schemaType: string;
  readonly text: string;
  readonly value: RuleValue;
}

/** A value in a rule: of a filter's property or of a parameter. */
export type RuleConstant = RuleValue | TypedRuleValue;

/** The value that is compared. */
export function comparedValue(constant: RuleConstant): RuleValue {
  return isTypedConstant(constant) ? constant.value : constant;
}

/** Whether a value of a rule has the type and text it was given with. */
export function isTypedConstant(constant: RuleConstant): constant is TypedRuleValue {
  return typeof constant === "object" && constant !== null && "type" in constant && constant.type === "typed";
}

/** The type of a {@link RuleValue} as a word. */
export type RuleValueKind =
  | "null"
  | "string"
  | "boolean"
  | "integer"
  | "double"
  | "date"
  | "bytes"
  | "guid"
  | "timespan"
  | "instant"
  | "opaque";

/** The value of properties whose type rules cannot compare. */
export const opaque: RuleOpaque = Object.freeze({ type: "opaque" });

const guidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Creates a GUID value from its text form, ignoring case. Throws a `TypeError` for other text. */
export function ruleGuid(text: string): RuleGuid {
  if (!guidPattern.test(text))
    throw new TypeError("a GUID has the form 00000000-0000-0000-0000-000000000000");
  return { type: "guid", value: text.toLowerCase() };
}

/** Creates a duration from ticks of 100 ns. */
export function ruleTimeSpan(ticks: bigint): RuleTimeSpan {
  return { type: "timespan", ticks };
}

/** Names the type of a value. */
export function kindOf(value: RuleValue): RuleValueKind {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "bigint":
      return "integer";
    case "number":
      return "double";
    default:
      if (value === null) return "null";
      if (value instanceof Date) return "date";
      if (value instanceof Uint8Array) return "bytes";
      return value.type;
  }
}
