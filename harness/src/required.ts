/** A value that is there by an invariant that types cannot say; throws when it is not, instead of going on without. */
export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("A value is missing that must be there.");
  return value;
}
