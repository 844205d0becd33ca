import type { WaybillError } from "@waybill/core";
import type { DeliveredMessage, TransportReceiver } from "@waybill/core/transport";
import { describe, expect, it, vi } from "vitest";
import { azureTransport } from "./azure-transport.js";
import { openLossyFixture } from "./lossy-fixture.test-support.js";
import { until } from "./until.test-support.js";

type Fixture = Awaited<ReturnType<typeof openLossyFixture>>;

describe("a subscription whose connection breaks", () => {
  it("recovers, and a handler that ran meanwhile settles its message", async () => {
    await using fixture = await openLossyFixture();
    const { receiver, seen, gate } = subscribed(fixture);
    await send(fixture, "a");
    await until(() => seen.length === 1);
    await reconnected(fixture);
    gate.open();
    await send(fixture, "b");
    await until(() => seen.length === 2 && total(fixture) === 0);
    expect(seen.map(({ deliveryCount }) => deliveryCount)).toEqual([0, 0]);
    await receiver.close();
  });

  it("completes pending settlements without waiting for the SDK's timeout", async () => {
    await using fixture = await openLossyFixture();
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await send(fixture, "a");
    const [message] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    const settling = receiver.complete(message!.settlement!);
    fixture.network.drop();
    await settling;
    expect(total(fixture)).toBe(0);
  });

  it("reports why it cannot receive while the network is down, and recovers afterwards", async () => {
    await using fixture = await openLossyFixture();
    const { receiver, seen, errors, gate } = subscribed(fixture);
    gate.open();
    await send(fixture, "a");
    await until(() => total(fixture) === 0);
    fixture.network.takeDown();
    await until(() => errors.length > 0);
    expect(errors[0]).toMatchObject({ code: "connection-lost", retryable: true });
    await send(fixture, "b");
    fixture.network.restore();
    await until(() => seen.length === 2);
    await receiver.close();
  });

  it("reports a link that the broker detached, and opens another", async () => {
    await using fixture = await openLossyFixture();
    const { receiver, seen, errors, gate } = subscribed(fixture);
    gate.open();
    await send(fixture, "a");
    await until(() => total(fixture) === 0);
    await until(() => {
      fixture.broker.faults.dropLinks("orders");
      return errors.length > 0;
    });
    expect(errors[0]).toMatchObject({ code: "connection-lost" });
    await send(fixture, "b");
    await until(() => seen.length === 2);
    await receiver.close();
  });

  it("never passes more messages to the handler than it has slots", async () => {
    // Messages that a link delivered just before it broke are delivered again when their locks expire.
    await using fixture = await openLossyFixture({ lockDurationMs: 5_000 });
    const { receiver, gate, most } = subscribed(fixture, 2);
    await send(fixture, "a", "b", "c", "d", "e", "f");
    for (const locked of [2, 4, 6]) {
      await until(() => lockedCount(fixture) === locked);
      await reconnected(fixture);
    }
    gate.open();
    await until(() => total(fixture) === 0);
    expect(most()).toBe(2);
    await receiver.close();
  });
});

describe("a send whose link is lost while it waits for its outcome", () => {
  it.each([1, 3])("is sent again at once, not after the SDK's timeout: %i messages", async (count) => {
    await using fixture = await openLossyFixture({}, { timeoutInMs: 120_000, mode: 1 });
    const sender = fixture.transport.createSender("orders");
    const messages = Array.from({ length: count }, () => ({ body: new Uint8Array() }));
    await sender.send(messages);
    fixture.broker.faults.delay("orders", 120_000);
    const sending = sender.send(messages);
    await until(() => total(fixture) === 2 * count);
    fixture.broker.faults.clear();
    fixture.network.drop();
    await sending;
    // The first attempt also arrived, but its outcome was lost.
    expect(total(fixture)).toBe(3 * count);
  });

  it("is sent again even if the broker is unreachable for a while", async () => {
    const once = { maxRetries: 1, retryDelayInMs: 1, mode: 1, timeoutInMs: 120_000 };
    await using fixture = await openLossyFixture({}, once);
    fixture.broker.faults.delay("orders", 120_000);
    const sending = fixture.transport.createSender("orders").send([{ body: new Uint8Array() }]);
    await until(() => total(fixture) === 1);
    fixture.broker.faults.clear();
    fixture.network.takeDown();
    await until(() => fixture.network.refusalCount > 3);
    fixture.network.restore();
    await sending;
    expect(total(fixture)).toBe(2);
  });

  it("ends when its sender closes", async () => {
    await using fixture = await openLossyFixture({}, { timeoutInMs: 120_000, mode: 1 });
    const sender = fixture.transport.createSender("orders");
    fixture.broker.faults.delay("orders", 120_000);
    const sending = sender.send([{ body: new Uint8Array() }]);
    const ended = expect(sending).rejects.toMatchObject({ code: "closed" });
    await until(() => total(fixture) === 1);
    await sender.close();
    await ended;
  });

  it("can be aborted by its caller", async () => {
    await using fixture = await openLossyFixture({}, { timeoutInMs: 120_000, mode: 1 });
    const caller = new AbortController();
    fixture.broker.faults.delay("orders", 120_000);
    const sending = fixture.transport
      .createSender("orders")
      .send([{ body: new Uint8Array() }], { abortSignal: caller.signal });
    const ended = expect(sending).rejects.toMatchObject({ code: "aborted" });
    await until(() => total(fixture) === 1);
    fixture.network.takeDown();
    caller.abort();
    await ended;
  });
});

