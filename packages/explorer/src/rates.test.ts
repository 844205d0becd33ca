import { describe, expect, it } from "vitest";
import { type Counted, type Look, ratesOf, sumOfRates } from "../page/src/overview/rates.js";

type Counts = NonNullable<ReturnType<Counted["byPath"]["get"]>>;

const none = { active: 0, scheduled: 0, deadLetter: 0, transfer: 0, transferDeadLetter: 0 };

/** The counts of the queue "orders" at some seconds. */
function samples(...all: readonly (readonly [seconds: number, counts: Partial<Counts>])[]): Counted[] {
  return all.map(([seconds, counts]) => ({
    at: seconds * 1_000,
    byPath: new Map([["orders", { ...none, ...counts }]]),
  }));
}

const look = (seconds: number, newest: number, waiting?: number): Look => ({
  at: seconds * 1_000,
  newest: BigInt(newest),
  waiting,
});

describe("what comes and goes in a minute", () => {
  it("follows from the arrivals that the broker counts, also in a queue that is always empty", () => {
    const counted = samples([0, { arrived: 1_000 }], [30, { arrived: 1_300 }]);
    expect(ratesOf(counted, "orders", undefined)).toEqual({ in: 600, out: 600, change: 0 });
    const filling = samples(
      [0, { arrived: 10, active: 5 }],
      [60, { arrived: 110, active: 65, deferred: 10 }],
    );
    expect(ratesOf(filling, "orders", undefined)).toEqual({ in: 100, out: 30, change: 60 });
  });

  it("is that of the last minute only", () => {
    const counted = samples([0, { arrived: 0 }], [100, { arrived: 900 }], [160, { arrived: 1_000 }]);
    expect(ratesOf(counted, "orders", undefined)).toMatchObject({ in: 100, out: 100 });
  });

  it("follows elsewhere from the numbers of the newest message and the counts of two looks", () => {
    const counted = samples([0, { active: 50 }], [30, { active: 40 }]);
    expect(ratesOf(counted, "orders", [look(0, 700, 50), look(30, 760, 40)])).toEqual({
      in: 120,
      out: 140,
      change: -20,
    });
  });

  it("is not known without two looks, without counts, or where they contradict each other", () => {
    const unknown = { in: undefined, out: undefined };
    const counted = samples([0, { active: 50 }], [60, { active: 40 }]);
    expect(ratesOf(counted, "orders", undefined)).toEqual({ ...unknown, change: -10 });
    expect(ratesOf([], "orders", [look(0, 7), look(60, 9)])).toEqual({
      in: 2,
      out: undefined,
      change: undefined,
    });
    expect(ratesOf(counted, "orders", [look(0, 9, 5), look(60, 7, 5)])).toMatchObject(unknown);
    // The counts of Azure lag behind.
    expect(ratesOf(counted, "orders", [look(0, 7, 5), look(60, 9, 50)])).toMatchObject({
      in: 2,
      out: undefined,
    });
    const again = samples([0, { arrived: 500 }], [60, { arrived: 3 }]);
    expect(ratesOf(again, "orders", undefined)).toMatchObject(unknown);
    expect(ratesOf(counted, "others", undefined)).toEqual({ ...unknown, change: undefined });
  });

  it("is known of a group as far as it is known of all members", () => {
    const one = { in: 1, out: 2, change: -1 };
    expect(sumOfRates([one, { in: 10, out: undefined, change: 5 }])).toEqual({
      in: 11,
      out: undefined,
      change: 4,
    });
  });
});
