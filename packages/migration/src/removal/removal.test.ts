import { type Transport, WaybillError } from "@waybill/core";
import type { EntityAddress } from "@waybill/core/transport";
import { describe, expect, it } from "vitest";
import { openFixture, replaced } from "../fixture.test-support.js";
import { rehearseRemoval } from "./rehearse-removal.js";
import type { RemovalOptions } from "./removal-options.js";
import { removeMessages } from "./remove-messages.js";

const orders: EntityAddress = { queue: "orders" };

async function openOrders(options: object = {}) {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders", options);
  const message = (id: number, sessionId?: string) => ({
    body: Uint8Array.of(id),
    messageId: `${id}`,
    sessionId,
  });
  return {
    ...fixture,
    message,
    send: (...ids: number[]) => fixture.transport.createSender("orders").send(ids.map((id) => message(id))),
    schedule: (...ids: number[]) =>
      fixture.transport.createSender("orders").schedule(
        ids.map((id) => message(id)),
        new Date(fixture.clock.now() + 60_000),
      ),
    ids: async () => {
      const receiver = fixture.transport.createReceiver(orders, "peekLock");
      return (await receiver.peek({ maxMessages: 1_000 })).map(({ messageId }) => Number(messageId));
    },
    remove: (more: Partial<RemovalOptions> = {}) =>
      removeMessages({ transport: fixture.transport, from: orders, maxWaitTimeInMs: 0, ...more }),
    [Symbol.asyncDispose]: fixture[Symbol.asyncDispose],
  };
}

/** A broker that fails in one call of a receiver or sender. */
function failing(transport: Transport, call: string, error: WaybillError): Transport {
  const broken = <T extends object>(link: T): T =>
    call in link ? replaced(link, { [call]: () => Promise.reject(error) } as Partial<T>) : link;
  return replaced(transport, {
    createReceiver: (...how) => broken(transport.createReceiver(...how)),
    createSender: (entity) => broken(transport.createSender(entity)),
    acceptSession: async (...how) => {
      if (call === "acceptSession") throw error;
      return broken(await transport.acceptSession(...how));
    },
  });
}

