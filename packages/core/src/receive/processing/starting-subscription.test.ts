import { describe, expect, it } from "vitest";
import { quiet } from "../../../test/fixture.js";
import { manualScheduler } from "../../../test/manual-scheduler.js";
import type { ProcessErrorArgs } from "./processor-options.js";
import {
  type RunningProcessor,
  StartingSubscription,
  type StartingSubscriptionSettings,
} from "./starting-subscription.js";

/** A subscription of a processor that only notes what happens to it. */
function subscribe(given: Partial<StartingSubscriptionSettings> = {}) {
  const events: unknown[] = [];
  const scheduler = manualScheduler();
  const processor: RunningProcessor = { close: async (timeoutMs) => void events.push(["closed", timeoutMs]) };
  const start = () => {
    events.push("started");
    return processor;
  };
  const subscription = new StartingSubscription({
    load: () => start,
    handlers: {
      processError: ({ error, errorSource }: ProcessErrorArgs) =>
        void events.push([errorSource, (error as Error).message]),
    },
    errorSource: "receive",
    entityPath: "orders",
    closeTimeoutInMs: 25_000,
    abortSignal: undefined,
    scheduler,
    backoff: { initialDelayInMs: 1_000, maxDelayInMs: 30_000, maxHeldMessages: 100 },
    onClosed: () => void events.push("forgotten"),
    ...given,
  });
  return { subscription, events, scheduler, start };
}

/** Code that is loaded when `arrive` is called. */
function laterCode() {
  let arrive: (start: () => RunningProcessor) => void = () => {};
  const loaded = new Promise<() => RunningProcessor>((resolve) => (arrive = resolve));
  return { loaded, arrive };
}

describe("a subscription", () => {
  it("starts at once if its code is loaded, and throws what its start throws", () => {
    expect(subscribe().events).toEqual(["started"]);
    const fail = () => {
      throw new Error("closed");
    };
    expect(() => subscribe({ load: () => fail })).toThrow("closed");
  });

  it("starts as soon as its code is loaded", async () => {
    const code = laterCode();
    const { events, start } = subscribe({ load: () => code.loaded });
    await quiet();
    expect(events).toEqual([]);
    code.arrive(start);
    await quiet();
    expect(events).toEqual(["started"]);
  });

  it("reports that its code cannot be loaded, and tries again at growing intervals", async () => {
    let attempts = 0;
    const { subscription, events, scheduler } = subscribe({
      load: () => Promise.reject(new Error(`attempt ${++attempts}`)),
    });
    for (const seconds of [0, 1, 1, 1]) {
      await scheduler.pass(seconds * 1_000);
      await quiet();
    }
    const reported = [1, 2, 3].map((attempt) => ["receive", `attempt ${attempt}`]);
    expect(events).toEqual(reported);
    await subscription.close();
    await scheduler.pass(60_000);
    await quiet();
    expect([events, scheduler.timers]).toEqual([[...reported, "forgotten"], 0]);
  });

  it("does not start once it is closed", async () => {
    const code = laterCode();
    const { subscription, events, start } = subscribe({ load: () => code.loaded });
    await subscription.close();
    code.arrive(start);
    await quiet();
    expect(events).toEqual(["forgotten"]);
  });

  it("reports a start that fails after its code was loaded", async () => {
    const fail = () => {
      throw new Error("the receiver has another subscription");
    };
    const { events } = subscribe({ load: () => Promise.resolve(fail) });
    await quiet();
    expect(events).toEqual([["receive", "the receiver has another subscription"]]);
  });

  it("closes once, with the timeout of the first call, or when its signal aborts", async () => {
    const { subscription, events } = subscribe();
    await Promise.all([subscription.close({ closeTimeoutInMs: 5 }), subscription.close()]);
    expect(events).toEqual(["started", ["closed", 5], "forgotten"]);
    const stop = new AbortController();
    const aborted = subscribe({ abortSignal: stop.signal });
    stop.abort();
    await quiet();
    expect(aborted.events).toEqual(["started", ["closed", 25_000], "forgotten"]);
  });
});
