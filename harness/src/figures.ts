/** The figure that so many percent of the others do not exceed; `NaN` without figures. */
export function percentile(figures: readonly number[], percent: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** A figure with two digits after the point, and fewer for larger ones. */
export function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Whether more is better, or less. */
export type Bound = "at-least" | "at-most";

/** Whether a figure is on the right side of a limit, or on it. */
export function reaches(value: number, bound: Bound, limit: number): boolean {
  return bound === "at-least" ? value >= limit : value <= limit;
}

/** How a bound is written before its limit. */
export function sign(bound: Bound): string {
  return bound === "at-least" ? "≥" : "≤";
}