describe("a removal", () => {
  it("removes the oldest messages up to its limit, whatever their state", async () => {
    await using queue = await openOrders();
    await queue.send(1, 2, 3, 4);
    for (let turn = 0; turn < 3; turn++) await queue.defer(orders);
    await queue.schedule(5, 6);
    expect(await queue.remove({ limit: 2 })).toMatchObject({
      removed: 2,
      gone: [],
      active: [],
      locked: undefined,
    });
    expect(await queue.ids()).toHaveLength(4);
    expect(await queue.remove({ limit: 9 })).toMatchObject({ removed: 4, locked: undefined });
  });

  it("receives no more than its limit, so that no other message counts a delivery", async () => {
    await using queue = await openOrders();
    await queue.send(1, 2, 3);
    await queue.remove({ limit: 1 });
    const left = await queue.transport.createReceiver(orders, "peekLock").peek({ maxMessages: 9 });
    expect(left.map(({ messageId, deliveryCount }) => [messageId, deliveryCount])).toEqual([
      ["2", 0],
      ["3", 0],
    ]);
  });

  it("cancels more scheduled messages than can be looked at in one call", async () => {
    await using queue = await openOrders();
    await queue.schedule(...Array.from({ length: 260 }, (_, id) => id % 256));
    expect(await queue.remove()).toMatchObject({ removed: 260, locked: undefined });
    expect(await queue.ids()).toEqual([]);
  });

  it("goes on for as long as messages come, also one at a time", async () => {
    await using queue = await openOrders();
    await queue.send(1, 2, 3);
    const transport = replaced(queue.transport, {
      createReceiver(...how) {
        const receiver = queue.transport.createReceiver(...how);
        return replaced(receiver, { receive: (options) => receiver.receive({ ...options, maxMessages: 1 }) });
      },
    });
    expect(await queue.remove({ transport })).toMatchObject({ removed: 3 });
  });

  it("removes of the given numbers no more than its limit", async () => {
    await using queue = await openOrders();
    await queue.schedule(1, 2, 3, 4);
    expect(await queue.remove({ numbers: [1n, 2n, 4n], limit: 2 })).toMatchObject({ removed: 2 });
    expect(await queue.ids()).toHaveLength(2);
  });

  it("cancels the scheduled messages that are left when one is gone meanwhile, and says which is gone", async () => {
    await using queue = await openOrders();
    await queue.schedule(1, 2, 3);
    const { transport } = queue;
    const sender = transport.createSender("orders");
    let isFirst = true;
    const racing = replaced(transport, {
      createSender: () =>
        replaced(sender, {
          async cancelScheduled(numbers, options) {
            if (isFirst) await sender.cancelScheduled([2n]);
            isFirst = false;
            await sender.cancelScheduled(numbers, options);
          },
        }),
    });
    expect(await queue.remove({ transport: racing, numbers: [1n, 2n, 3n] })).toMatchObject({
      removed: 2,
      gone: [2n],
    });
    expect(await queue.ids()).toEqual([]);
  });

  it.each(["receive", "complete", "receiveDeferred", "cancelScheduled", "peek"])(
    "rejects if %s fails",
    async (call) => {
      await using queue = await openOrders();
      await queue.send(1, 2);
      await queue.defer(orders);
      await queue.schedule(3);
      const error = new WaybillError("connection-lost", "The broker is away.");
      const transport = failing(queue.transport, call, error);
      await expect(queue.remove({ transport })).rejects.toBe(error);
    },
  );

  it("rejects if no session can be accepted for another reason than that there is none", async () => {
    await using queue = await openOrders({ requiresSession: true });
    const error = new WaybillError("connection-lost", "The broker is away.");
    const transport = failing(queue.transport, "acceptSession", error);
    await expect(queue.remove({ transport, requiresSession: true })).rejects.toBe(error);
  });

  it("needs no session for the dead letters of an entity with sessions", async () => {
    await using queue = await openOrders({ requiresSession: true });
    const from = { queue: "orders", subQueue: "deadLetter" } as const;
    await queue.transport.createSender("orders").send([queue.message(1, "a"), queue.message(2, "b")]);
    for (const sessionId of ["a", "b"]) {
      const settings = { receiveMode: "peekLock", maxWaitTimeInMs: 0 } as const;
      const session = await queue.transport.acceptSession(orders, sessionId, settings);
      for (const { settlement = {} } of await session.receive({ maxMessages: 1, maxWaitTimeInMs: 0 }))
        await session.deadLetter(settlement, {});
      await session.close();
    }
    expect(await queue.remove({ from, requiresSession: true })).toMatchObject({ removed: 2 });
  });

  it("removes the deferred messages of a session whose others are removed, and leaves those of a locked one", async () => {
    await using queue = await openOrders({ requiresSession: true });
    const sent = [queue.message(1, "a"), queue.message(2, "a"), queue.message(3, "b")];
    await queue.transport.createSender("orders").send(sent);
    const settings = { receiveMode: "peekLock", maxWaitTimeInMs: 0 } as const;
    const deferAll = async (sessionId: string) => {
      const session = await queue.transport.acceptSession(orders, sessionId, settings);
      for (const { settlement = {} } of await session.receive({ maxMessages: 9, maxWaitTimeInMs: 0 }))
        await session.defer(settlement);
      return session;
    };
    await (await deferAll("a")).close();
    const other = await deferAll("b");
    const { removed, locked } = await queue.remove({ requiresSession: true });
    expect({ removed, locked: locked?.examples }).toEqual({ removed: 2, locked: [3n] });
    await other.close();
    expect(await queue.remove({ requiresSession: true })).toMatchObject({ removed: 1 });
  });

  it("ends when only newer messages are left in a session", async () => {
    await using queue = await openOrders({ requiresSession: true });
    const sender = queue.transport.createSender("orders");
    await sender.send([queue.message(1, "a"), queue.message(2, "a")]);
    const { upTo } = await rehearseRemoval({ transport: queue.transport, from: orders });
    await sender.send([queue.message(3, "a")]);
    expect(await queue.remove({ requiresSession: true, upTo })).toMatchObject({ removed: 2 });
    expect(await queue.ids()).toEqual([3]);
  });

  it("looks for many numbers page by page", async () => {
    await using queue = await openOrders();
    await queue.send(...Array.from({ length: 600 }, (_, id) => id % 256));
    const numbers = [600n, 1n, 300n, 9_999n];
    const { transport } = queue;
    expect(await rehearseRemoval({ transport, from: orders, numbers })).toMatchObject({
      active: [1n, 300n, 600n],
      gone: [9_999n],
      removable: 0,
    });
  });
});

describe("the rehearsal of a removal", () => {
  it("reports what is removed within the limit, the oldest first, and closes its receiver", async () => {
    await using queue = await openOrders();
    await queue.send(1, 2, 3);
    const open = queue.leftOpen().length;
    const found: bigint[] = [];
    const rehearsal = await rehearseRemoval({
      transport: queue.transport,
      from: orders,
      limit: 2,
      onFound: ({ sequenceNumber }) => found.push(sequenceNumber),
    });
    expect(found).toEqual([1n, 2n]);
    expect(rehearsal).toEqual({
      removable: 2,
      states: { active: 2, deferred: 0, scheduled: 0 },
      gone: [],
      active: [],
      upTo: [2n],
    });
    expect(queue.leftOpen()).toHaveLength(open);
  });

  it("refuses invalid options", async () => {
    await using queue = await openOrders();
    const { transport } = queue;
    const rehearse = (more: object) => rehearseRemoval({ transport, from: orders, ...more });
    await expect(rehearse({ onfound: 1 })).rejects.toThrow('there is no option "onfound"');
    await expect(rehearse({ limit: 0 })).rejects.toThrow("limit must be");
    await expect(rehearse({ maxWaitTimeInMs: -1 })).rejects.toThrow("maxWaitTimeInMs must be");
  });
});
