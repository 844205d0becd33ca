/** Whether a handler could not distinguish two decoded values: faster than `compareValues`, without the differences. */
export function isSameValue(left: unknown, right: unknown): boolean {
  if (left === right) return left !== 0 || Object.is(left, right);
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return Object.is(left, right);
  }
  if (Array.isArray(left)) return Array.isArray(right) && isSameArray(left, right);
  if (isPlain(left)) return isPlain(right) && isSameObject(left, right);
  return isSameSpecial(left, right);
}

/** Whether a value is an object of named fields, whatever its prototype. */
export function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return !(
    Array.isArray(value) ||
    value instanceof Date ||
    value instanceof Map ||
    value instanceof Set ||
    ArrayBuffer.isView(value)
  );
}

function isSameArray(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (!isSameValue(left[index], right[index])) return false;
  }
  return true;
}

function isSameObject(left: Record<string, unknown>, right: Record<string, unknown>): boolean {
  let count = 0;
  for (const key in left) {
    const value = right[key];
    if (!isSameValue(left[key], value)) return false;
    if (value === undefined && !Object.hasOwn(right, key)) return false;
    count++;
  }
  for (const _ in right) count--;
  return count === 0;
}

function isSameSpecial(left: object, right: object): boolean {
  if (left instanceof Date) return right instanceof Date && Object.is(left.getTime(), right.getTime());
  if (left instanceof Uint8Array) return right instanceof Uint8Array && isSameBytes(left, right);
  if (left instanceof Map) return right instanceof Map && isSameArray([...left].flat(), [...right].flat());
  if (left instanceof Set) return right instanceof Set && isSameArray([...left], [...right]);
  return false;
}

function isSameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
