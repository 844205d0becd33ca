import type { Message } from "@waybill/core";
import type { CallOptions } from "@waybill/core/transport";
import { describe, expect, it } from "vitest";
import { shareOf } from "./stable-share.js";
import { SteppedPlan } from "./stepped-plan.js";

interface Setting {
  readonly objections?: (call: CallOptions) => Promise<readonly string[]> | undefined;
  readonly keyOf?: (message: Message) => string | undefined;
}

class TestPlan extends SteppedPlan<string> {
  constructor({ objections = async () => [], keyOf }: Setting = {}) {
    super({ name: "orders", from: "old", to: "new", toText: "the new format", keyOf, objections });
  }
}

/** A guard whose answers the test gives, in the order of the questions. */
function slowGuard() {
  const answers: ((objections: readonly string[]) => void)[] = [];
  const objections = () => new Promise<readonly string[]>((resolve) => answers.push(resolve));
  return { answers, plan: new TestPlan({ objections }) };
}

/** A guard that counts its questions. */
function countingGuard(...objections: string[]) {
  const asked: CallOptions[] = [];
  const plan = new TestPlan({
    objections: async (call) => {
      asked.push(call);
      return objections;
    },
  });
  return { asked, plan };
}

const changed = '[operation-invalid] "orders" is not written as the new format at';

describe("the share of a plan", () => {
  it("begins at 0 %, all old", () => {
    const plan = new TestPlan();
    expect([plan.percent, plan.phase, plan.choose({ body: 1 })]).toEqual([0, "old", "old"]);
  });

  it.each([
    [0.01, "mixed"],
    [99.99, "mixed"],
    [100, "new"],
    [0, "old"],
  ])("of %d %% is %s", async (percent, phase) => {
    const plan = new TestPlan();
    await plan.setPercent(percent);
    expect([plan.percent, plan.phase]).toEqual([percent, phase]);
  });

  it("has two decimal places", async () => {
    const plan = new TestPlan();
    await plan.setPercent(33.336);
    expect(plan.percent).toBe(33.34);
    await plan.setPercent(0.004);
    expect([plan.percent, plan.phase]).toEqual([0, "old"]);
  });

  it.each([-0.01, 100.01, Number.NaN, Number.POSITIVE_INFINITY, "5", undefined, 5n])(
    "of %s is refused, and changes nothing",
    async (percent) => {
      const { plan, asked } = countingGuard();
      await plan.setPercent(50);
      await expect(plan.setPercent(percent as never)).rejects.toThrow(
        new TypeError(`A share is a number of percent from 0 to 100, not ${String(percent)}.`),
      );
      expect([plan.percent, asked.length]).toEqual([50, 1]);
    },
  );
});

describe("the choice of a message", () => {
  const keys = Array.from({ length: 500 }, (_, index) => `k${index}`);

  it("depends on its key and the plan's name, exactly as documented", async () => {
    const plan = new TestPlan({ keyOf: ({ to }) => to });
    await plan.setPercent(40);
    for (const key of keys)
      expect(plan.choose({ body: 1, to: key })).toBe(shareOf("orders", key) < 4000 ? "new" : "old");
  });

  it("leaves out the key at the edge of the share, and includes it with the next hundredth of a percent", async () => {
    const plan = new TestPlan();
    const message = { body: 1, messageId: "at the edge" };
    const edge = shareOf("orders", "at the edge");
    await plan.setPercent(edge / 100);
    expect(plan.choose(message)).toBe("old");
    await plan.setPercent((edge + 1) / 100);
    expect(plan.choose(message)).toBe("new");
  });

  it("depends on the session, else the partition key, else the message id", async () => {
    const plan = new TestPlan();
    await plan.setPercent(40);
    for (const key of keys) {
      const expected = shareOf("orders", key) < 4000 ? "new" : "old";
      expect(plan.choose({ body: 1, sessionId: key, messageId: "m" })).toBe(expected);
      expect(plan.choose({ body: 1, partitionKey: key, messageId: "m" })).toBe(expected);
      expect(plan.choose({ body: 1, messageId: key })).toBe(expected);
    }
  });

  it("is old for all at 0 %, and new for all at 100 %, without a look at the key", async () => {
    const plan = new TestPlan({
      keyOf: () => {
        throw new Error("the key was read");
      },
    });
    expect(plan.choose({ body: 1 })).toBe("old");
    await plan.setPercent(100);
    expect(plan.choose({ body: 1 })).toBe("new");
    await plan.setPercent(50);
    expect(() => plan.choose({ body: 1 })).toThrow("the key was read");
  });

  it("is by chance without a key, in the planned share", async () => {
    const plan = new TestPlan({ keyOf: () => undefined });
    await plan.setPercent(20);
    const news = Array.from({ length: 5000 }, () => plan.choose({ body: 1 })).filter(
      (each) => each === "new",
    );
    expect(news.length).toBeGreaterThan(700);
    expect(news.length).toBeLessThan(1300);
  });
});

