import { afterEach, describe, expect, it, vi } from "vitest";
import { type Scheduler, steadyNowOf, systemScheduler } from "./scheduler.js";

afterEach(() => void vi.restoreAllMocks());

describe("the system's scheduler", () => {
  it("keeps durations when the wall clock is stepped", () => {
    const before = steadyNowOf(systemScheduler);
    const hourAgo = Date.now() - 3_600_000;
    vi.spyOn(Date, "now").mockReturnValue(hourAgo);
    expect(systemScheduler.now()).toBe(hourAgo);
    const passed = steadyNowOf(systemScheduler) - before;
    expect(passed).toBeGreaterThanOrEqual(0);
    expect(passed).toBeLessThan(5_000);
  });
});

describe("a scheduler with only one clock", () => {
  it("also uses it for durations", () => {
    const scheduler: Scheduler = { now: () => 7, schedule: systemScheduler.schedule };
    expect(steadyNowOf(scheduler)).toBe(7);
  });
});
