import type { EncodedMessage, Transport } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { describe, expect, it } from "vitest";
import { replaced } from "../fixture.test-support.js";
import { garbage, openDeadLetters, order } from "./dead-letters.test-support.js";
import { createMemoryReceipts } from "./receipt-log.js";

const dead = { queue: "orders", subQueue: "deadLetter" } as const;

/** Dead letters whose first ones another receiver has locked. */
async function openLocked(messages: readonly EncodedMessage[], locked: number, options: object = {}) {
  const fixture = await openDeadLetters(messages, options);
  const other = fixture.transport.createReceiver(dead, "peekLock");
  const held = await other.receive({ maxMessages: locked, maxWaitTimeInMs: 0 });
  return {
    ...fixture,
    /** The other receiver gives its messages back. */
    async giveBack() {
      for (const { settlement } of held) await other.abandon(settlement ?? expect.fail());
    },
  };
}

/** A transport whose dead letters are received and peeked through a function. */
function seenAs(transport: Transport, see: (message: DeliveredMessage) => DeliveredMessage): Transport {
  return replaced(transport, {
    createReceiver(address, mode) {
      const receiver = transport.createReceiver(address, mode);
      return replaced(receiver, {
        receive: async (options) => (await receiver.receive(options)).map(see),
      });
    },
  });
}

const orders = (count: number) => Array.from({ length: count }, (_, id) => order(id));

describe("dead letters that somebody else has locked", () => {
  it("are counted, with the first ten, and the repair has not come to its end", async () => {
    await using fixture = await openLocked(orders(12), 11);
    const result = await fixture.repair();
    expect(result).toEqual({
      resubmitted: 1,
      resumed: 0,
      skipped: {},
      possibleDuplicates: [],
      locked: {
        count: 11,
        examples: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n],
        until: new Date(fixture.clock.now() + 60_000),
      },
    });
  });

  it("are waited for as long as the longest lock that was seen, and five minutes if none was", async () => {
    await using fixture = await openLocked(orders(3), 1, { lockDurationMs: 45_000 });
    const until = (ms: number) => ({ locked: { until: new Date(fixture.clock.now() + ms) } });
    let seen = 0;
    const shorter = (message: DeliveredMessage) =>
      seen++ === 0 ? message : { ...message, lockedUntilUtc: new Date(fixture.clock.now() + 1_000) };
    const only = { select: { number: [1n] } };
    expect(await fixture.repair({ ...only, transport: seenAs(fixture.transport, shorter) })).toMatchObject(
      until(45_000),
    );
    const silent = seenAs(fixture.transport, (message) => ({ ...message, lockedUntilUtc: undefined }));
    expect(await fixture.repair({ ...only, transport: silent })).toMatchObject(until(300_000));
  });

  it("are none of those that the repair would leave anyway", async () => {
    await using fixture = await openLocked([garbage, order(1), order(2)], 3);
    const select = { messageType: ["invoice"] };
    expect(await fixture.repair({ select })).toMatchObject({ resubmitted: 0, locked: undefined });
    expect(await fixture.repair()).toMatchObject({ locked: { count: 2, examples: [2n, 3n] } });
  });

  it("are none of those beyond the limit", async () => {
    await using fixture = await openLocked(orders(3), 1);
    expect(await fixture.repair({ limit: 2 })).toMatchObject({ resubmitted: 2, locked: undefined });
    await using all = await openLocked(orders(3), 2);
    expect(await all.repair({ limit: 2 })).toMatchObject({ resubmitted: 1, locked: { count: 2 } });
  });

  it("are none of those that the repair itself holds until it ends", async () => {
    await using fixture = await openLocked([order(1), garbage], 1);
    expect(await fixture.repair()).toMatchObject({
      skipped: { undeserializable: 1 },
      locked: { count: 1, examples: [1n] },
    });
  });

  it("are repaired after all if they are given back in time", async () => {
    await using fixture = await openLocked(orders(3), 2);
    let peeks = 0;
    const transport = replaced(fixture.transport, {
      createReceiver(address, mode) {
        const receiver = fixture.transport.createReceiver(address, mode);
        return replaced(receiver, {
          async peek(options) {
            const page = await receiver.peek(options);
            if (peeks++ === 0) await fixture.giveBack();
            return page;
          },
        });
      },
    });
    expect(await fixture.repair({ transport })).toMatchObject({ resubmitted: 3, locked: undefined });
  });

  it("were sent by an interrupted repair, whose receipts say so: they are still to be removed", async () => {
    await using fixture = await openDeadLetters(orders(2));
    const receipts = createMemoryReceipts();
    const die = () => Promise.reject(new Error("killed"));
    const transport = replaced(fixture.transport, {
      createReceiver: (address, mode) =>
        replaced(fixture.transport.createReceiver(address, mode), { complete: die }),
    });
    await expect(fixture.repair({ receipts, transport, limit: 2 })).rejects.toThrow("killed");
    expect(await fixture.repair({ receipts, limit: 2 })).toMatchObject({
      resumed: 0,
      locked: { count: 2, examples: [1n, 2n] },
    });
    fixture.clock.advance(60_000);
    const progress: number[] = [];
    const onProgress = ({ resumed }: { resumed: number }) => progress.push(resumed);
    expect(await fixture.repair({ receipts, limit: 2, onProgress })).toMatchObject({
      resumed: 2,
      locked: undefined,
    });
    expect(progress).toEqual([2]);
  });
});

describe("a repair with a limit", () => {
  it("does not lock what it does not send", async () => {
    await using fixture = await openDeadLetters(orders(3));
    const countDeliveries = async () => (await fixture.dead()).map(({ deliveryCount }) => deliveryCount);
    const [, ...others] = await countDeliveries();
    await fixture.repair({ limit: 1 });
    expect(await countDeliveries()).toEqual(others);
  });

  it("releases what it had to lock to find what an earlier run had sent", async () => {
    await using fixture = await openDeadLetters(orders(3));
    const receipts = createMemoryReceipts();
    const die = () => Promise.reject(new Error("killed"));
    const transport = replaced(fixture.transport, {
      createReceiver: (address, mode) =>
        replaced(fixture.transport.createReceiver(address, mode), { complete: die }),
    });
    await expect(fixture.repair({ receipts, transport, limit: 1 })).rejects.toThrow("killed");
    fixture.clock.advance(60_000);
    expect(await fixture.repair({ receipts, limit: 1 })).toMatchObject({ resumed: 1, locked: undefined });
    const receiver = fixture.transport.createReceiver(dead, "peekLock");
    expect(await receiver.receive({ maxMessages: 9, maxWaitTimeInMs: 0 })).toHaveLength(2);
  });
});
