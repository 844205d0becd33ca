import { describe, expect, it } from "vitest";
import type { Case } from "./case.js";
import { withKnownGaps } from "./known-gaps.js";

const passing: Case = { name: "holds", run: async () => {} };
const failing: Case = { name: "breaks", run: () => Promise.reject(new Error("broken")) };

describe("withKnownGaps", () => {
  it("passes while a listed case fails", async () => {
    const [, gap] = withKnownGaps([passing, failing], [{ name: "breaks", reason: "no such property" }]);
    await expect(gap!.run()).resolves.toBeUndefined();
  });

  it("fails when a listed case passes", async () => {
    const [closed] = withKnownGaps([passing], [{ name: "holds", reason: "no such property" }]);
    await expect(closed!.run()).rejects.toThrow(
      'The known gap "holds" (no such property) now passes: remove it from the list.',
    );
  });

  it("does not change the other cases", () => {
    expect(withKnownGaps([passing, failing], [])).toEqual([passing, failing]);
  });

  it("refuses a gap that is not the name of a case", () => {
    expect(() => withKnownGaps([passing], [{ name: "gone", reason: "renamed" }])).toThrow(TypeError);
  });

  it("refuses a gap that is listed twice", () => {
    const gap = { name: "breaks", reason: "no such property" };
    expect(() => withKnownGaps([failing], [gap, gap])).toThrow(TypeError);
  });

  it("refuses a gap without a reason", () => {
    expect(() => withKnownGaps([failing], [{ name: "breaks", reason: " " }])).toThrow(TypeError);
  });
});