describe("messages that were received before the connection broke", () => {
  it("can be settled afterwards, also after more were received", async () => {
    await using fixture = await openLossyFixture();
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await send(fixture, "a", "b");
    const [first] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    fixture.network.drop();
    const [second] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    await receiver.deadLetter(first!.settlement!, { deadLetterReason: "late" });
    await receiver.complete(second!.settlement!);
    expect(fixture.broker.getEntity("orders")).toMatchObject({
      totalMessageCount: 1,
      deadLetterMessageCount: 1,
    });
  });
});

describe("a message that is never settled", () => {
  it("does not stop its subscription 2047 messages later", async () => {
    await using fixture = await openLossyFixture();
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    const kept: DeliveredMessage[] = [];
    let completed = 0;
    receiver.subscribe(
      {
        async onMessage(message) {
          if (kept.length === 0) kept.push(message);
          else await receiver.complete(message.settlement!).then(() => completed++);
        },
        onError() {},
      },
      { maxConcurrentCalls: 50 },
    );
    for (let batch = 0; batch < 25; batch++) await send(fixture, ...Array.from({ length: 100 }, () => "x"));
    await until(() => completed === 2_499);
    await receiver.complete(kept[0]!.settlement!);
    expect(total(fixture)).toBe(0);
  });

  it("does not stop its receiver either", async () => {
    await using fixture = await openLossyFixture();
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    for (let batch = 0; batch < 25; batch++) await send(fixture, ...Array.from({ length: 100 }, () => "x"));
    const [kept] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    while (total(fixture) > 1) {
      const messages = await receiver.receive({ maxMessages: 500, maxWaitTimeInMs: 60_000 });
      expect(messages.length).toBeGreaterThan(0);
      await Promise.all(messages.map(({ settlement }) => receiver.complete(settlement!)));
    }
    await receiver.complete(kept!.settlement!);
    expect(total(fixture)).toBe(0);
  });
});

describe("receive", () => {
  it("returns waiting messages at once, not after the SDK's second", async () => {
    await using fixture = await openLossyFixture();
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    await send(fixture, "a", "b");
    using timers = endedTimers();
    expect(await receiver.receive({ maxMessages: 10, maxWaitTimeInMs: 60_000 })).toHaveLength(2);
    expect(Math.max(0, ...timers.durationsMs)).toBeLessThan(1_000);
  });

  it("continues waiting when its connection breaks", async () => {
    await using fixture = await openLossyFixture();
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    const waiting = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 30_000 });
    await reconnected(fixture);
    await send(fixture, "a");
    expect(await waiting).toHaveLength(1);
  });

  it("can be called concurrently, and together with a subscription", async () => {
    await using fixture = await openLossyFixture();
    const { receiver, seen, gate } = subscribed(fixture);
    const waits = [1, 2].map(() => receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 30_000 }));
    await send(fixture, "a", "b", "c");
    const received = (await Promise.all(waits)).flat();
    await until(() => seen.length === 1);
    expect(new Set([...received, ...seen].map(({ sequenceNumber }) => sequenceNumber)).size).toBe(3);
    gate.open();
  });
});

