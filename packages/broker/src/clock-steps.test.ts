import { afterEach, describe, expect, it, vi } from "vitest";
import { createBroker } from "./client/broker.js";
import { codeOf, message, openFixture, settleMicrotasks, textsOf } from "./fixture.test-support.js";
import { createManualClock, createSystemClock, steadyNow } from "./timing/clock.js";

const hourMs = 3_600_000;
const steps: [string, number][] = [
  ["back by an hour", -hourMs],
  ["forward by an hour", hourMs],
  ["back by a year", -8760 * hourMs],
];

describe("createManualClock", () => {
  it("steps the wall clock without advancing time", () => {
    const clock = createManualClock(new Date(hourMs));
    clock.step(-1000);
    expect([clock.now(), clock.steppedMs, steadyNow(clock)]).toEqual([hourMs - 1000, -1000, hourMs]);
    clock.advance(500);
    clock.advanceTo(new Date(hourMs));
    expect([clock.now(), steadyNow(clock)]).toEqual([hourMs, hourMs + 1000]);
    expect(() => clock.step(Number.NaN)).toThrow(TypeError);
  });
});

describe.each(steps)("after the wall clock was stepped %s", (_, stepMs) => {
  it("a lock expires after its duration, and not before", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("q", { lockDurationMs: 30_000 });
    await broker.sender("q").send(message("a"));
    const receiver = broker.receiver("q");
    const [locked] = await receiver.receive();
    clock.advance(10_000);
    clock.step(stepMs);
    expect(locked?.lockedUntil).toEqual(new Date(clock.now() + 20_000));
    clock.advance(19_999);
    expect(await receiver.receive(1, { maxWaitMs: 0 })).toEqual([]);
    clock.advance(1);
    expect(await receiver.receive(1, { maxWaitMs: 0 })).toMatchObject([{ deliveryCount: 1 }]);
  });

  it("a lock is renewed for its whole duration", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("q", { lockDurationMs: 30_000 });
    await broker.sender("q").send(message("a"));
    const receiver = broker.receiver("q");
    const [locked] = await receiver.receive();
    clock.step(stepMs);
    if (locked === undefined) throw new Error("nothing came");
    expect(await receiver.renewLock(locked)).toEqual(new Date(clock.now() + 30_000));
    clock.advance(29_999);
    await receiver.complete(locked);
  });

  it("a session lock expires after its duration", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("q", { requiresSession: true, lockDurationMs: 30_000 });
    await broker.sender("q").send(message("a", { sessionId: "s" }));
    const session = await broker.acceptSession("q");
    clock.step(stepMs);
    expect(session.lockedUntil).toEqual(new Date(clock.now() + 30_000));
    expect(broker.snapshot().stores[0]?.sessions[0]?.lockedUntil).toEqual(session.lockedUntil);
    clock.advance(29_999);
    expect(session.isLost).toBe(false);
    clock.advance(1);
    expect(session.isLost).toBe(true);
  });

  it("messages keep their time to live, whether they were locked or not", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("q", { lockDurationMs: 30_000, deadLetteringOnMessageExpiration: true });
    await broker
      .sender("q")
      .sendBatch([message("a", { timeToLiveMs: 60_000 }), message("b", { timeToLiveMs: 60_000 })]);
    const receiver = broker.receiver("q");
    const [held] = await receiver.receive();
    clock.advance(20_000);
    clock.step(stepMs);
    if (held === undefined) throw new Error("nothing came");
    await receiver.abandon(held);
    const counts = () => broker.getEntity("q");
    clock.advance(39_999);
    expect(counts()).toMatchObject({ activeMessageCount: 2, deadLetterMessageCount: 0 });
    clock.advance(1);
    expect(counts()).toMatchObject({ activeMessageCount: 0, deadLetterMessageCount: 2 });
  });

  it("waiting messages can be received until they expire", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("q");
    await broker.sender("q").send(message("a", { timeToLiveMs: 60_000 }));
    clock.step(stepMs);
    clock.advance(59_999);
    expect(textsOf(await broker.receiver("q").receive(1, { maxWaitMs: 0 }))).toEqual(["a"]);
  });

  it("deferred messages can be received until they expire", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("q");
    await broker
      .sender("q")
      .sendBatch([message("a", { timeToLiveMs: 60_000 }), message("b", { timeToLiveMs: 60_000 })]);
    const receiver = broker.receiver("q");
    const numbers: bigint[] = [];
    for (const deferred of await receiver.receive(2)) {
      numbers.push(deferred.sequenceNumber);
      await receiver.defer(deferred);
    }
    clock.step(stepMs);
    clock.advance(59_999);
    expect(textsOf(await receiver.receiveDeferred(numbers.slice(0, 1)))).toEqual(["a"]);
    clock.advance(1);
    expect(await codeOf(receiver.receiveDeferred(numbers.slice(1)))).toBe("message-not-found");
  });

  it("scheduled times follow the wall clock", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("q");
    const at = new Date(clock.now() + 60_000);
    await broker.sender("q").schedule([message("a", { scheduledEnqueueTime: at })]);
    const receiver = broker.receiver("q");
    clock.step(stepMs);
    const left = at.getTime() - clock.now();
    if (left > 0) {
      expect(await receiver.receive(1, { maxWaitMs: 0 })).toEqual([]);
      clock.advance(left - 1);
      expect(await receiver.receive(1, { maxWaitMs: 0 })).toEqual([]);
      clock.advance(1);
    }
    expect(textsOf(await receiver.receive(1, { maxWaitMs: 0 }))).toEqual(["a"]);
  });

  it("a receive call ends after its maximum wait time", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("q");
    let received: unknown;
    void broker
      .receiver("q")
      .receive(1, { maxWaitMs: 5000 })
      .then((messages) => (received = messages));
    clock.step(stepMs);
    clock.advance(4999);
    await settleMicrotasks();
    expect(received).toBeUndefined();
    clock.advance(1);
    await settleMicrotasks();
    expect(received).toEqual([]);
  });

  it("duplicates are detected for the whole window", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("q", {
      requiresDuplicateDetection: true,
      duplicateDetectionHistoryTimeWindowMs: 60_000,
    });
    const send = () => broker.sender("q").send(message("a", { messageId: "a" }));
    await send();
    clock.step(stepMs);
    clock.advance(59_999);
    await send();
    expect(broker.getEntity("q").activeMessageCount).toBe(1);
    clock.advance(1);
    await send();
    expect(broker.getEntity("q").activeMessageCount).toBe(2);
  });

  it("an entity is deleted after it was idle for its duration", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("q", { autoDeleteOnIdleMs: 300_000 });
    clock.advance(100_000);
    clock.step(stepMs);
    expect(broker.getEntity("q").accessedAt).toEqual(new Date(clock.now() - 100_000));
    clock.advance(199_999);
    expect(broker.listEntities()).toHaveLength(1);
    clock.advance(1);
    expect(broker.listEntities()).toHaveLength(0);
  });

  it("a transaction ends two minutes after its first operation", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("q");
    const transaction = broker.beginTransaction();
    await broker.sender("q").send(message("a"), transaction);
    clock.step(stepMs);
    clock.advance(119_999);
    expect(transaction.state).toBe("open");
    clock.advance(1);
    expect(await codeOf(transaction.commit())).toBe("transaction-timeout");
  });
});

