import assert from "node:assert/strict";

/**
 * Asserts that two decoded values are the same: numbers by `Object.is`, bytes of any class by content, dates by time, maps and
 * sets in order, arrays and other objects of any prototype by their own enumerable keys. Names the path of the first difference.
 */
export function assertSameValue(actual: unknown, expected: unknown, subject = "the value"): void {
  const difference = findDifference(actual, expected, "$");
  if (difference !== undefined) assert.fail(`${subject} differs at ${difference}`);
}

/** Whether `assertSameValue` would pass. */
export function isSameValue(actual: unknown, expected: unknown): boolean {
  return findDifference(actual, expected, "$") === undefined;
}

function findDifference(actual: unknown, expected: unknown, path: string): string | undefined {
  if (Object.is(actual, expected)) return undefined;
  const kind = kindOf(expected);
  if (kindOf(actual) !== kind) return `${path}: expected ${describe(expected)}, got ${describe(actual)}`;
  switch (kind) {
    case "bytes":
      return findByteDifference(actual as Uint8Array, expected as Uint8Array, path);
    case "date":
      return Object.is((actual as Date).getTime(), (expected as Date).getTime())
        ? undefined
        : `${path}: expected the instant ${(expected as Date).getTime()}, got ${(actual as Date).getTime()}`;
    case "map":
      return findDifference(
        [...(actual as Map<unknown, unknown>)],
        [...(expected as Map<unknown, unknown>)],
        path,
      );
    case "set":
      return findDifference([...(actual as Set<unknown>)], [...(expected as Set<unknown>)], path);
    case "array":
    case "object":
      return findMemberDifference(actual as object, expected as object, path);
    default:
      return `${path}: expected ${describe(expected)}, got ${describe(actual)}`;
  }
}

function findByteDifference(actual: Uint8Array, expected: Uint8Array, path: string): string | undefined {
  if (actual.length !== expected.length)
    return `${path}: expected ${expected.length} bytes, got ${actual.length}`;
  const at = expected.findIndex((byte, index) => actual[index] !== byte);
  return at < 0 ? undefined : `${path}: byte ${at} should be ${expected[at]} and is ${actual[at]}`;
}

function findMemberDifference(actual: object, expected: object, path: string): string | undefined {
  if (Array.isArray(expected) && (actual as unknown[]).length !== expected.length)
    return `${path}: expected ${expected.length} items, got ${(actual as unknown[]).length}`;
  for (const key of Object.keys(actual))
    if (!Object.hasOwn(expected, key)) return `${path}: has an unexpected key ${JSON.stringify(key)}`;
  for (const key of Object.keys(expected)) {
    if (!Object.hasOwn(actual, key)) return `${path}: lacks the key ${JSON.stringify(key)}`;
    const difference = findDifference(ownValue(actual, key), ownValue(expected, key), `${path}.${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** Reads a key that may be `__proto__` without the accessor of `Object.prototype`. */
function ownValue(object: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(object, key)?.value;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Date) return "date";
  if (value instanceof Map) return "map";
  if (value instanceof Set) return "set";
  if (Array.isArray(value)) return "array";
  const tag = Object.prototype.toString.call(value);
  return tag === "[object Object]" ? "object" : tag;
}

function describe(value: unknown): string {
  const kind = kindOf(value);
  if (kind === "string") return `a string of ${(value as string).length} characters`;
  if (kind === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (kind === "bigint") return `${value}n`;
  return kind === "boolean" || kind === "null" || kind === "undefined" ? String(value) : `${kind}`;
}
