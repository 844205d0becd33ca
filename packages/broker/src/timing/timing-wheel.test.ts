import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TimerEntry, TimingWheel } from "./timing-wheel.js";

class Recorder extends TimerEntry {
  readonly #onFire: (nowMs: number) => void;

  constructor(onFire: (nowMs: number) => void) {
    super();
    this.#onFire = onFire;
  }

  override onDue(nowMs: number): void {
    this.#onFire(nowMs);
  }
}

const startMs = Date.UTC(2024, 0, 1);

describe("runDue", () => {
  it("fires timers in sorted order, after any additions, moves and removals", () => {
    const delays = fc.oneof(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 2 ** 33 }));
    const command = fc.oneof(
      fc.record({ kind: fc.constant("arm" as const), entry: fc.nat(19), delayMs: delays }),
      fc.record({ kind: fc.constant("disarm" as const), entry: fc.nat(19) }),
      fc.record({ kind: fc.constant("advance" as const), ms: delays }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 90 }), fc.boolean(), (commands, isInterrupted) => {
        const wheel = new TimingWheel(startMs);
        const fired: number[] = [];
        const entries = Array.from({ length: 20 }, (_, i) => new Recorder(() => fired.push(i)));
        const model: { entry: number; dueMs: number }[] = [];
        const expected: number[] = [];
        let nowMs = startMs;
        const forget = (entry: number) => {
          const at = model.findIndex((armed) => armed.entry === entry);
          if (at >= 0) model.splice(at, 1);
        };
        for (const step of commands) {
          if (step.kind === "arm") {
            forget(step.entry);
            model.push({ entry: step.entry, dueMs: nowMs + step.delayMs });
            wheel.arm(entries[step.entry]!, nowMs + step.delayMs);
          } else if (step.kind === "disarm") {
            forget(step.entry);
            wheel.disarm(entries[step.entry]!);
          } else {
            nowMs += step.ms;
            const due = model.filter(({ dueMs }) => dueMs <= nowMs).sort((a, b) => a.dueMs - b.dueMs);
            for (const { entry } of due) forget(entry);
            expected.push(...due.map(({ entry }) => entry));
            // An interruption after every eighth entry leaves the others due immediately.
            do wheel.runDue(nowMs, nowMs, () => isInterrupted);
            while (wheel.nextDueMs <= nowMs);
          }
          expect(wheel.count).toBe(model.length);
          for (const { dueMs } of model) expect(wheel.nextDueMs).toBeLessThanOrEqual(dueMs);
        }
        expect(fired).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("keeps the order of thousands of entries that are moved and fired in parts", () => {
    const wheel = new TimingWheel(startMs);
    const fired: number[] = [];
    const dueMs = startMs + 100_000;
    for (let i = 0; i < 5000; i++) wheel.arm(new Recorder(() => fired.push(i)), dueMs + (i % 3));
    let runs = 0;
    for (; wheel.count > 0; runs++) wheel.runDue(dueMs + 2, dueMs + 2, () => true);
    expect(runs).toBeGreaterThan(600);
    const expected = [0, 1, 2].flatMap((rest) =>
      Array.from({ length: 5000 }, (_, i) => i).filter((i) => i % 3 === rest),
    );
    expect(fired).toEqual(expected);
  });

  it("allows a firing entry to arm itself and others again", () => {
    const wheel = new TimingWheel(startMs);
    const fired: number[] = [];
    const entry = new Recorder((nowMs) => {
      fired.push(nowMs - startMs);
      if (fired.length < 3) wheel.arm(entry, nowMs + 300);
    });
    wheel.arm(entry, startMs + 300);
    for (let ms = 0; ms <= 1000; ms += 100) wheel.runDue(startMs + ms);
    expect(fired).toEqual([300, 600, 900]);
  });

  it("never fires entries that are due after the year 10889 or at Infinity", () => {
    const wheel = new TimingWheel(startMs);
    const entry = new Recorder(() => {
      throw new Error("fired");
    });
    wheel.arm(entry, Number.POSITIVE_INFINITY);
    wheel.arm(entry, 2 ** 48);
    expect(wheel.count).toBe(0);
    wheel.runDue(2 ** 47);
  });

  it("fires an entry armed for the past at the next run", () => {
    const wheel = new TimingWheel(startMs);
    let firings = 0;
    wheel.arm(new Recorder(() => firings++), startMs - 5000);
    wheel.runDue(startMs);
    expect(firings).toBe(1);
  });
});
