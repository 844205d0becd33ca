import { kindOf } from "./known-options.js";

/** A duration of the caller's, or the default. Throws `TypeError` unless it is a number of milliseconds from 0; `Infinity` is one. */
export function durationMs(name: string, given: number | undefined, defaultMs: number): number {
  return requireDuration(name, given ?? defaultMs, 0, Number.POSITIVE_INFINITY);
}

/** The value, when it is a finite number of milliseconds in a range. Throws `TypeError` otherwise; `name` begins its text. */
export function requireDuration(
  name: string,
  value: number,
  leastMs: number,
  mostMs: number = Number.MAX_VALUE,
): number {
  if (typeof value === "number" && value >= leastMs && value <= mostMs) return value;
  const got = typeof value === "number" ? value : kindOf(value);
  const range = mostMs < Number.MAX_VALUE ? `${leastMs} to ${mostMs}` : `${leastMs}`;
  throw new TypeError(`${name} must be a number of milliseconds from ${range}; got ${got}.`);
}
