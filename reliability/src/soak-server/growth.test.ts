import { describe, expect, it } from "vitest";
import { measureGrowth } from "./growth.js";

describe("growth", () => {
  const limits = { ratio: 0.1, slack: 5 };

  it("compares the medians of the first and the last third", () => {
    expect(measureGrowth([100, 100, 900, 100, 100, 100], limits)).toEqual({
      from: 100,
      to: 100,
      isFlat: true,
    });
    expect(measureGrowth([100, 100, 110, 110, 114, 114], limits)!.isFlat).toBe(true);
    expect(measureGrowth([100, 100, 110, 110, 117, 117], limits)!.isFlat).toBe(false);
  });

  it("is unknown after a few samples", () => {
    expect(measureGrowth([1, 2, 3, 4, 5], limits)).toBeUndefined();
  });
});
