import { describe, expect, it } from "vitest";
import { type Result, verdictOf } from "./measure.js";
import { toTable } from "./report.js";

describe("a line with a target", () => {
  it.each([
    ["at-least", 1, "holds"],
    ["at-least", 0.99, "missed"],
    ["at-most", 1, "holds"],
    ["at-most", 1.01, "missed"],
  ] as const)("%s 1, at %d: %s", (bound, median, verdict) => {
    expect(verdictOf(line({ bound, median }))).toBe(verdict);
  });
});

describe("a line whose target is out of reach", () => {
  it.each([
    ["at-least", 1, 0.8, "holds"],
    ["at-least", 0.8, 0.8, "short"],
    ["at-least", 0.79, 0.8, "missed"],
    ["at-most", 1, 1.2, "holds"],
    ["at-most", 1.2, 1.2, "short"],
    ["at-most", 1.21, 1.2, "missed"],
    ["at-least", 0.99, undefined, "missed"],
  ] as const)("%s 1, at %d where %s must hold meanwhile: %s", (bound, median, mustHold, verdict) => {
    const shortfall = { mustHold, reason: "the disk's sync decides" };
    expect(verdictOf(line({ bound, median, shortfall }))).toBe(verdict);
  });

  it("is marked in the table, with the figure that must hold", () => {
    const shortfall = { mustHold: 0.8, reason: "the disk's sync decides" };
    expect(toTable([line({ median: 0.9, shortfall })])).toMatch(/≥ 1 +short; ≥ 0\.8 holds/);
    expect(toTable([line({ median: 0.7, shortfall })])).toMatch(/≥ 1 +MISSED ≥ 0\.8, too/);
    expect(toTable([line({ median: 0.7 })])).toMatch(/≥ 1 +MISSED$/);
  });
});

function line(over: Partial<Result>): Result {
  const figures = { median: 1, min: 1, max: 1, rounds: 1, target: 1 };
  return { suite: "storage", name: "durable sends", bound: "at-least", ...figures, ...over };
}
