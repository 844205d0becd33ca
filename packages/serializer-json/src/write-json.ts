import type { BodyCheck, SerializeContext } from "@waybill/core";
import { encodeFailure, WaybillError } from "@waybill/core";
import type { ResolvedJsonOptions } from "./json-serializer.js";
import { toPlainJson } from "./to-plain-json.js";
import { reviveIntegers } from "./unsafe-integers.js";

/** How far a value is from its JSON: the reader gets the same; the reader gets an equivalent; it needs a closer look. */
const SAME = 0;
const ALTERED = 1;
const UNCLEAR = 2;

const encoder = new TextEncoder();

/** Writes a value as JSON in UTF-8. Throws `encodeFailure`, naming the path, for what JSON or the schema cannot hold. */
export function writeJson(
  value: unknown,
  context: SerializeContext,
  options: ResolvedJsonOptions,
  check: BodyCheck | undefined,
): Uint8Array {
  let likeness: number;
  let text: string;
  try {
    likeness = surveyItem(value, context.maxDepth);
    text = likeness === UNCLEAR ? toPlainJson(value, context.maxDepth, options) : JSON.stringify(value);
    // Rare enough to look again: a reader would refuse the key.
    if (text.includes('"__proto__"')) text = toPlainJson(value, context.maxDepth, options);
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    // What the value's own code threw may quote the value, so it is not passed on.
    throw encodeFailure("The body cannot be written as JSON: reading it threw an error.");
  }
  if (check !== undefined) {
    // What differs from its JSON is judged as the reader will see it.
    const seen =
      likeness === SAME ? value : reviveIntegers(text, JSON.parse(text), options.readUnsafeIntegers);
    const result = check(seen);
    if (!result.isValid) throw encodeFailure(result.text);
  }
  return toUtf8(text);
}

function surveyItem(value: unknown, depthLeft: number): number {
  if (typeof value === "object") return value === null ? SAME : survey(value, depthLeft);
  if (typeof value === "number") return Number.isFinite(value) ? SAME : UNCLEAR;
  return typeof value === "string" || typeof value === "boolean" ? SAME : UNCLEAR;
}

/**
 * Decides in one walk whether `JSON.stringify` can be trusted with a value. Plain values of finite depth, dates and absent
 * properties can; everything it would lose or change is left to the slower `toPlainJson`, which knows the path.
 */
function survey(value: object, depthLeft: number): number {
  if (depthLeft <= 0) return UNCLEAR;
  let likeness = SAME;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === "string") continue;
      const found = surveyItem(item, depthLeft - 1);
      if (found === UNCLEAR) return UNCLEAR;
      if (found > likeness) likeness = found;
    }
    return likeness;
  }
  if (value.constructor !== Object) {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? UNCLEAR : ALTERED;
    if (Object.getPrototypeOf(value) !== null) return UNCLEAR;
  }
  for (const key in value) {
    const item: unknown = (value as Record<string, unknown>)[key];
    if (typeof item === "string") continue;
    if (item === undefined) {
      likeness = ALTERED;
      continue;
    }
    const found = surveyItem(item, depthLeft - 1);
    if (found === UNCLEAR) return UNCLEAR;
    if (found > likeness) likeness = found;
  }
  return likeness;
}

/** Own memory of exactly the text's size, so that keeping the body keeps nothing else alive. */
function toUtf8(text: string): Uint8Array {
  if (typeof Buffer === "undefined") return encoder.encode(text);
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafeSlow(length);
  // As many bytes as characters means ASCII, which is copied instead of encoded.
  bytes.write(text, 0, length, length === text.length ? "latin1" : "utf8");
  return bytes;
}
