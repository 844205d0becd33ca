import { kindOf } from "./known-options.js";

/** Throws `TypeError` unless the value is an integer from a least one on. */
export function requireInteger(name: string, value: number, least: 0 | 1): void {
  if (Number.isInteger(value) && value >= least) return;
  const expected = least === 1 ? "a positive integer" : "an integer of 0 or more";
  throw new TypeError(
    `${name} must be ${expected}; got ${typeof value === "number" ? value : kindOf(value)}.`,
  );
}
