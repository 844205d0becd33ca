import type { EncodedMessage } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { openFixture, replaced } from "../fixture.test-support.js";
import { lastSequenceNumber } from "./last-sequence-number.js";

const message: EncodedMessage = { body: Uint8Array.of(1) };

/** A queue of messages with the numbers from 1, of which every `gap`th is left; and from where was peeked. */
async function openQueue(length: number, gap = 1) {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders");
  for (let number = 1; number <= length; number++) {
    await fixture.send("orders", message);
    if (number % gap !== 0) await fixture.complete({ queue: "orders" });
  }
  const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
  const peekedFrom: bigint[] = [];
  return {
    peekedFrom,
    receiver: replaced(receiver, {
      peek(options) {
        peekedFrom.push(options.fromSequenceNumber ?? 0n);
        return receiver.peek(options);
      },
    }),
    [Symbol.asyncDispose]: fixture[Symbol.asyncDispose],
  };
}

describe("the last sequence number", () => {
  it("is found in steps that double, and then by halves", async () => {
    await using queue = await openQueue(20);
    expect(await lastSequenceNumber(queue.receiver, { known: 1n })).toBe(20n);
    expect(queue.peekedFrom).toEqual([2n, 4n, 8n, 16n, 32n, 24n, 20n, 22n, 21n]);
  });

  it("is found sooner with an estimate", async () => {
    await using queue = await openQueue(20);
    expect(await lastSequenceNumber(queue.receiver, { known: 5n, expected: 15 })).toBe(20n);
    expect(queue.peekedFrom).toEqual([20n, 50n, 35n, 27n, 23n, 21n]);
    queue.peekedFrom.length = 0;
    expect(await lastSequenceNumber(queue.receiver, { known: 19n, expected: 0 })).toBe(20n);
    expect(queue.peekedFrom).toEqual([20n, 22n, 21n]);
  });

  it.each([1, 2, 3, 7])("is found whatever gaps there are: one in %d is left", async (gap) => {
    for (const length of [gap, 7 * gap, 9 * gap]) {
      await using queue = await openQueue(length, gap);
      const known = BigInt(gap);
      expect(await lastSequenceNumber(queue.receiver, { known })).toBe(BigInt(length));
    }
  });
});