describe("accepting the next session", () => {
  const accept = (fixture: Fixture, sessionId: string | undefined, maxWaitTimeInMs: number) =>
    fixture.transport.acceptSession({ queue: "orders" }, sessionId, {
      receiveMode: "peekLock",
      maxWaitTimeInMs,
    });

  it("can be continued by the next caller after an abort", async () => {
    await using fixture = await openLossyFixture({ requiresSession: true });
    for (let waits = 0; waits < 3; waits++) {
      await expect(accept(fixture, undefined, 100)).rejects.toMatchObject({ code: "timeout" });
    }
    const accepting = accept(fixture, undefined, 60_000);
    await send(fixture, "a");
    const session = await accepting;
    expect(session.sessionId).toBe("a");
    const refused = fixture.broker.acceptSession("orders", { sessionId: "a", maxWaitMs: 0 });
    await expect(refused).rejects.toMatchObject({ code: "session-cannot-be-locked" });
  });

  it("keeps no session locked after an abort", async () => {
    await using fixture = await openLossyFixture({ requiresSession: true });
    await expect(accept(fixture, undefined, 100)).rejects.toMatchObject({ code: "timeout" });
    await send(fixture, "a");
    await until(async () => {
      const session = await fixture.broker
        .acceptSession("orders", { sessionId: "a", maxWaitMs: 0 })
        .catch(() => undefined);
      await session?.close();
      return session !== undefined;
    });
  });

  it("can take longer than the timeout of the client", async () => {
    await using fixture = await openLossyFixture(
      { requiresSession: true },
      { maxRetries: 0, timeoutInMs: 200, mode: 1 },
    );
    const asking = vi.spyOn(fixture.client, "acceptNextSession");
    const accepting = accept(fixture, undefined, 60_000);
    await until(() => asking.mock.calls.length > 2);
    await send(fixture, "a");
    expect((await accepting).sessionId).toBe("a");
  });
});

describe("a session's subscription", () => {
  it("can be stopped and started again, and the session continues", async () => {
    await using fixture = await openLossyFixture({ requiresSession: true });
    await send(fixture, "a", "a", "a");
    const session = await fixture.transport.acceptSession({ queue: "orders" }, "a", {
      receiveMode: "peekLock",
      maxWaitTimeInMs: 60_000,
    });
    const seen: bigint[] = [];
    for (const wanted of [1, 2]) {
      const { promise: gotOne, resolve } = deferred();
      const subscription = session.subscribe(
        {
          async onMessage({ sequenceNumber, settlement }) {
            seen.push(sequenceNumber);
            await session.complete(settlement!);
            void subscription.stop();
            resolve();
          },
          onError() {},
        },
        { maxConcurrentCalls: 1 },
      );
      await gotOne;
      await subscription.stop();
      expect(seen).toHaveLength(wanted);
    }
    expect(await session.receive({ maxMessages: 5, maxWaitTimeInMs: 60_000 })).toHaveLength(1);
    expect(seen).toEqual([1n, 2n]);
  });

  it("reports once that the session is lost with its connection, and ends", async () => {
    await using fixture = await openLossyFixture({ requiresSession: true });
    await send(fixture, "a");
    const session = await fixture.transport.acceptSession({ queue: "orders" }, "a", {
      receiveMode: "peekLock",
      maxWaitTimeInMs: 60_000,
    });
    const errors: unknown[] = [];
    const seen: DeliveredMessage[] = [];
    const subscription = session.subscribe(
      { onMessage: async (message) => void seen.push(message), onError: (error) => errors.push(error) },
      { maxConcurrentCalls: 1 },
    );
    await until(() => seen.length === 1);
    fixture.network.drop();
    await until(() => errors.some((error) => (error as WaybillError).code === "session-lock-lost"));
    await subscription.stop();
    await expect(session.complete(seen[0]!.settlement!)).rejects.toMatchObject({ code: "session-lock-lost" });
  });

  it.each(["complete", "abandon"] as const)("rejects a pending %s at once", async (verb) => {
    await using fixture = await openLossyFixture(
      { requiresSession: true },
      { timeoutInMs: 120_000, mode: 1 },
    );
    await send(fixture, "a");
    const session = await fixture.transport.acceptSession({ queue: "orders" }, "a", {
      receiveMode: "peekLock",
      maxWaitTimeInMs: 60_000,
    });
    const [message] = await session.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    fixture.broker.faults.delay("orders", 120_000);
    const settling = session[verb](message!.settlement!);
    const ended = expect(settling).rejects.toMatchObject({ code: "session-lock-lost" });
    await new Promise((resolve) => setImmediate(resolve));
    fixture.network.drop();
    await ended;
  });
});

