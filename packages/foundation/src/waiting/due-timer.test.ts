import { describe, expect, it } from "vitest";
import { DueTimer } from "./due-timer.js";
import type { Scheduler, Timer } from "./scheduler.js";

/** A scheduler whose time only `advanceTo` changes. */
class ManualScheduler implements Scheduler {
  nowMs = 0;
  readonly timers = new Set<{ dueMs: number; run: () => void; isAwaited: boolean }>();

  now(): number {
    return this.nowMs;
  }

  schedule(delayMs: number, run: () => void): Timer {
    const timer = { dueMs: this.nowMs + delayMs, run, isAwaited: true };
    this.timers.add(timer);
    return {
      cancel: () => void this.timers.delete(timer),
      unref: () => {
        timer.isAwaited = false;
      },
    };
  }

  advanceTo(nowMs: number): void {
    this.nowMs = nowMs;
    for (const timer of this.timers) {
      if (timer.dueMs > nowMs) continue;
      this.timers.delete(timer);
      timer.run();
    }
  }
}

describe("a timer for many due times", () => {
  it("runs once, at the earliest of them", () => {
    const scheduler = new ManualScheduler();
    const ran: number[] = [];
    const timer = new DueTimer(scheduler, (nowMs) => ran.push(nowMs), true);
    for (const dueMs of [300, 100, 200]) timer.set(dueMs);
    expect(scheduler.timers.size).toBe(1);
    scheduler.advanceTo(99);
    expect(ran).toEqual([]);
    scheduler.advanceTo(500);
    expect(ran).toEqual([500]);
  });

  it("can be set again while it runs, and for a time that is over", () => {
    const scheduler = new ManualScheduler();
    const ran: number[] = [];
    const timer = new DueTimer(
      scheduler,
      (nowMs) => {
        ran.push(nowMs);
        if (nowMs < 300) timer.set(nowMs + 100);
      },
      true,
    );
    scheduler.advanceTo(50);
    timer.set(10);
    for (const nowMs of [50, 150, 250, 350, 450]) scheduler.advanceTo(nowMs);
    expect(ran).toEqual([50, 150, 250, 350]);
  });

  it("is not set for Infinity, and does not run when it was cancelled", () => {
    const scheduler = new ManualScheduler();
    const ran: number[] = [];
    const timer = new DueTimer(scheduler, (nowMs) => ran.push(nowMs), true);
    timer.set(Number.POSITIVE_INFINITY);
    expect(scheduler.timers.size).toBe(0);
    timer.set(100);
    timer.cancel();
    timer.set(200);
    scheduler.advanceTo(150);
    expect(ran).toEqual([]);
    scheduler.advanceTo(200);
    expect(ran).toEqual([200]);
  });

  it("keeps the process alive only if it is awaited", () => {
    const scheduler = new ManualScheduler();
    new DueTimer(scheduler, () => {}, true).set(1);
    new DueTimer(scheduler, () => {}, false).set(2);
    expect(Array.from(scheduler.timers, ({ isAwaited }) => isAwaited)).toEqual([true, false]);
  });
});
