/** Whether a plug-in answered with a promise, or with anything that can be awaited like one. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return (
    value instanceof Promise ||
    (typeof value === "object" && value !== null && "then" in value && typeof value.then === "function")
  );
}
