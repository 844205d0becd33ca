/** A duration of the caller's, or the default. Throws `TypeError` unless it is a number of milliseconds from 0; `Infinity` is one. */
export function durationMs(name: string, given: number | undefined, defaultMs: number): number {
  const chosen = given ?? defaultMs;
  if (typeof chosen === "number" && chosen >= 0) return chosen;
  throw new TypeError(`${name} must be a number of milliseconds from 0; got ${String(chosen)}.`);
}
