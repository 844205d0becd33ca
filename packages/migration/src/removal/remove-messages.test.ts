import { describe, expect, it } from "vitest";
import { openFixture } from "../fixture.test-support.js";
import { rehearseRemoval } from "./rehearse-removal.js";
import type { RemovalOptions } from "./removal-options.js";
import { removeMessages } from "./remove-messages.js";

const letters = { queue: "orders", subQueue: "deadLetter" } as const;

async function openQueue(options: object = {}) {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders", options);
  const { transport } = fixture;
  const message = (id: number) => ({
    body: Uint8Array.of(id),
    messageId: `order-${id}`,
    sessionId: undefined,
  });
  return {
    ...fixture,
    message,
    send: (...ids: number[]) => transport.createSender("orders").send(ids.map(message)),
    async deadLetter(...ids: number[]) {
      for (const id of ids) {
        await fixture.send("orders", message(id));
        await fixture.deadLetter({ queue: "orders" });
      }
    },
    ids: async (from: RemovalOptions["from"] = { queue: "orders" }) => {
      const messages = await transport.createReceiver(from, "peekLock").peek({ maxMessages: 1_000 });
      return messages.map(({ messageId }) => messageId);
    },
    remove: (more: Partial<RemovalOptions> = {}) =>
      removeMessages({ transport, from: { queue: "orders" }, maxWaitTimeInMs: 0, ...more }),
    rehearse: (more: Partial<RemovalOptions> = {}) =>
      rehearseRemoval({ transport, from: { queue: "orders" }, ...more }),
    [Symbol.asyncDispose]: fixture[Symbol.asyncDispose],
  };
}

const nothing = { gone: [], active: [], locked: undefined };

describe("removing a selection", () => {
  it("removes exactly the dead letters of the given numbers, and names those that were gone", async () => {
    await using queue = await openQueue();
    await queue.deadLetter(1, 2, 3, 4);
    const selection = { from: letters, numbers: [2n, 4n, 99n] };
    expect(await queue.rehearse(selection)).toEqual({
      removable: 2,
      states: { active: 2, deferred: 0, scheduled: 0 },
      gone: [99n],
      active: [],
      upTo: [4n],
    });
    expect(await queue.ids(letters)).toHaveLength(4);
    expect(await queue.remove(selection)).toEqual({ ...nothing, removed: 2, gone: [99n] });
    expect(await queue.ids(letters)).toEqual(["order-1", "order-3"]);
    // The others are not left locked.
    const receiver = queue.transport.createReceiver(letters, "peekLock");
    expect(await receiver.receive({ maxMessages: 9, maxWaitTimeInMs: 0 })).toHaveLength(2);
  });

  it("leaves what another receiver has locked, and says how long at most", async () => {
    await using queue = await openQueue({ lockDurationMs: 60_000 });
    await queue.deadLetter(1, 2);
    const other = queue.transport.createReceiver(letters, "peekLock");
    await other.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    const until = new Date(queue.clock.now() + 60_000);
    expect(await queue.remove({ from: letters, numbers: [1n, 2n] })).toEqual({
      ...nothing,
      removed: 1,
      locked: { count: 1, examples: [1n], until },
    });
    expect(await queue.ids(letters)).toEqual(["order-1"]);
    queue.clock.advance(60_001);
    expect(await queue.remove({ from: letters, numbers: [1n] })).toEqual({ ...nothing, removed: 1 });
  });

  it("removes deferred and scheduled messages of a queue by their numbers, and leaves active ones", async () => {
    await using queue = await openQueue();
    await queue.send(1, 2);
    await queue.defer({ queue: "orders" });
    const later = new Date(queue.clock.now() + 60_000);
    await queue.transport.createSender("orders").schedule([queue.message(3)], later);
    const selection = { numbers: [1n, 2n, 3n] };
    expect(await queue.rehearse(selection)).toMatchObject({
      removable: 2,
      states: { active: 0, deferred: 1, scheduled: 1 },
      active: [2n],
    });
    expect(await queue.remove(selection)).toEqual({ ...nothing, removed: 2, active: [2n] });
    expect(await queue.ids()).toEqual(["order-2"]);
    // It was not delivered on the way.
    const [left] = await queue.transport
      .createReceiver({ queue: "orders" }, "peekLock")
      .peek({ maxMessages: 1 });
    expect(left?.deliveryCount).toBe(0);
  });

  it("removes what it can of several deferred ones of which one is gone", async () => {
    await using queue = await openQueue();
    await queue.send(1, 2, 3);
    for (let turn = 0; turn < 3; turn++) await queue.defer({ queue: "orders" });
    const other = queue.transport.createReceiver({ queue: "orders" }, "peekLock");
    await other.receiveDeferred([2n]);
    const { removed, locked } = await queue.remove({ numbers: [1n, 2n, 3n] });
    expect({ removed, locked: locked?.examples }).toEqual({ removed: 2, locked: [2n] });
  });
});

