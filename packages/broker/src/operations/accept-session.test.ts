import { describe, expect, it } from "vitest";
import type { Broker } from "../client/broker.js";
import { codeOf, message, openFixture, textOf, textsOf } from "../fixture.test-support.js";

const minuteMs = 60_000;

async function openOrders(options = {}) {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders", { requiresSession: true, ...options });
  const sender = fixture.broker.sender("orders");
  return {
    ...fixture,
    sender,
    send: (sessionId: string, ...texts: string[]) =>
      sender.sendBatch(texts.map((text) => message(text, { sessionId }))),
    accept: (sessionId?: string) => fixture.broker.acceptSession("orders", { sessionId, maxWaitMs: 0 }),
  };
}

describe("acceptSession", () => {
  it("delivers all present and future messages of a session to one receiver, in order", async () => {
    await using fixture = await openOrders();
    await fixture.send("s1", "a", "b");
    await fixture.send("s2", "x");
    const session = await fixture.accept("s1");
    expect(session.sessionId).toBe("s1");
    expect(session.lockedUntil.getTime()).toBe(fixture.clock.now() + minuteMs);
    expect(textsOf(await session.receive(10))).toEqual(["a", "b"]);
    const pending = session.receive();
    await fixture.send("s2", "y");
    await fixture.send("s1", "c");
    expect(textsOf(await pending)).toEqual(["c"]);
  });

  it("refuses a session that another receiver has locked", async () => {
    await using fixture = await openOrders();
    await fixture.accept("s1");
    expect(await codeOf(fixture.accept("s1"))).toBe("session-cannot-be-locked");
  });

  it("locks a session that has no messages yet", async () => {
    await using fixture = await openOrders();
    const session = await fixture.accept("s1");
    const pending = session.receive();
    await fixture.send("s1", "a");
    expect(textsOf(await pending)).toEqual(["a"]);
  });

  it("treats an empty session id like any other", async () => {
    await using fixture = await openOrders();
    await fixture.send("", "a");
    const session = await fixture.accept("");
    expect(textsOf(await session.receive())).toEqual(["a"]);
  });

  it("accepts as the next session the unlocked one with the oldest waiting message", async () => {
    await using fixture = await openOrders();
    await fixture.send("s2", "a");
    await fixture.send("s1", "b");
    await fixture.send("s3", "c");
    const first = await fixture.accept();
    const second = await fixture.accept();
    expect([first.sessionId, second.sessionId]).toEqual(["s2", "s1"]);
    await first.close();
    expect((await fixture.accept()).sessionId).toBe("s2");
    expect((await fixture.accept()).sessionId).toBe("s3");
    expect(await codeOf(fixture.accept())).toBe("timeout");
  });

  it("completes pending calls for the next session in order, and rejects with timeout", async () => {
    await using fixture = await openOrders();
    const first = fixture.broker.acceptSession("orders", { maxWaitMs: 1000 });
    const second = fixture.broker.acceptSession("orders", { maxWaitMs: 1000 });
    await fixture.send("s1", "a");
    expect((await first).sessionId).toBe("s1");
    const refused = codeOf(second);
    fixture.clock.advance(1000);
    expect(await refused).toBe("timeout");
    await fixture.send("s2", "b");
    expect((await fixture.accept()).sessionId).toBe("s2");
  });

  it("ends a pending call for the next session with a signal", async () => {
    await using fixture = await openOrders();
    const abort = new AbortController();
    const refused = codeOf(fixture.broker.acceptSession("orders", { signal: abort.signal }));
    abort.abort();
    expect(await refused).toBe("cancelled");
    await fixture.send("s1", "a");
    expect((await fixture.accept()).sessionId).toBe("s1");
  });

  it("refuses an entity without sessions, and its dead-letter queue", async () => {
    await using fixture = await openOrders();
    await fixture.broker.createQueue("plain");
    expect(await codeOf(fixture.broker.acceptSession("plain"))).toBe("not-allowed");
    expect(await codeOf(fixture.broker.acceptSession("orders/$DeadLetterQueue"))).toBe("not-allowed");
  });

  it("is the only way to receive from an entity with sessions", async () => {
    await using fixture = await openOrders();
    await fixture.send("s1", "a");
    const receiver = fixture.broker.receiver("orders");
    expect(await codeOf(receiver.receive())).toBe("not-allowed");
    expect(await codeOf(receiver.receiveDeferred([1n]))).toBe("not-allowed");
    expect(() => receiver.consume({ onMessage: () => {} })).toThrow("requires sessions");
    expect(textsOf(await receiver.peek(10))).toEqual(["a"]);
  });

  it("finds no message without a session id, since the queue refuses them", async () => {
    await using fixture = await openOrders();
    expect(await codeOf(fixture.sender.send(message("a")))).toBe("not-allowed");
  });
});

