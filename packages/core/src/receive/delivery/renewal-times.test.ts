import { describe, expect, it } from "vitest";
import { type ManualScheduler, manualScheduler } from "../../../test/manual-scheduler.js";
import { WaybillError } from "../../errors/error.js";
import { LockRenewal, type RenewableLock } from "./lock-renewal.js";

const busy = new WaybillError("service-busy", "Later.");
const lost = new WaybillError("message-lock-lost", "It is gone.");
const hour = 3_600_000;

describe("a lock is renewed", () => {
  it.each([
    [60_000, [50_000, 100_000, 150_000]],
    [20_000, [10_000, 20_000, 30_000]],
    [10_000, [5_000, 10_000, 15_000]],
    [150, [100, 200, 300]],
  ])("ten seconds before its end, or after half of it: of %d ms", async (lockMs, times) => {
    const { track, scheduler } = renewing();
    const { renewals } = track(lockMs);
    await scheduler.pass((times[2] ?? 0) + 1);
    expect(renewals).toEqual(times);
  });

  it("until its time is over, to the millisecond", async () => {
    for (const [durationMs, count] of [
      [49_999, 0],
      [50_000, 1],
      [99_999, 1],
      [100_000, 2],
    ] as const) {
      const { track, scheduler } = renewing();
      const { renewals } = track(60_000, durationMs);
      await scheduler.pass(hour);
      expect([renewals.length, scheduler.timers]).toEqual([count, 0]);
    }
  });

  it("never if it has no time, or no end", async () => {
    const { track, scheduler } = renewing();
    track(60_000, 0);
    track(60_000, -1);
    track(Number.POSITIVE_INFINITY);
    expect(scheduler.timers).toBe(0);
  });

  it("by what has passed, whatever happens to the wall clock", async () => {
    const { track, scheduler } = renewing();
    const { renewals } = track(60_000);
    scheduler.changeClock(-hour);
    await scheduler.pass(50_000);
    scheduler.changeClock(2 * hour);
    await scheduler.pass(50_000);
    expect(renewals).toEqual([50_000, 100_000]);
  });

  it("by what the last renewal granted", async () => {
    const { track, scheduler } = renewing();
    const { renewals, grant } = track(60_000);
    grant(20_000);
    await scheduler.pass(80_000);
    expect(renewals).toEqual([50_000, 60_000, 70_000, 80_000]);
  });

  it("with others by one timer, each in its time", async () => {
    const { track, scheduler } = renewing();
    const [long, short] = [track(60_000), track(20_000)];
    expect(scheduler.timers).toBe(1);
    await scheduler.pass(55_000);
    expect(long.renewals).toEqual([50_000]);
    expect(short.renewals).toEqual([10_000, 20_000, 30_000, 40_000, 50_000]);
    expect(scheduler.timers).toBe(1);
  });

  it("from the newest time on, if it is tracked again", async () => {
    const { renewal, track, scheduler } = renewing();
    const { lock, renewals } = track(60_000, 10_000);
    renewal.track(lock, 70_000);
    await scheduler.pass(hour);
    expect(renewals).toEqual([50_000]);
  });
});

describe("a lock is not renewed any more", () => {
  it("once it is forgotten, also while it is being renewed", async () => {
    const { renewal, track, scheduler } = renewing();
    const [first, second] = [track(60_000), track(60_000)];
    renewal.forget(first.lock);
    expect(scheduler.timers).toBe(1);
    second.during(() => renewal.forget(second.lock));
    await scheduler.pass(hour);
    expect([first.renewals, second.renewals]).toEqual([[], [50_000]]);
    expect(scheduler.timers).toBe(0);
    renewal.forget({ ...first.lock, plan: undefined });
  });

  it("once its receiver stops, and errors after that are not reported", async () => {
    const { renewal, track, scheduler } = renewing();
    const { renewals, failures, during } = track(60_000);
    during(() => {
      renewal.stop();
      throw lost;
    });
    await scheduler.pass(50_000);
    expect(scheduler.timers).toBe(0);
    track(60_000);
    await scheduler.pass(hour);
    expect([renewals.length, failures, scheduler.timers]).toEqual([1, [], 0]);
  });

  it("once it is lost, which is reported once", async () => {
    const { track, scheduler } = renewing();
    const { renewals, failures, during } = track(60_000);
    during(() => {
      throw lost;
    });
    await scheduler.pass(hour);
    expect([renewals, failures, scheduler.timers]).toEqual([[50_000], [lost], 0]);
  });
});

describe("a renewal that fails for a while", () => {
  it("is tried again every second, until the lock has ended", async () => {
    const { track, scheduler } = renewing();
    const { renewals, failures, during } = track(60_000);
    during(() => {
      throw busy;
    });
    await scheduler.pass(hour);
    expect(renewals).toEqual([50, 51, 52, 53, 54, 55, 56, 57, 58, 59].map((second) => second * 1_000));
    expect(failures).toEqual([busy]);
  });

  it("goes on as before when one succeeds", async () => {
    const { track, scheduler } = renewing();
    const { renewals, failures, during } = track(60_000);
    during(() => {
      if (renewals.length < 3) throw busy;
    });
    await scheduler.pass(110_000);
    expect(renewals).toEqual([50_000, 51_000, 52_000, 102_000]);
    expect(failures).toEqual([]);
  });
});

/** Locks whose renewal grants them the same time again, and when they were renewed. */
function renewing() {
  const scheduler = manualScheduler();
  const renewal = new LockRenewal(scheduler);
  const track = (lockMs: number, durationMs = hour) => {
    const tracked = lockOf(scheduler, lockMs);
    renewal.track(tracked.lock, durationMs);
    return tracked;
  };
  return { renewal, scheduler, track };
}

function lockOf(scheduler: ManualScheduler, lockMs: number) {
  const beganAtMs = scheduler.steadyNow?.() ?? 0;
  const renewals: number[] = [];
  const failures: unknown[] = [];
  let work = () => {};
  let grantedMs = lockMs;
  let lockedUntilMs = scheduler.now() + lockMs;
  const lock: RenewableLock = {
    get lockedUntilMs() {
      return lockedUntilMs;
    },
    plan: undefined,
    async renew() {
      renewals.push((scheduler.steadyNow?.() ?? 0) - beganAtMs);
      work();
      lockedUntilMs = scheduler.now() + grantedMs;
    },
    onRenewalFailed: (error) => void failures.push(error),
  };
  /** What happens during each renewal. */
  const during = (next: () => void) => {
    work = next;
  };
  /** How long the lock is from the next renewal on. */
  const grant = (ms: number) => {
    grantedMs = ms;
  };
  return { lock, renewals, failures, during, grant };
}
