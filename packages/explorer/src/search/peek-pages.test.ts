import { setImmediate } from "node:timers/promises";
import type { DeliveredMessage, TransportPeekOptions, TransportReceiver } from "@waybill/core/transport";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { peekPages } from "./peek-pages.js";

describe("pages of messages", () => {
  it("have each message once and in order, whatever the gaps in the numbers and the bytes of an answer", async () => {
    const gaps = fc.array(
      fc.oneof({ weight: 20, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 3_000 })),
      {
        maxLength: 3_000,
        size: "max",
      },
    );
    await fc.assert(
      fc.asyncProperty(
        gaps,
        fc.integer({ min: 1, max: 400 }),
        fc.nat(5_000),
        async (steps, perAnswer, before) => {
          const all = numbersBy(steps);
          const from = BigInt(before);
          const end = all[Math.floor(all.length * 0.9)] ?? 10_000n;
          const { receiver } = answering(all, { perAnswer });
          const seen: bigint[] = [];
          for await (const page of peekPages(receiver, { from, end }))
            seen.push(...page.map(({ sequenceNumber }) => sequenceNumber));
          expect(seen).toEqual(all.filter((number) => number >= from && number < end));
        },
      ),
      { numRuns: 25 },
    );
  });

  it("are peeked four at a time, and no message twice, where the numbers have no gaps", async () => {
    const all = numbersBy(Array.from({ length: 5_000 }, () => 1));
    const { receiver, counts } = answering(all, {});
    let seen = 0;
    for await (const page of peekPages(receiver, { from: 1n, end: 1_000_000n })) seen += page.length;
    expect(seen).toBe(5_000);
    expect(counts.most).toBe(4);
    expect(counts.messages).toBe(5_000);
  });

  it("are peeked one at a time when their bodies are large", async () => {
    const all = numbersBy(Array.from({ length: 100 }, () => 1));
    const { receiver, counts } = answering(all, { perAnswer: 30, bytes: 400_000 });
    let seen = 0;
    for await (const page of peekPages(receiver, { from: 1n, end: 1_000n })) seen += page.length;
    expect(seen).toBe(100);
    expect(counts.most).toBe(1);
  });

  it("are hardly peeked twice where the gaps are of every size", async () => {
    const all = numbersBy(Array.from({ length: 20_000 }, (_, index) => 1 + ((index * 7_919) % 97) ** 2));
    const { receiver, counts } = answering(all, {});
    for await (const _ of peekPages(receiver, { from: 0n, end: 1n << 48n }));
    expect(counts.messages).toBeLessThan(2 * 20_000);
  });
});

function numbersBy(steps: readonly number[]): bigint[] {
  let number = 0n;
  return steps.map((step) => {
    number += BigInt(step);
    return number;
  });
}

interface Answering {
  /** Messages of an answer at most, as a broker limits its bytes. */
  readonly perAnswer?: number;
  readonly bytes?: number;
}

/** Answers a peek as a broker does, after others had their turn, and counts. */
function answering(all: readonly bigint[], { perAnswer = 1_000, bytes = 10 }: Answering) {
  const body = new Uint8Array(bytes);
  const counts = { now: 0, most: 0, messages: 0 };
  const receiver: Pick<TransportReceiver, "peek"> = {
    async peek({ maxMessages, fromSequenceNumber = 0n }: TransportPeekOptions) {
      counts.now++;
      counts.most = Math.max(counts.most, counts.now);
      await setImmediate();
      counts.now--;
      const found = all
        .filter((number) => number >= fromSequenceNumber)
        .slice(0, Math.min(maxMessages, perAnswer))
        .map((sequenceNumber) => ({ sequenceNumber, body }) as DeliveredMessage);
      counts.messages += found.length;
      return found;
    },
  };
  return { receiver, counts };
}
