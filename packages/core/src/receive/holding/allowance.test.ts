import { describe, expect, it } from "vitest";
import { manualScheduler } from "../../../test/manual-scheduler.js";
import { resolveCircuitBreakerOptions } from "../circuit-breaker/circuit-breaker-options.js";
import type { LookAheadResult } from "../circuit-breaker/look-ahead.js";
import { LookPast, type LookPastSettings } from "./look-past.js";

const second = 1_000;

describe("how many messages may be set aside", () => {
  it("is the number of those before a readable one, ten at least", async () => {
    for (const [messageCount, allowed] of [
      [12, 12],
      [3, 10],
    ] as const) {
      const { lookPast, looks, passes } = looking([seen(messageCount)]);
      expect(await passes(20)).toBe(allowed);
      expect(looks).toHaveLength(2);
      lookPast.stop();
    }
  });

  it("is the number that is held at least, if the circuit breaker says so", async () => {
    expect(await looking([seen(3)], { maxHeldMessages: 4 }).passes(20)).toBe(4);
  });

  it("is exactly the number before a readable one where none can be set aside", async () => {
    expect(await looking([seen(3)], { isRefilled: false }).passes(20)).toBe(3);
  });

  it("is none while nothing behind them can be read, whatever decodes in front of them", async () => {
    const { lookPast, passes } = looking([]);
    lookPast.onDecoded();
    expect(await passes(3)).toBe(0);
    lookPast.onDecoded();
    expect(await passes(3)).toBe(0);
  });

  it("is ten again when a message decodes, once readable ones were seen", async () => {
    const { lookPast, looks, passes } = looking([seen(12)]);
    expect(await passes(1)).toBe(1);
    lookPast.onDecoded();
    expect(await passes(11)).toBe(11);
    lookPast.onDecoded();
    expect(await passes(10)).toBe(10);
    expect(looks).toHaveLength(1);
    lookPast.onDecoded();
    lookPast.reset();
    lookPast.onDecoded();
    expect(await passes(1)).toBe(0);
  });

  it("is not more when a message decodes where none can be set aside", async () => {
    const { lookPast, passes, opened } = looking([seen(1)], { isRefilled: false });
    expect(await passes(2)).toBe(1);
    lookPast.onDecoded();
    expect([await passes(1), opened()]).toEqual([0, 0]);
  });
});

describe("waiting for a readable message behind those that cannot be read", () => {
  it("looks every second, and tells once when there is one", async () => {
    const { lookPast, looks, scheduler, passes, opened } = looking([none(), none(), seen(1)]);
    expect(await passes(3)).toBe(0);
    expect(looks).toHaveLength(1);
    await scheduler.pass(second - 1);
    expect(looks).toHaveLength(1);
    await scheduler.pass(1);
    expect([looks.length, opened()]).toEqual([2, 0]);
    await scheduler.pass(second);
    expect([looks.length, opened()]).toEqual([3, 1]);
    await scheduler.pass(60 * second);
    expect([looks.length, opened()]).toEqual([3, 1]);
    // Ten, because one was seen; then it looks again.
    expect(await passes(11)).toBe(10);
    expect([looks.length, scheduler.timers]).toEqual([4, 1]);
    lookPast.stop();
  });

  it("looks as often as the circuit breaker probes, if that is more often", async () => {
    const { looks, scheduler, passes } = looking([], { probeIntervalInMs: 200 });
    await passes(1);
    await scheduler.pass(second);
    expect(looks).toHaveLength(6);
  });

  it("ends at once when one decodes, and the look under way tells nothing more", async () => {
    let finish = (_: LookAheadResult) => {};
    const { lookPast, looks, scheduler, passes, opened } = looking(
      [seen(1), none(), new Promise((resolve) => (finish = resolve))],
      { maxHeldMessages: 1 },
    );
    expect(await passes(2)).toBe(1);
    await scheduler.pass(second);
    lookPast.onDecoded();
    expect(opened()).toBe(1);
    finish(seen(1));
    await scheduler.pass(60 * second);
    expect([looks.length, opened()]).toEqual([3, 1]);
    expect(scheduler.timers).toBe(0);
  });

  it("shares a look among messages that come together", async () => {
    const { lookPast, looks } = looking([seen(1)]);
    expect(await Promise.all([lookPast.tryPass(1n), lookPast.tryPass(2n)])).toEqual([true, true]);
    expect(looks).toHaveLength(1);
  });

  it("goes on after a look that fails, and reports the error", async () => {
    const { scheduler, passes, opened, errors } = looking([Promise.reject(new Error("busy")), seen(1)]);
    expect(await passes(1)).toBe(0);
    expect(errors).toEqual([new Error("busy")]);
    await scheduler.pass(second);
    expect(opened()).toBe(1);
  });

  it("ends when it is stopped, during a look as well", async () => {
    let finish = (_: LookAheadResult) => {};
    const { lookPast, looks, scheduler, passes, opened } = looking([
      none(),
      new Promise((resolve) => (finish = resolve)),
    ]);
    await passes(1);
    await scheduler.pass(second);
    lookPast.stop();
    finish(seen(1));
    await scheduler.pass(60 * second);
    expect([looks.length, opened(), scheduler.timers]).toEqual([2, 0, 0]);
    const stopped = looking([]);
    await stopped.passes(1);
    stopped.lookPast.stop();
    expect(stopped.scheduler.timers).toBe(0);
    await stopped.passes(1);
    expect(stopped.scheduler.timers).toBe(0);
  });

  it("is left to an owner that asks again", async () => {
    const { looks, scheduler, passes } = looking([], { isPolling: true });
    expect(await passes(3)).toBe(0);
    expect([looks.length, scheduler.timers]).toEqual([3, 0]);
  });
});

