import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TurnQueue } from "./turn-queue.js";
import { type TurnTaker, Usage } from "./turns.js";

/** A client whose usage belongs to a group, if any. */
function taker(group?: Usage): TurnTaker {
  const usage = new Usage();
  usage.group = group;
  return { usage, proceed: () => false };
}

describe("a queue for turns", () => {
  it("serves the group with the least usage first, however many clients wait in others", () => {
    const queue = new TurnQueue();
    const [busy, idle] = [new Usage(), new Usage()];
    const crowd = Array.from({ length: 1000 }, () => taker(busy));
    for (const one of crowd) queue.add(one);
    const late = taker(idle);
    crowd[0]?.usage.add(0, 5);
    queue.add(late);
    expect(queue.next()).toBe(late);
    expect(queue.size).toBe(1000);
  });

  it("ignores old usage", () => {
    const queue = new TurnQueue();
    const [before, now] = [taker(), taker()];
    before.usage.add(0, 1000);
    now.usage.add(20_000, 1);
    queue.add(now);
    queue.add(before);
    expect([queue.next(), queue.next(), queue.next()]).toEqual([before, now, undefined]);
  });

  it("queues each client once", () => {
    const queue = new TurnQueue();
    const one = taker();
    queue.add(one);
    queue.add(one);
    expect([queue.next(), queue.next()]).toEqual([one, undefined]);
    queue.add(one);
    expect(queue.next()).toBe(one);
  });

  it("always finds the client with the least usage", () => {
    const step = fc.record({ of: fc.nat(19), use: fc.integer({ min: 0, max: 50 }), takes: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new TurnQueue();
        const takers = Array.from({ length: 20 }, () => taker());
        const waiting = new Set<TurnTaker>();
        steps.forEach(({ of, use, takes }, i) => {
          const one = takers[of];
          if (one === undefined) return;
          if (use > 0) one.usage.add(i * 100, use);
          queue.add(one);
          waiting.add(one);
          if (!takes) return;
          const least = Math.min(...Array.from(waiting, ({ usage }) => usage.rank));
          const found = queue.next();
          expect(found?.usage.rank).toBe(least);
          if (found !== undefined) waiting.delete(found);
        });
        expect(queue.size).toBe(waiting.size);
      }),
    );
  });
});
