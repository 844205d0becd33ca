import { describe, expect, it } from "vitest";
import { mapInParallel } from "./map-in-parallel.js";

describe("mapInParallel", () => {
  it("keeps the order of the items, with at most so many calls at a time", async () => {
    const open: (() => void)[] = [];
    let most = 0;
    const results = mapInParallel([1, 2, 3, 4, 5], 2, async (item) => {
      await new Promise<void>((resolve) => {
        open.push(resolve);
        most = Math.max(most, open.length);
        // The later call of two ends first.
        if (open.length === 2 || item === 5) for (const end of open.splice(0).reverse()) end();
      });
      return item * 10;
    });
    expect(await results).toEqual([10, 20, 30, 40, 50]);
    expect(most).toBe(2);
  });

  it("begins no more after a failure", async () => {
    const begun: number[] = [];
    const work = async (item: number) => {
      begun.push(item);
      if (item === 2) throw new Error("refused");
    };
    await expect(mapInParallel([1, 2, 3, 4, 5, 6, 7, 8], 2, work)).rejects.toThrow("refused");
    expect(begun.length).toBeLessThan(5);
  });

  it("returns nothing for nothing", async () => {
    expect(await mapInParallel([], 4, async () => 1)).toEqual([]);
  });
});