describe("the guard of a plan", () => {
  it("is asked for each raise, and only for raises", async () => {
    const { plan, asked } = countingGuard();
    await plan.setPercent(50);
    await plan.setPercent(50);
    await plan.setPercent(20);
    await plan.setPercent(0);
    expect(asked.length).toBe(1);
    await plan.setPercent(0.01);
    expect(asked.length).toBe(2);
  });

  it("refuses with all its objections, and nothing changes", async () => {
    const { plan } = countingGuard("one reader is old", "another is silent");
    await plan.setPercent(10, { override: true });
    await expect(plan.setPercent(50)).rejects.toMatchObject({
      code: "operation-invalid",
      message: `${changed} 50 %: one reader is old; another is silent.`,
    });
    expect(plan.percent).toBe(10);
  });

  it("does not ask the guard if it is overridden", async () => {
    const { plan, asked } = countingGuard("no");
    await plan.setPercent(50, { override: true });
    expect([plan.percent, asked.length]).toEqual([50, 0]);
    await expect(plan.setPercent(60, { override: false })).rejects.toThrow("60 %: no.");
  });

  it("gets the caller's signal, for a raise and a recheck", async () => {
    const { plan, asked } = countingGuard();
    const { signal } = new AbortController();
    await plan.setPercent(1, { abortSignal: signal });
    await plan.recheck({ abortSignal: signal });
    await plan.recheck();
    expect(asked).toEqual([{ abortSignal: signal }, { abortSignal: signal }, { abortSignal: undefined }]);
  });

  it("is missed: without one nothing proves that readers are able", async () => {
    const plan = new TestPlan({ objections: () => undefined });
    const text = "no guard can tell whether every reader is able";
    await expect(plan.setPercent(1)).rejects.toThrow(`${changed} 1 %: ${text}.`);
    await plan.setPercent(1, { override: true });
    expect(await plan.recheck()).toEqual([text]);
    expect(plan.percent).toBe(0);
  });
});

describe("a raise whose guard has not answered", () => {
  it.each<[string, (plan: TestPlan) => unknown, number]>([
    ["stop", (plan) => plan.stop(), 0],
    ["a lower share", (plan) => plan.setPercent(5), 5],
    ["an override", (plan) => plan.setPercent(90, { override: true }), 90],
  ])("is given up after %s", async (_, change, percent) => {
    const { plan, answers } = slowGuard();
    await plan.setPercent(10, { override: true });
    const raising = plan.setPercent(50);
    await change(plan);
    answers[0]?.([]);
    await expect(raising).rejects.toThrow(`${changed} 50 %: it was stopped or changed in the meantime.`);
    expect(plan.percent).toBe(percent);
  });

  it("is given up after another raise, which holds whichever is answered first", async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const { plan, answers } = slowGuard();
      const first = plan.setPercent(50);
      const second = plan.setPercent(30);
      for (const index of order) answers[index]?.([]);
      await expect(first).rejects.toThrow("it was stopped or changed in the meantime");
      await second;
      expect(plan.percent).toBe(30);
    }
  });

  it("is not given up for a share that is none", async () => {
    const { plan, answers } = slowGuard();
    const raising = plan.setPercent(50);
    await expect(plan.setPercent(101)).rejects.toThrow(TypeError);
    answers[0]?.([]);
    await raising;
    expect(plan.percent).toBe(50);
  });
});

describe("recheck", () => {
  it("changes nothing without objections", async () => {
    const { plan } = countingGuard();
    await plan.setPercent(50);
    expect(await plan.recheck()).toEqual([]);
    expect(plan.percent).toBe(50);
  });

  it("stops a plan with objections, and gives up a pending raise", async () => {
    const { plan, answers } = slowGuard();
    await plan.setPercent(10, { override: true });
    const raising = plan.setPercent(50);
    const rechecking = plan.recheck();
    answers[1]?.(["rolled back"]);
    expect(await rechecking).toEqual(["rolled back"]);
    answers[0]?.([]);
    await expect(raising).rejects.toThrow("it was stopped or changed in the meantime");
    expect([plan.percent, plan.phase]).toEqual([0, "old"]);
  });

  it("rejects if the guard does, and leaves the plan as it is", async () => {
    let isBroken = false;
    const plan = new TestPlan({
      objections: async () => (isBroken ? Promise.reject(new Error("no store")) : []),
    });
    await plan.setPercent(50);
    isBroken = true;
    await expect(plan.recheck()).rejects.toThrow("no store");
    expect(plan.percent).toBe(50);
  });
});
