import { parseIsoTicks, ticksToIsoDuration } from "@waybill/foundation";
import { isTypedConstant, type RuleConstant, type RuleValue, ruleGuid, ruleTimeSpan } from "./rule-value.js";

const ticksPerMs = 10_000n;
const integer = /^[+-]?\d{1,20}$/;
const time = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,7})\d*)?(Z|[+-]\d{2}:\d{2})?$/;
const specialNumbers: Readonly<Record<string, number>> = {
  INF: Number.POSITIVE_INFINITY,
  "-INF": Number.NEGATIVE_INFINITY,
};

/** The type in XML Schema and the text of a rule's value, as it was given if it came with a type. */
export function typedText(value: RuleConstant): readonly [type: string, text: string] {
  if (isTypedConstant(value)) return [value.schemaType, value.text];
  if (value instanceof Date) return ["dateTime", value.toISOString().replace("Z", "0000Z")];
  switch (typeof value) {
    case "boolean":
      return ["boolean", String(value)];
    case "bigint":
      return [BigInt.asIntN(32, value) === value ? "int" : "long", String(value)];
    case "number":
      return ["double", String(value)];
    case "object":
      return value === null || value instanceof Uint8Array ? ["string", ""] : objectText(value);
    default:
      return ["string", value];
  }
}

function objectText(value: Extract<RuleValue, { type: string }>): readonly [type: string, text: string] {
  switch (value.type) {
    case "timespan":
      return ["duration", ticksToIsoDuration(value.ticks)];
    case "guid":
      return ["guid", value.value];
    default:
      return ["string", ""];
  }
}

/** The value of a rule that has a type of XML Schema and a text. Throws a `TypeError` for a text that is not of its type. */
export function typedConstant(schemaType: string, given: string): RuleConstant {
  const text = given.trim();
  if (schemaType === "boolean") return text === "true" || text === "1";
  const value = compared(schemaType, text);
  return value === undefined ? given : { type: "typed", schemaType, text, value };
}

/** The value that is compared; `undefined` for types that are compared as text. */
function compared(schemaType: string, text: string): RuleValue | undefined {
  switch (schemaType) {
    case "byte":
    case "short":
    case "int":
    case "long":
    case "unsignedByte":
    case "unsignedShort":
    case "unsignedInt":
    case "unsignedLong":
      return integer.test(text) ? BigInt(text.replace("+", "")) : wrong("integer");
    case "float":
    case "double":
    case "decimal":
      return toNumber(text);
    case "dateTime":
      return toInstant(text);
    case "duration":
      return toTimeSpan(text);
    case "guid":
      return toGuid(text);
    default:
      return undefined;
  }
}

function toNumber(text: string): number {
  const number = specialNumbers[text] ?? Number(text);
  return text === "" || (Number.isNaN(number) && text !== "NaN") ? wrong("number") : number;
}

/** Without a zone, a time is UTC. */
function toInstant(text: string): RuleValue {
  const [, whole = "", fraction = "", zone = "Z"] = time.exec(text) ?? [];
  const ms = Date.parse(`${whole}${zone}`);
  if (Number.isNaN(ms)) return wrong("time");
  return { type: "instant", ticks: BigInt(ms) * ticksPerMs + BigInt(fraction.padEnd(7, "0")) };
}

function toTimeSpan(text: string): RuleValue {
  const ticks = parseIsoTicks(text);
  return ticks === undefined ? wrong("duration") : ruleTimeSpan(ticks);
}

function toGuid(text: string): RuleValue {
  try {
    return ruleGuid(text);
  } catch {
    return wrong("GUID");
  }
}

function wrong(what: string): never {
  throw new TypeError(`The text is not the ${what} that its type says.`);
}