describe("session lock", () => {
  it("covers the session's messages: one renewal renews all", async () => {
    await using fixture = await openOrders();
    await fixture.send("s1", "a");
    const session = await fixture.accept("s1");
    const [received] = await session.receive();
    fixture.clock.advance(minuteMs - 1);
    const until = await session.renewSessionLock();
    expect(until.getTime()).toBe(fixture.clock.now() + minuteMs);
    expect(received!.lockedUntil).toEqual(until);
    expect(await codeOf(session.renewLock(received!))).toBe("not-allowed");
    fixture.clock.advance(minuteMs - 1);
    await session.complete(received!);
  });

  it("counts a failed delivery for every unsettled message when it expires", async () => {
    await using fixture = await openOrders();
    await fixture.send("s1", "a", "b");
    const session = await fixture.accept("s1");
    const [received] = await session.receive();
    let lost: Error | undefined;
    session.onLost((error) => {
      lost = error;
    });
    const pending = codeOf(session.receive(1).then(() => session.receive(1)));
    fixture.clock.advance(minuteMs);
    expect(await pending).toBe("session-lock-lost");
    expect(lost).toMatchObject({ code: "session-lock-lost" });
    expect(session.isLost).toBe(true);
    expect(await codeOf(session.complete(received!))).toBe("session-lock-lost");
    const again = await (await fixture.accept("s1")).receive(2);
    expect(again.map((one) => [textOf(one), one.deliveryCount])).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
  });

  it("counts nothing when the receiver closes the session", async () => {
    await using fixture = await openOrders();
    await fixture.send("s1", "a");
    const session = await fixture.accept("s1");
    await session.receive();
    await session.close();
    expect(await codeOf(session.receive())).toBe("session-lock-lost");
    const [again] = await (await fixture.accept("s1")).receive();
    expect(again!.deliveryCount).toBe(0);
  });

  it("dead-letters a message whose session expired on its last delivery, to a queue without sessions", async () => {
    await using fixture = await openOrders({ maxDeliveryCount: 1 });
    await fixture.send("s1", "a");
    await (await fixture.accept("s1")).receive();
    fixture.clock.advance(minuteMs);
    const [dead] = await fixture.broker.receiver("orders/$DeadLetterQueue").receive();
    expect(dead!.sessionId).toBe("s1");
    expect(await codeOf(fixture.accept())).toBe("timeout");
  });

  it("ends a pending receive call when the session is closed", async () => {
    await using fixture = await openOrders();
    const session = await fixture.accept("s1");
    const pending = codeOf(session.receive());
    await session.close();
    expect(await pending).toBe("session-lock-lost");
  });
});

describe("session", () => {
  it("delivers an abandoned message again before later messages", async () => {
    await using fixture = await openOrders();
    await fixture.send("s1", "a", "b");
    const session = await fixture.accept("s1");
    await session.abandon((await session.receive())[0]!);
    expect(textsOf(await session.receive(2))).toEqual(["a", "b"]);
  });

  it("defers and receives deferred messages within the session", async () => {
    await using fixture = await openOrders();
    await fixture.send("s1", "a");
    await fixture.send("s2", "x");
    const session = await fixture.accept("s1");
    const [received] = await session.receive();
    await session.defer(received!);
    const other = await fixture.accept("s2");
    expect(await codeOf(other.receiveDeferred([1n]))).toBe("message-not-found");
    const [deferred] = await session.receiveDeferred([1n]);
    await session.complete(deferred!);
    expect(textsOf(await session.peek(10))).toEqual([]);
    expect(textsOf(await other.peek(10))).toEqual(["x"]);
  });

  it("keeps its state without messages and across receivers until it is cleared", async () => {
    await using fixture = await openOrders();
    const first = await fixture.accept("s1");
    expect(await first.getState()).toBeUndefined();
    await first.setState(Buffer.from("half way"));
    await first.close();
    const second = await fixture.accept("s1");
    expect(Buffer.from((await second.getState())!).toString()).toBe("half way");
    await second.setState(undefined);
    await second.close();
    expect(await (await fixture.accept("s1")).getState()).toBeUndefined();
  });

  it("counts its state against the entity's quota until it is cleared", async () => {
    const megabyte = 2 ** 20;
    await using fixture = await openOrders({ maxSizeInMegabytes: 1 });
    const session = await fixture.accept("s1");
    const other = await fixture.accept("s2");
    await session.setState(new Uint8Array(megabyte - 1000));
    expect(fixture.broker.getEntity("orders").sizeInBytes).toBe(megabyte - 1000);
    const large = message("x".repeat(2000), { sessionId: "s1" });
    expect(await codeOf(fixture.sender.send(large))).toBe("quota-exceeded");
    expect(await codeOf(other.setState(new Uint8Array(1001)))).toBe("quota-exceeded");
    await session.setState(new Uint8Array(megabyte));
    // A smaller state is never refused.
    fixture.broker.faults.fill("orders");
    await session.setState(new Uint8Array(10));
    expect(await codeOf(session.setState(new Uint8Array(11)))).toBe("quota-exceeded");
    await session.setState(null);
    expect(fixture.broker.getEntity("orders").sizeInBytes).toBe(0);
    await fixture.broker.reset();
    await fixture.sender.send(large);
  });

  it("refuses a state larger than the message limit", async () => {
    await using fixture = await openOrders({ maxMessageSizeInKilobytes: 1 });
    const session = await fixture.accept("s1");
    expect(await codeOf(session.setState(new Uint8Array(1025)))).toBe("message-size-exceeded");
  });

  it("refuses state and renewal after its lock was lost", async () => {
    await using fixture = await openOrders();
    const session = await fixture.accept("s1");
    fixture.clock.advance(minuteMs);
    expect(await codeOf(session.getState())).toBe("session-lock-lost");
    expect(await codeOf(session.setState(new Uint8Array(1)))).toBe("session-lock-lost");
    expect(await codeOf(session.renewSessionLock())).toBe("session-lock-lost");
  });

  it("removes expired messages while no receiver has locked it", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a", { sessionId: "s1", timeToLiveMs: 1000 }));
    fixture.clock.advance(1000);
    expect(await codeOf(fixture.accept())).toBe("timeout");
  });

  it("also works with consumers", async () => {
    await using fixture = await openOrders();
    const session = await fixture.accept("s1");
    const got: string[] = [];
    const consumer = session.consume({
      onMessage: (received) => got.push(textOf(received)),
      onClosed: (error) => got.push(error.name),
    });
    consumer.grant(5);
    await fixture.send("s1", "a");
    fixture.clock.advance(minuteMs);
    expect(got).toEqual(["a", "BrokerError"]);
    expect(consumer.isClosed).toBe(true);
  });
});