describe("a completion in a session to which the broker does not respond", () => {
  it("fails with timeout, because the session's link is not lost", async () => {
    await using fixture = await openLossyFixture(
      { requiresSession: true },
      { timeoutInMs: 120_000, mode: 1 },
    );
    await send(fixture, "a");
    const session = await fixture.transport.acceptSession({ queue: "orders" }, "a", {
      receiveMode: "peekLock",
      maxWaitTimeInMs: 60_000,
    });
    const [message] = await session.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    fixture.broker.faults.delay("orders", 120_000);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    try {
      const ended = expect(session.complete(message!.settlement!)).rejects.toMatchObject({
        code: "timeout",
        retryable: true,
      });
      await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(15_250);
      await ended;
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("locks of messages without id", () => {
  it("are renewed by lock token, and not also by the SDK", async () => {
    await using fixture = await openLossyFixture({ lockDurationMs: 5_000 });
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await send(fixture, "a", "a");
    const messages: DeliveredMessage[] = [];
    while (messages.length < 2) {
      messages.push(...(await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 60_000 })));
    }
    for (const { settlement, lockedUntilUtc } of messages) {
      const until = await receiver.renewLock(settlement!);
      expect(until.getTime()).toBeGreaterThanOrEqual(lockedUntilUtc!.getTime());
      await receiver.complete(settlement!);
    }
    expect(total(fixture)).toBe(0);
  });
});

describe("a permanent error", () => {
  it("is reported within seconds if the client has azureRetryOptions", async () => {
    await using fixture = await openLossyFixture({}, { maxRetries: 1, retryDelayInMs: 10, mode: 1 });
    fixture.broker.faults.throttle("orders");
    const sending = fixture.transport.createSender("orders").send([{ body: new Uint8Array() }]);
    await expect(sending).rejects.toMatchObject({ code: "service-busy", retryable: true });
  });
});

describe("closing the transport", () => {
  it("does not close the client or other transports", async () => {
    await using fixture = await openLossyFixture();
    await using other = azureTransport(fixture.client);
    await fixture.transport.close();
    await other.createSender("orders").send([{ body: new Uint8Array() }]);
    expect(total(fixture)).toBe(1);
  });
});

/** Subscribes with a handler that completes its messages after its gate was opened. */
function subscribed(fixture: Fixture, maxConcurrentCalls = 1) {
  const receiver: TransportReceiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
  const seen: DeliveredMessage[] = [];
  const errors: unknown[] = [];
  const { promise: opened, resolve: open } = deferred();
  let running = 0;
  let most = 0;
  receiver.subscribe(
    {
      async onMessage(message) {
        seen.push(message);
        most = Math.max(most, ++running);
        await opened;
        await receiver.complete(message.settlement!);
        running--;
      },
      onError: (error) => errors.push(error),
    },
    { maxConcurrentCalls },
  );
  return { receiver, seen, errors, gate: { open }, most: () => most };
}

/** How long the timers last that end from now on, until it is disposed. */
function endedTimers(): Disposable & { readonly durationsMs: readonly number[] } {
  const durationsMs: number[] = [];
  const { setTimeout: start } = globalThis;
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(((end: () => void, ms = 0) =>
    start(() => {
      durationsMs.push(ms);
      end();
    }, ms)) as typeof setTimeout);
  return { durationsMs, [Symbol.dispose]: () => timers.mockRestore() };
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Sends messages with these session ids, which are ignored without sessions. */
function send({ broker }: Fixture, ...sessionIds: readonly string[]): Promise<void> {
  return broker
    .sender("orders")
    .sendBatch(
      sessionIds.map((sessionId) => ({ sessionId, body: { section: "data", bytes: new Uint8Array() } })),
    );
}

function total({ broker }: Fixture): number {
  return broker.getEntity("orders").totalMessageCount;
}

function lockedCount({ broker }: Fixture): number {
  return broker.snapshot().stores.flatMap(({ messages }) => messages.filter(({ isLocked }) => isLocked))
    .length;
}

/** Breaks the connection and resolves when there is a new one. */
async function reconnected({ network }: Fixture): Promise<void> {
  const before = network.connectionCount;
  network.drop();
  await until(() => network.connectionCount > before);
}
