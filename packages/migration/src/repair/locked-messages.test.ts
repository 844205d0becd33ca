import type { DeliveredMessage, TransportReceiver } from "@waybill/core/transport";
import { describe, expect, it } from "vitest";
import { LockedMessages } from "./locked-messages.js";

/** Messages that are held, and the locks that were released so far. */
function openLocked() {
  const released: unknown[] = [];
  const receiver = { abandon: async (lock: object) => void released.push(lock) };
  return { released, locked: new LockedMessages(receiver as unknown as TransportReceiver) };
}

function delivered(sequenceNumber: bigint, lock?: string): DeliveredMessage {
  const settlement = lock === undefined ? undefined : { lock };
  return { sequenceNumber, settlement, applicationProperties: {} } as DeliveredMessage;
}

describe("messages that stay locked until a repair ends", () => {
  it("are known by their sequence numbers, and released once, by their newest locks", async () => {
    const { locked, released } = openLocked();
    locked.add(delivered(1n, "first"));
    locked.add(delivered(2n));
    expect(locked.holdIfSeen(delivered(3n, "other"))).toBe(false);
    expect(locked.holdIfSeen(delivered(1n, "second"))).toBe(true);
    expect([1n, 2n, 3n].map((number) => locked.has(delivered(number)))).toEqual([true, true, false]);
    await locked.release();
    await locked.release();
    expect(released).toEqual([{ lock: "second" }]);
  });

  it("are released up to 5,000; the locks of further ones expire", async () => {
    const { locked, released } = openLocked();
    for (let number = 1; number <= 5_001; number++) locked.add(delivered(BigInt(number), `of ${number}`));
    locked.add(delivered(5_000n, "again"));
    await locked.release();
    expect([released.length, released.at(-1)]).toEqual([5_000, { lock: "again" }]);
    expect(locked.has(delivered(5_001n))).toBe(true);
  });
});
