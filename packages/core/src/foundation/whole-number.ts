/** Throws `TypeError` unless the value is a whole number from a least one on. */
export function requireWholeNumber(name: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least) return;
  throw new TypeError(`${name} must be a whole number from ${least}; got ${String(value)}.`);
}
