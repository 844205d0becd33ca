import { asciiJson, base64, isObject } from "@waybill/foundation";
import type { ApplicationPropertyValue } from "../message/message.js";

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const instant =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT|[+-]?\d{4,6}-\d{2}-\d{2}T[\d:.]+Z)$/;

/** The header value of an application property: strings in quotes, numbers, booleans and `null` as in JSON, dates in HTTP's format. */
export function toHttpText(value: ApplicationPropertyValue): string {
  if (value instanceof Date) return value.getTime() % 1000 === 0 ? value.toUTCString() : value.toISOString();
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "number") return asciiJson(JSON.stringify(toJsonValue(value)));
  if (Object.is(value, -0)) return "-0.0";
  // An exponent distinguishes an unsafe integer of type number from a 64-bit integer.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
}

/** Reads such a header value; anything else is a string. */
export function fromHttpValue(text: string): ApplicationPropertyValue {
  if (text === "NaN" || text === "Infinity" || text === "-Infinity") return Number(text);
  if (numberForm.test(text)) return toNumber(text);
  if (instant.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text);
  try {
    return fromJson(JSON.parse(text), text);
  } catch {
    return text;
  }
}

/** The JSON of a value whose name is not a valid header name. */
export function toJsonValue(value: ApplicationPropertyValue): unknown {
  if (value instanceof Uint8Array) return { $binary: base64(value) };
  return value instanceof Date || typeof value === "bigint" || typeof value === "number"
    ? numberJson(value)
    : value;
}

/** Values without a JSON form are written as their header value. */
function numberJson(value: Date | bigint | number): unknown {
  if (typeof value === "number" && Number.isFinite(value) && !Object.is(value, -0)) {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  }
  return { $text: toHttpText(value) };
}

function fromJson(json: unknown, text: string): ApplicationPropertyValue {
  if (!isObject(json)) return json as ApplicationPropertyValue;
  const { $binary, $text } = json as { readonly $binary?: unknown; readonly $text?: unknown };
  if (typeof $binary === "string") return Uint8Array.from(atob($binary), (unit) => unit.charCodeAt(0));
  return typeof $text === "string" && !$text.startsWith("{") ? fromHttpValue($text) : text;
}

function toNumber(text: string): number | bigint {
  if (!/^-?\d+$/.test(text)) return Number(text);
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  const whole = BigInt(text);
  return BigInt.asIntN(64, whole) === whole || BigInt.asUintN(64, whole) === whole ? whole : number;
}
