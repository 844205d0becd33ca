import { decodeFailure } from "@waybill/core";
import type { ResolvedJsonOptions } from "./json-serializer.js";

/**
 * Gives the integers that a number would round what the option says: reads a JSON text again when it has any. `rounded` is
 * `JSON.parse(text)`, the answer when nothing was rounded. An integer counts as rounded when its number would print other digits.
 */
export function reviveIntegers(
  text: string,
  rounded: unknown,
  policy: ResolvedJsonOptions["readUnsafeIntegers"],
): unknown {
  if (policy === "number") return rounded;
  // An unguessable mark tells these strings from the sender's own.
  const mark = policy === "bigint" ? globalThis.crypto.randomUUID() : "";
  const quoted = quoteIntegers(text, mark);
  if (quoted === text) return rounded;
  if (policy === "refuse")
    throw decodeFailure("value-out-of-range", "An integer is beyond the precision of a number.");
  const value: unknown = JSON.parse(quoted);
  return policy === "string" ? value : toBigInts(value, mark);
}

/** Returns a value with its bigints as numbers, sharing what has none: what a JSON Schema's `integer` can judge. */
export function withNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  let copy: unknown[] | Record<string, unknown> | undefined;
  for (const [key, item] of Object.entries(value)) {
    const replaced = withNumbers(item);
    if (replaced === item) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    (copy as Record<string, unknown>)[key] = replaced;
  }
  return copy ?? value;
}

/** Turns the integers of a JSON text that a number would round into marked strings. The text is known to be JSON. */
function quoteIntegers(text: string, mark: string): string {
  let quoted = "";
  let copied = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === 0x22) {
      index = afterString(text, index);
    } else if (code === 0x2d || isDigit(code)) {
      const start = index++;
      while (isDigit(text.charCodeAt(index))) index++;
      const digits = text.slice(start, index);
      const isFloat = /[.eE]/.test(text.charAt(index));
      if (isFloat) index = afterNumber(text, index);
      else if (digits.length > 15 && String(Number(digits)) !== digits) {
        quoted += `${text.slice(copied, start)}"${mark}${digits}"`;
        copied = index;
      }
    } else index++;
  }
  return copied === 0 ? text : quoted + text.slice(copied);
}

function afterString(text: string, start: number): number {
  let index = start + 1;
  for (; text.charCodeAt(index) !== 0x22; index++) if (text.charCodeAt(index) === 0x5c) index++;
  return index + 1;
}

function afterNumber(text: string, start: number): number {
  let index = start;
  while (/[\d.eE+-]/.test(text.charAt(index))) index++;
  return index;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Replaces the marked strings in a value whose depth was checked before. */
function toBigInts(value: unknown, mark: string): unknown {
  if (typeof value === "string") return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) record[key] = toBigInts(record[key], mark);
  return record;
}