describe("a look past what cannot be read", () => {
  it("begins behind what was delivered, and goes on where the last one ended", async () => {
    const { lookPast, looks } = looking([none(20n), none(30n), none(30n), none(40n)], { isPolling: true });
    for (const sequenceNumber of [7n, 3n, 30n, 5n]) await lookPast.tryPass(sequenceNumber);
    expect(looks).toEqual([8n, 20n, 31n, 30n]);
  });

  it("begins anew at the end, twice a minute", async () => {
    const end = (next: bigint) => ({ ...none(next), isAtEnd: true });
    const looksAtEnd = [end(10n), end(11n), end(12n), end(13n), end(14n)];
    const { lookPast, looks, scheduler } = looking(looksAtEnd, { isPolling: true });
    for (const waitMs of [0, 29_999, 1, 0, 0]) {
      await scheduler.pass(waitMs);
      await lookPast.tryPass(-1n);
    }
    expect(looks).toEqual([0n, 0n, 11n, 0n, 13n]);
  });

  it("begins anew as often as the circuit breaker probes", async () => {
    const end = { ...none(10n), isAtEnd: true };
    const { lookPast, looks, scheduler } = looking([end, end, end], {
      isPolling: true,
      probeIntervalInMs: 5_000,
    });
    for (const waitMs of [0, 5_000, 0]) {
      await scheduler.pass(waitMs);
      await lookPast.tryPass(-1n);
    }
    expect(looks).toEqual([0n, 0n, 0n]);
  });
});

/** Readable messages were seen behind this many. */
function seen(messageCount: number): LookAheadResult {
  return { messageCount, readable: {} as never, next: 100n, isAtEnd: false };
}

function none(next = 100n): LookAheadResult {
  return { messageCount: 100, readable: undefined, next, isAtEnd: false };
}

interface Given extends Partial<LookPastSettings> {
  readonly isPolling?: boolean;
  readonly maxHeldMessages?: number;
  readonly probeIntervalInMs?: number;
}

/** What looks find, one after the other, and then nothing any more. */
function looking(
  results: readonly (LookAheadResult | Promise<LookAheadResult>)[],
  { isPolling = false, isRefilled = true, maxHeldMessages, probeIntervalInMs }: Given = {},
) {
  const scheduler = manualScheduler();
  const looks: bigint[] = [];
  const errors: unknown[] = [];
  let opened = 0;
  const isBreaker = maxHeldMessages !== undefined || probeIntervalInMs !== undefined;
  const options = resolveCircuitBreakerOptions({ maxHeldMessages, probeIntervalInMs });
  const lookPast = new LookPast(
    {
      lookAhead: {
        async findReadable(from) {
          looks.push(from);
          return results[looks.length - 1] ?? none();
        },
      },
      scheduler,
      breaker: isBreaker ? { options } : undefined,
    },
    {
      isRefilled,
      onAllowance: isPolling ? undefined : () => void opened++,
      onError: (error) => void errors.push(error),
    },
  );
  /** How many of so many messages may be set aside. */
  const passes = async (count: number) => {
    let passed = 0;
    for (let n = 0; n < count; n++) if (await lookPast.tryPass(0n)) passed++;
    return passed;
  };
  return { lookPast, looks, scheduler, passes, opened: () => opened, errors };
}
