/** A value that an invariant guarantees but the types do not. Throws if it is undefined. */
export function required<Value>(value: Value | undefined, what = "A value that must be there"): Value {
  if (value === undefined) throw new Error(`${what} is missing.`);
  return value;
}
