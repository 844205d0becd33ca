/** Whether a value is a promise or another thenable. */
export function isPromise<Value>(value: Value | PromiseLike<Value>): value is Promise<Value> {
  return (
    value instanceof Promise ||
    (typeof value === "object" && value !== null && "then" in value && typeof value.then === "function")
  );
}

/** The result of `next` for a value, or for that of a promise once it is there: without a promise, nothing waits. */
export function afterwards<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return isPromise(value) ? value.then(next) : next(value);
}
