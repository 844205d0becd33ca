import { kindOf } from "./known-options.js";

/** The value, if it is an integer in a range. Throws `TypeError` otherwise; `name` begins its message. */
export function requireInteger(
  name: string,
  value: number,
  min: number,
  max: number = Number.POSITIVE_INFINITY,
): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new TypeError(
    `${name} must be ${rangeText(min, max)}; got ${typeof value === "number" ? value : kindOf(value)}.`,
  );
}

function rangeText(min: number, max: number): string {
  if (max !== Number.POSITIVE_INFINITY) return `an integer from ${min} to ${max}`;
  return min === 1 ? "a positive integer" : `an integer of ${min} or more`;
}

/** A duration given by the caller, or the default. Throws `TypeError` unless it is a number of milliseconds from 0 up to `Infinity`. */
export function durationMs(name: string, given: number | undefined, defaultMs: number): number {
  return requireDuration(name, given ?? defaultMs, 0, Number.POSITIVE_INFINITY);
}

/** The value, if it is a number of milliseconds in a range, by default a finite one. Throws `TypeError` otherwise; `name` begins its message. */
export function requireDuration(
  name: string,
  value: number,
  minMs: number,
  maxMs: number = Number.MAX_VALUE,
): number {
  if (typeof value === "number" && value >= minMs && value <= maxMs) return value;
  const got = typeof value === "number" ? value : kindOf(value);
  const range = maxMs < Number.MAX_VALUE ? `${minMs} to ${maxMs}` : `${minMs}`;
  throw new TypeError(`${name} must be a number of milliseconds from ${range}; got ${got}.`);
}

/** The value, if it is a number from 0 to 1. Throws `TypeError` otherwise; `name` begins its message. */
export function requireShare(name: string, value: number): number {
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw new TypeError(
    `${name} must be a number from 0 to 1; got ${typeof value === "number" ? value : kindOf(value)}.`,
  );
}
