import { describe, expect, it } from "vitest";
import { RecentCount } from "./recent-count.js";

const start = Date.UTC(2026, 10, 5, 12);

describe("a recent count", () => {
  it("removes events older than its window, a tenth of it at a time", () => {
    const count = new RecentCount(1_000);
    for (let ms = 0; ms < 1_000; ms += 100) count.add(start + ms);
    expect(count.total(start + 999)).toBe(10);
    expect(count.total(start + 1_000)).toBe(9);
    expect(count.total(start + 1_899)).toBe(1);
    expect(count.total(start + 1_900)).toBe(0);
  });

  it("is zero after a long pause, and continues to count", () => {
    const count = new RecentCount(1_000);
    count.add(start);
    count.add(start + 3_600_000);
    expect(count.total(start + 3_600_000)).toBe(1);
  });

  it("continues to count when the clock is set back", () => {
    const count = new RecentCount(1_000);
    count.add(start);
    count.add(start - 3_600_000);
    expect(count.total(start - 3_600_000)).toBe(2);
    expect(count.total(start + 1_000)).toBe(0);
  });
});
