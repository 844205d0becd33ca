import { kindOf } from "./known-options.js";

/** The value, when it is an integer in a range. Throws `TypeError` otherwise; `name` begins its text. */
export function requireInteger(
  name: string,
  value: number,
  least: number,
  most: number = Number.POSITIVE_INFINITY,
): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new TypeError(
    `${name} must be ${rangeText(least, most)}; got ${typeof value === "number" ? value : kindOf(value)}.`,
  );
}

function rangeText(least: number, most: number): string {
  if (most !== Number.POSITIVE_INFINITY) return `an integer from ${least} to ${most}`;
  return least === 1 ? "a positive integer" : `an integer of ${least} or more`;
}
