import { describe, expect, it } from "vitest";
import { Arrivals } from "./arrivals.js";

describe("Arrivals", () => {
  it("waits until a given number of messages has arrived", async () => {
    const arrivals = new Arrivals();
    const reached = arrivals.reach(2, 60_000);
    arrivals.add();
    arrivals.add();
    await expect(reached).resolves.toBe(true);
    expect(arrivals.count).toBe(2);
  });

  it("resolves with false when nothing arrives for a while", async () => {
    const arrivals = new Arrivals();
    arrivals.add();
    await expect(arrivals.reach(2, 5)).resolves.toBe(false);
  });
});
