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
