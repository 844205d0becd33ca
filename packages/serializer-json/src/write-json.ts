import { WaybillError } from "@waybill/core";
import { untransferable } from "@waybill/core/internal";
import { type BodyCheckResult, encodeFailure, type SerializeContext } from "@waybill/core/serializer";
import { checkExtent } from "./check-extent.js";
import type { JsonBodyCheck } from "./compile-json-schema.js";
import type { ResolvedJsonOptions } from "./json-serializer.js";
import { withIntegers } from "./read-json.js";
import { toPlainJson } from "./to-plain-json.js";

const encoder = new TextEncoder();

/** Writes a value as JSON in UTF-8. Throws `encodeFailure`, naming the path, for what JSON or the schema does not allow. */
export function writeJson(
  value: unknown,
  context: SerializeContext,
  options: ResolvedJsonOptions,
  check: JsonBodyCheck | undefined,
): Uint8Array {
  let text: string;
  let isSame = true;
  try {
    isAltered = false;
    const isClear = surveyItem(value, context.maxDepth);
    isSame = isClear && !isAltered;
    text = isClear ? JSON.stringify(value) : toPlainJson(value, context.maxDepth, options);
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    // An error thrown by the value's own code may quote the value, so it is not passed on.
    throw encodeFailure("The body cannot be written as JSON: reading it threw an error.");
  }
  if (check !== undefined) {
    if (isSame) requireValid(check(value, "safe"));
    else requireReadable(text, context.maxDepth, options, check);
  }
  const bytes = toUtf8(text);
  requireFewItems(bytes, context);
  return bytes;
}

function requireValid(result: BodyCheckResult): void {
  if (!result.isValid) throw encodeFailure(result.text);
}

/** A value that differs from its JSON is validated in the form that the reader will get. */
function requireReadable(
  text: string,
  maxDepth: number,
  options: ResolvedJsonOptions,
  check: JsonBodyCheck,
): void {
  asWriteFailure(() => withIntegers(text, JSON.parse(text), maxDepth, options, check));
}

/** Refuses values with more items than readers accept. */
function requireFewItems(bytes: Uint8Array, { maxDepth, maxItemsIn }: SerializeContext): void {
  const maxItems = maxItemsIn?.(bytes.length);
  // An item takes at least two bytes.
  if (maxItems !== undefined && bytes.length > 2 * maxItems)
    asWriteFailure(() => checkExtent(bytes, { maxDepth, maxItems }));
}

function asWriteFailure(read: () => void): void {
  try {
    read();
  } catch (error) {
    throw error instanceof WaybillError ? encodeFailure(error.text) : error;
  }
}

/** Set if the survey found something that the reader will get in another form: a date, an absent property. */
let isAltered = false;

function surveyItem(value: unknown, depthLeft: number): boolean {
  if (typeof value === "object") return value === null || survey(value, depthLeft);
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value === "string" || typeof value === "boolean";
}

/**
 * Decides in one walk whether `JSON.stringify` can be trusted with a value. Plain values of finite depth, dates and absent
 * properties can; values that it would lose or change go to the slower `toPlainJson`, which knows the path. The most common
 * types are checked in the loops themselves: most of the cost of these checks is this walk.
 */
function survey(value: object, depthLeft: number): boolean {
  if (depthLeft <= 0) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === "string") continue;
      if (typeof item === "object") {
        if (item !== null && !survey(item, depthLeft - 1)) return false;
      } else if (typeof item === "number") {
        if (item - item !== 0) return false;
      } else if (typeof item !== "boolean") return false;
    }
    return true;
  }
  if (value.constructor !== Object) {
    if (value instanceof Date) {
      isAltered = true;
      return !Number.isNaN(value.getTime());
    }
    // Without a prototype, `constructor` and the like are keys of the value, which readers may refuse.
    if (Object.getPrototypeOf(value) !== null || value.constructor !== undefined) return false;
  }
  let isEmpty = true;
  for (const key in value) {
    isEmpty = false;
    // A reader would refuse the key.
    if (key === "__proto__") return false;
    const item: unknown = (value as Record<string, unknown>)[key];
    if (typeof item === "string") continue;
    if (typeof item === "object") {
      if (item !== null && !survey(item, depthLeft - 1)) return false;
    } else if (typeof item === "number") {
      if (item - item !== 0) return false;
    } else if (item === undefined) isAltered = true;
    else if (typeof item !== "boolean") return false;
  }
  // Platform objects such as `Intl` look like plain objects without properties.
  return !isEmpty || !(Symbol.toStringTag in value);
}

/** Bodies that may take more than a quarter of this get memory of their own, unless there is enough room in the current slab. */
const slabBytes = 32_768;
/** The memory that smaller bodies share: one allocation is enough for many of them. */
let slab = new ArrayBuffer(0);
/** Where the free part of the slab begins. */
let free = 0;

/** Larger bodies are encoded here and then copied, which is faster than `encode`: it reads the text twice, to know the length first. */
const scratch = new Uint8Array(262_144);

function toUtf8(text: string): Uint8Array {
  const mostBytes = 3 * text.length;
  if (mostBytes > slab.byteLength - free) {
    if (mostBytes > scratch.length) return encoder.encode(text);
    if (mostBytes > slabBytes / 4) return scratch.slice(0, encoder.encodeInto(text, scratch).written);
    slab = untransferable(new Uint8Array(slabBytes)).buffer;
    free = 0;
  }
  // Views by their constructor: `subarray` looks for a species first.
  const { written } = encoder.encodeInto(text, new Uint8Array(slab, free));
  const bytes = new Uint8Array(slab, free, written);
  free += written;
  return bytes;
}
