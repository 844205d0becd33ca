/** A value that must be there by an invariant of the engine; throws when it is not, instead of going on without. */
export function required<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`The engine lost ${what}.`);
  return value;
}
