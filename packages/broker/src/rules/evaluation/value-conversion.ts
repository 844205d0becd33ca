import { kindOf, type RuleValue, type RuleValueKind, ruleGuid, ruleTimeSpan } from "./rule-value.js";

const ticksPerMs = 10_000n;
export const minInt64 = -(2n ** 63n);
export const maxInt64 = 2n ** 63n - 1n;

const timeSpanPattern = /^\s*(-)?(?:(\d{1,8})\.)?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?\s*$/;

/**
 * Converts a value to the type of an existing property, as `SET` does implicitly: between numbers, to and from text in .NET's invariant
 * culture. Undefined if there is no conversion.
 */
export function convertValue(value: RuleValue, kind: RuleValueKind): RuleValue | undefined {
  if (value === null || kind === "null" || kindOf(value) === kind) return value;
  switch (kind) {
    case "string":
      return formatValue(value);
    case "integer":
      return toInteger(value);
    case "double":
      return toDouble(value);
    case "boolean":
      return toBoolean(value);
    case "date":
      return typeof value === "string" ? parseDate(value) : undefined;
    case "timespan":
      return typeof value === "string" ? parseTimeSpan(value) : undefined;
    case "guid":
      return typeof value === "string" ? parseGuid(value) : undefined;
    default:
      return undefined;
  }
}

/** Formats a value like .NET in the invariant culture; undefined for bytes and opaque values. */
export function formatValue(value: RuleValue): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
      return value ? "True" : "False";
    case "bigint":
      return value.toString();
    case "number":
      return formatDouble(value);
  }
  if (value === null) return "";
  if (value instanceof Date) return formatDate(value);
  if (value instanceof Uint8Array) return undefined;
  if (value.type === "instant") return formatDate(dateFromTicks(value.ticks) ?? new Date(0));
  if (value.type === "guid") return value.value;
  return value.type === "timespan" ? formatTimeSpan(value.ticks) : undefined;
}

/** Ticks of 100 ns from the Unix epoch to a date. */
export function ticksOf(date: Date): bigint {
  return BigInt(date.getTime()) * ticksPerMs;
}

/** The date at this many ticks after the epoch, truncated to milliseconds; undefined outside the range of `Date`. */
export function dateFromTicks(ticks: bigint): Date | undefined {
  const date = new Date(Number(ticks / ticksPerMs));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function toInteger(value: RuleValue): bigint | undefined {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return undefined;
    return inInt64(BigInt(roundHalfToEven(value)));
  }
  if (typeof value === "string" && /^\s*[+-]?\d{1,30}\s*$/.test(value)) {
    return inInt64(BigInt(value.trim().replace(/^\+/, "")));
  }
  return undefined;
}

function toDouble(value: RuleValue): number | undefined {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string" && /^\s*[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(value))
    return Number(value);
  return undefined;
}

function toBoolean(value: RuleValue): boolean | undefined {
  if (typeof value === "bigint") return value !== 0n;
  if (typeof value === "number") return value !== 0;
  if (typeof value !== "string") return undefined;
  const text = value.trim().toLowerCase();
  return text === "true" ? true : text === "false" ? false : undefined;
}

function parseDate(text: string): Date | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function parseTimeSpan(text: string): RuleValue | undefined {
  const match = timeSpanPattern.exec(text);
  if (match === null) return undefined;
  const [, sign, days = "0", hours = "0", minutes = "0", seconds = "0", fraction = ""] = match;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const wholeSeconds = ((BigInt(days) * 24n + BigInt(hours)) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
  const ticks = wholeSeconds * 10_000_000n + BigInt(fraction.padEnd(7, "0"));
  const inRange = inInt64(sign === undefined ? ticks : -ticks);
  return inRange === undefined ? undefined : ruleTimeSpan(inRange);
}

function parseGuid(text: string): RuleValue | undefined {
  try {
    return ruleGuid(text.trim());
  } catch {
    return undefined;
  }
}

export function isInt64(value: bigint): boolean {
  return value >= minInt64 && value <= maxInt64;
}

function inInt64(value: bigint): bigint | undefined {
  return isInt64(value) ? value : undefined;
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** .NET switches to scientific notation at 1E+15 and below 1E-04. */
function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 1e-4 && magnitude < 1e15))
    return Object.is(value, -0) ? "-0" : value.toString();
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${digits}E${sign}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}

function formatDate(date: Date): string {
  const part = (value: number, width = 2) => value.toString().padStart(width, "0");
  const day = `${part(date.getUTCMonth() + 1)}/${part(date.getUTCDate())}/${part(date.getUTCFullYear(), 4)}`;
  return `${day} ${part(date.getUTCHours())}:${part(date.getUTCMinutes())}:${part(date.getUTCSeconds())}`;
}

function formatTimeSpan(ticks: bigint): string {
  const magnitude = ticks < 0n ? -ticks : ticks;
  const part = (value: bigint, width = 2) => value.toString().padStart(width, "0");
  const seconds = magnitude / 10_000_000n;
  const days = seconds / 86_400n;
  const fraction = magnitude % 10_000_000n;
  const clock = `${part((seconds / 3_600n) % 24n)}:${part((seconds / 60n) % 60n)}:${part(seconds % 60n)}`;
  return `${ticks < 0n ? "-" : ""}${days === 0n ? "" : `${days}.`}${clock}${fraction === 0n ? "" : `.${part(fraction, 7)}`}`;
}
