/** Whether a value is an object of any kind, an array included, and not null. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