describe("removing all messages", () => {
  it("removes active, deferred and scheduled ones, and counts them by state before", async () => {
    await using queue = await openQueue();
    await queue.send(...Array.from({ length: 600 }, (_, id) => id % 256));
    await queue.defer({ queue: "orders" });
    const later = new Date(queue.clock.now() + 60_000);
    await queue.transport.createSender("orders").schedule([queue.message(1), queue.message(2)], later);
    const progress: number[] = [];
    expect(await queue.rehearse()).toMatchObject({
      removable: 602,
      states: { active: 599, deferred: 1, scheduled: 2 },
    });
    const onProgress = (removed: number) => progress.push(removed);
    expect(await queue.remove({ onProgress })).toEqual({ ...nothing, removed: 602 });
    expect(await queue.ids()).toEqual([]);
    expect(progress.at(-1)).toBe(602);
    expect(progress.length).toBeGreaterThan(3);
  });

  it("leaves what arrived after the rehearsal", async () => {
    await using queue = await openQueue();
    await queue.send(1, 2);
    const { removable, upTo } = await queue.rehearse();
    await queue.send(3);
    const other = queue.transport.createReceiver({ queue: "orders" }, "peekLock");
    await other.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    const { removed, locked } = await queue.remove({ upTo, limit: removable });
    expect({ removed, locked: locked?.examples }).toEqual({ removed: 1, locked: [1n] });
    expect(await queue.ids()).toEqual(["order-1", "order-3"]);
  });

  it("goes from session to session, and leaves those that another receiver has locked", async () => {
    await using queue = await openQueue({ requiresSession: true });
    const inSession = (id: number, sessionId: string) => ({ ...queue.message(id), sessionId });
    const messages = [inSession(1, "a"), inSession(2, "b"), inSession(3, "a"), inSession(4, "c")];
    await queue.transport.createSender("orders").send(messages);
    const accept = (sessionId: string) =>
      queue.transport.acceptSession({ queue: "orders" }, sessionId, {
        receiveMode: "peekLock",
        maxWaitTimeInMs: 0,
      });
    const deferring = await accept("b");
    for (const { settlement = {} } of await deferring.receive({ maxMessages: 1, maxWaitTimeInMs: 0 }))
      await deferring.defer(settlement);
    await deferring.close();
    await using _ = disposing(await accept("c"));
    const { removed, locked } = await queue.remove({ requiresSession: true });
    expect({ removed, locked: locked?.examples }).toEqual({ removed: 3, locked: [4n] });
    expect(await queue.ids()).toEqual(["order-4"]);
  });

  it("stops when it is aborted, and has reported what it removed until then", async () => {
    await using queue = await openQueue();
    await queue.send(...Array.from({ length: 600 }, (_, id) => id % 256));
    const controller = new AbortController();
    let removed = 0;
    const removing = queue.remove({
      abortSignal: controller.signal,
      onProgress(so) {
        removed = so;
        controller.abort();
      },
    });
    await expect(removing).rejects.toMatchObject({ code: "aborted" });
    expect(removed).toBe(250);
    expect(await queue.ids()).toHaveLength(350);
  });
});

it("refuses misspelt options", async () => {
  await using queue = await openQueue();
  await expect(queue.remove({ limits: 1 } as never)).rejects.toThrow('there is no option "limits"');
  await expect(queue.remove({ limit: 0 })).rejects.toThrow("limit must be");
});

function disposing(session: { close(): Promise<void> }): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => session.close() };
}