describe("listSessions", () => {
  it("lists sessions that have messages, or whose state was set after a time", async () => {
    await using fixture = await openOrders();
    await fixture.send("b", "1");
    await fixture.send("a", "2");
    const session = await fixture.accept("c");
    fixture.clock.advance(1000);
    await session.setState(new Uint8Array(1));
    const receiver = fixture.broker.receiver("orders");
    expect(await receiver.listSessions()).toEqual(["a", "b"]);
    expect(await receiver.listSessions({ skip: 1, top: 5 })).toEqual(["b"]);
    expect(await receiver.listSessions({ updatedAfter: new Date(fixture.clock.now() - 1) })).toEqual(["c"]);
    expect(await receiver.listSessions({ updatedAfter: new Date(fixture.clock.now()) })).toEqual([]);
  });
});

describe("a session in receive-and-delete", () => {
  const acceptDeleting = (fixture: { broker: Broker }) =>
    fixture.broker.acceptSession("orders", { sessionId: "s1", mode: "receiveAndDelete" });

  it("keeps its lock while its receiver calls receive", async () => {
    await using fixture = await openOrders();
    await fixture.send("s1", "a", "b", "c");
    const session = await acceptDeleting(fixture);
    for (const text of ["a", "b", "c"]) {
      expect(textsOf(await session.receive())).toEqual([text]);
      fixture.clock.advance(minuteMs - 1);
    }
    expect(await session.receive(1, { maxWaitMs: 0 })).toEqual([]);
  });

  it("keeps its lock while its receiver waits", async () => {
    await using fixture = await openOrders();
    const session = await acceptDeleting(fixture);
    const pending = session.receive();
    fixture.clock.advance(5 * minuteMs);
    await fixture.send("s1", "a");
    expect(textsOf(await pending)).toEqual(["a"]);
    const seen: string[] = [];
    session.consume({ onMessage: (one) => seen.push(textOf(one)) }).grant(1);
    fixture.clock.advance(5 * minuteMs);
    await fixture.send("s1", "b");
    expect(seen).toEqual(["b"]);
  });

  it("is lost when its receiver does not receive for the lock duration", async () => {
    await using fixture = await openOrders();
    const session = await acceptDeleting(fixture);
    expect(await session.receive(1, { maxWaitMs: 0 })).toEqual([]);
    fixture.clock.advance(minuteMs);
    expect(await codeOf(session.receive())).toBe("session-lock-lost");
    await fixture.accept("s1");
  });
});

describe("a session receiver that does not settle messages", () => {
  it("gets at most 5,000 messages, and more when they are settled", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("many", { requiresSession: true });
    const sender = fixture.broker.sender("many");
    await sender.sendBatch(Array.from({ length: 5_010 }, (_, i) => message(`${i}`, { sessionId: "a" })));
    const session = await fixture.broker.acceptSession("many", { sessionId: "a" });
    const first = await session.receive(6_000);
    expect(first).toHaveLength(5_000);
    expect(await session.receive(1, { maxWaitMs: 0 })).toEqual([]);
    const waiting = session.receive(1);
    for (const one of first.slice(0, 3)) await session.complete(one);
    expect(textsOf(await waiting)).toEqual(["5000"]);
    await session.close();
    expect(fixture.broker.getEntity("many").activeMessageCount).toBe(5_007);
  });
});
