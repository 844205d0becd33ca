import { Buffer } from "node:buffer";
import { AmqpMap, type AmqpValue, decodeValue, encodeValue, isTyped } from "@waybill/amqp";
import type { ApplicationPropertyValue } from "@waybill/broker";
import { asciiJson } from "@waybill/foundation";
import { fromAmqpValue, toAmqpValue } from "../../messages/application-properties.js";
import { HttpRefusal } from "../http-refusal.js";

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const specialNumbers: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};
const rfc1123 = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const iso8601 = /^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,7})?Z$/;
const intLimit = 2n ** 31n;
const longLimit = 2n ** 63n;
/** The keys of objects that represent values without a JSON form. */
const [binaryKey, textKey, amqpKey] = ["$binary", "$text", "$amqp"];

/**
 * Formats a property's value: strings in quotes, numbers, `true`, `false` and `null` as in JSON, dates in HTTP format or, with
 * milliseconds, in ISO 8601. Other values become an object that names their type. Only ASCII. Source: "Message headers and properties".
 */
export function toPropertyText(value: ApplicationPropertyValue): string {
  switch (typeof value) {
    case "string":
      return asciiJson(JSON.stringify(value));
    case "number":
      // A double beyond this range must be distinguished from a 64-bit integer.
      return Number.isInteger(value) && !Number.isSafeInteger(value)
        ? value.toExponential()
        : Object.is(value, -0)
          ? "-0.0"
          : String(value);
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return value instanceof Date ? toInstantText(value) : JSON.stringify(toPropertyJson(value));
  }
}

/** Parses the output of {@link toPropertyText}; any other text is a string, because clients send strings without quotes. */
export function fromPropertyText(text: string): ApplicationPropertyValue {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  if (number.test(text)) return toNumber(text);
  if (Object.hasOwn(specialNumbers, text)) return specialNumbers[text];
  if (rfc1123.test(text) || iso8601.test(text)) return fromInstantText(text) ?? text;
  if (!/^["{]/.test(text)) return text;
  try {
    return fromPropertyJson(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Converts a value to JSON, for batches and for names that cannot be header names. */
export function toPropertyJson(value: ApplicationPropertyValue): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && isPlainJson(value)) return value;
  if (typeof value === "number" || typeof value === "bigint" || value instanceof Date)
    return { [textKey]: toPropertyText(value) };
  if (value instanceof Uint8Array) return { [binaryKey]: Buffer.from(value).toString("base64") };
  return { [amqpKey]: Buffer.from(encodeValue(toAmqpValue(value))).toString("base64") };
}

/** Whether JSON represents a number unambiguously; larger integers would be read as 64-bit integers. */
function isPlainJson(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && !Object.is(value, -0);
  return Number.isFinite(value);
}

/** Parses the output of {@link toPropertyJson}. Throws for other lists and objects. */
export function fromPropertyJson(json: unknown): ApplicationPropertyValue {
  if (typeof json === "number") return Number.isInteger(json) ? toNumber(String(json)) : json;
  if (typeof json !== "object" || json === null) return json as ApplicationPropertyValue;
  const [[key, content] = [], ...more] = Object.entries(json);
  const isKnown = key === binaryKey || key === textKey || key === amqpKey;
  if (more.length > 0 || typeof content !== "string" || !isKnown) {
    throw new HttpRefusal(400, "A user property must be text, a number, true, false or null.");
  }
  if (key === textKey) return content.startsWith("{") ? content : fromPropertyText(content);
  const bytes = Buffer.from(content, "base64");
  return key === binaryKey ? Uint8Array.from(bytes) : fromAmqpBytes(bytes);
}

function fromAmqpBytes(bytes: Uint8Array): ApplicationPropertyValue {
  let value: AmqpValue;
  try {
    value = decodeValue(bytes);
  } catch {
    throw badAmqp();
  }
  // AMQP allows only simple values in application properties (3.2.5).
  const isCompound =
    Array.isArray(value) || value instanceof AmqpMap || (isTyped(value) && value.type === "array");
  if (isCompound) throw badAmqp();
  return fromAmqpValue(value);
}

function badAmqp(): HttpRefusal {
  return new HttpRefusal(400, `A user property with ${amqpKey} must be a simple value of AMQP in base 64.`);
}

/** Integers of up to 32 bits become numbers, longer ones `bigint`; beyond all integer types, a double. */
function toNumber(text: string): number | bigint {
  if (!/^-?\d+$/.test(text)) return Number(text);
  const whole = BigInt(text);
  if (whole >= -intLimit && whole < intLimit) return Number(whole);
  return whole >= -longLimit && whole < 2n * longLimit ? whole : Number(text);
}

/** Formats a date for HTTP, in ISO 8601 if it has milliseconds. */
export function toInstantText(instant: Date): string {
  return instant.getTime() % 1000 === 0 && instant.getUTCFullYear() > 0 && instant.getUTCFullYear() < 10_000
    ? instant.toUTCString()
    : instant.toISOString();
}

/** Parses a date in either format; undefined for other text. */
export function fromInstantText(text: string): Date | undefined {
  const instant = new Date(text.trim());
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
