import assert from "node:assert/strict";

/** A value that a case needs; fails the case if it is undefined. */
export function required<Value>(value: Value | undefined): Value {
  assert.ok(value !== undefined, "a value that the case needs is missing");
  return value;
}
