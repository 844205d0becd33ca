/** Returns a value that an invariant of the engine guarantees; throws if it is missing. */
export function required<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`The engine lost ${what}.`);
  return value;
}
