import { expect, it } from "vitest";
import { createSystemClock } from "./clock.js";
import { Timers } from "./timers.js";
import { TimerEntry } from "./timing-wheel.js";

it("lets other work run while many timers fire", async () => {
  const timers = new Timers(createSystemClock());
  let fired = 0;
  class Slow extends TimerEntry {
    override onDue(): void {
      const endsAt = performance.now() + 0.2;
      while (performance.now() < endsAt);
      fired++;
    }
  }
  const nowMs = timers.nowMs;
  for (let i = 0; i < 500; i++) timers.arm(new Slow(), nowMs + 10);
  const seen: number[] = [];
  while (fired < 500) {
    timers.settleNow();
    seen.push(fired);
    await new Promise((resolve) => setImmediate(resolve));
  }
  timers.close();
  expect(new Set(seen).size).toBeGreaterThan(10);
});