describe("createSystemClock", () => {
  afterEach(() => void vi.restoreAllMocks());

  /** Changes the wall clock; the monotonic clock does not change. */
  function stepWallClock(byMs: number): void {
    const { now } = Date;
    vi.spyOn(Date, "now").mockImplementation(() => now() + byMs);
  }

  it.each(steps)("keeps monotonic time when the wall clock is stepped %s", (_, stepMs) => {
    const clock = createSystemClock();
    const before = { now: clock.now(), steady: steadyNow(clock) };
    expect(clock.steppedMs).toBe(0);
    stepWallClock(stepMs);
    expect(Math.abs(clock.now() - before.now - stepMs)).toBeLessThan(5000);
    expect(Math.abs((clock.steppedMs ?? 0) - stepMs)).toBeLessThan(5);
    expect(Math.abs(steadyNow(clock) - before.steady)).toBeLessThan(5000);
  });

  it.each(steps)("ends receive calls in time after a step %s", async (_, stepMs) => {
    await using broker = createBroker();
    await broker.createQueue("q");
    const received = broker.receiver("q").receive(1, { maxWaitMs: 50 });
    stepWallClock(stepMs);
    expect(await received).toEqual([]);
  });

  it("activates a due message after a step forward without an operation", async () => {
    await using broker = createBroker();
    await broker.createQueue("q");
    const at = new Date(Date.now() + hourMs / 2);
    await broker.sender("q").schedule([message("a", { scheduledEnqueueTime: at })]);
    const received = broker.receiver("q").receive(1, { maxWaitMs: 30_000 });
    stepWallClock(hourMs);
    expect(textsOf(await received)).toEqual(["a"]);
  });

  it("reads one clock each time, and the other occasionally", () => {
    const clock = createSystemClock();
    const monotonic = vi.spyOn(performance, "now");
    const wall = vi.spyOn(Date, "now");
    for (let reading = 0; reading < 10_000; reading++) clock.now();
    expect(wall.mock.calls.length).toBeLessThan(10_100);
    expect(monotonic.mock.calls.length).toBeLessThan(100);
  });
});
