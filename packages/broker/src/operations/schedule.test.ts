import { describe, expect, it } from "vitest";
import { codeOf, message, openFixture, textOf, textsOf } from "../fixture.test-support.js";

const hourMs = 3_600_000;

async function openOrders(options = {}) {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders", options);
  return {
    ...fixture,
    sender: fixture.broker.sender("orders"),
    receiver: fixture.broker.receiver("orders"),
    inMs: (ms: number) => ({ scheduledEnqueueTime: new Date(fixture.clock.now() + ms) }),
  };
}

describe("schedule", () => {
  it("keeps a message until its scheduled time and then enqueues it with a new sequence number", async () => {
    await using fixture = await openOrders();
    const dueMs = fixture.clock.now() + hourMs;
    expect(await fixture.sender.schedule([message("later", fixture.inMs(hourMs))])).toEqual([1n]);
    await fixture.sender.send(message("now"));
    fixture.clock.advance(hourMs - 1);
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["now"]);
    fixture.clock.advance(1);
    const [received] = await fixture.receiver.receive();
    expect(textOf(received)).toBe("later");
    expect(received!.sequenceNumber).toBe(3n);
    expect(received!.state).toBe("scheduled");
    expect(received!.enqueuedTime.getTime()).toBe(dueMs);
    expect(received!.scheduledEnqueueTime!.getTime()).toBe(dueMs);
  });

  it("activates messages in the order of their times, those of the same time in the order of scheduling", async () => {
    await using fixture = await openOrders();
    await fixture.sender.schedule([
      message("c", fixture.inMs(3000)),
      message("a", fixture.inMs(1000)),
      message("b1", fixture.inMs(2000)),
      message("b2", fixture.inMs(2000)),
    ]);
    fixture.clock.advance(hourMs);
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["a", "b1", "b2", "c"]);
  });

  it("has the same result as send with a scheduledEnqueueTime in the future", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("later", fixture.inMs(1000)));
    await fixture.sender.send(message("past", { scheduledEnqueueTime: new Date(0) }));
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["past"]);
    expect((await fixture.receiver.peek(10, { fromSequenceNumber: 1n }))[0]!.state).toBe("scheduled");
  });

  it("enqueues a message whose time has passed immediately, as active, with the returned number", async () => {
    await using fixture = await openOrders();
    const past = fixture.inMs(-1000);
    const numbers = await fixture.sender.schedule([message("a", past), message("b", past)]);
    const received = await fixture.receiver.receive(2);
    expect(numbers).toEqual([1n, 2n]);
    expect(received.map(({ sequenceNumber }) => sequenceNumber)).toEqual(numbers);
    expect(received.map(({ state }) => state)).toEqual(["active", "active"]);
    expect(await codeOf(fixture.sender.cancelScheduled([1n]))).toBe("message-not-found");
  });

  it("works in a transaction", async () => {
    await using fixture = await openOrders();
    const transaction = fixture.broker.beginTransaction();
    const numbers = await fixture.sender.schedule([message("a", fixture.inMs(0))], transaction);
    expect(await fixture.receiver.peek(1)).toEqual([]);
    await transaction.commit();
    expect((await fixture.receiver.receive())[0]!.sequenceNumber).toBe(numbers[0]);
  });

  it("reports a message as scheduled until it is deferred or dead-lettered", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a", fixture.inMs(1000)));
    fixture.clock.advance(1000);
    const [first] = await fixture.receiver.receive();
    await fixture.receiver.abandon(first!);
    expect((await fixture.receiver.peek())[0]!.state).toBe("active");
    const [second] = await fixture.receiver.receive();
    await fixture.receiver.defer(second!);
    const [third] = await fixture.receiver.receiveDeferred([second!.sequenceNumber]);
    expect([first, second, third].map((one) => one!.state)).toEqual(["scheduled", "scheduled", "deferred"]);
    await fixture.receiver.deadLetter(third!);
    expect((await fixture.broker.receiver("orders/$deadletterqueue").receive())[0]!.state).toBe("active");
  });

  it("delivers to a waiting receiver", async () => {
    await using fixture = await openOrders();
    await fixture.sender.schedule([message("later", fixture.inMs(1000))]);
    const pending = fixture.receiver.receive();
    fixture.clock.advance(1000);
    expect(textsOf(await pending)).toEqual(["later"]);
  });

  it("counts the time to live from activation", async () => {
    await using fixture = await openOrders();
    await fixture.sender.schedule([message("later", { ...fixture.inMs(hourMs), timeToLiveMs: 1000 })]);
    expect(await fixture.receiver.peek()).toMatchObject([
      { state: "scheduled", timeToLiveMs: 1000, expiresAt: new Date(fixture.clock.now() + 1000) },
    ]);
    fixture.clock.advance(hourMs + 999);
    expect((await fixture.receiver.peek())[0]!.state).toBe("active");
    fixture.clock.advance(1);
    expect(await fixture.receiver.peek()).toEqual([]);
  });
});

describe("cancelScheduled", () => {
  it("removes scheduled messages, all or none", async () => {
    await using fixture = await openOrders();
    const [first, second] = await fixture.sender.schedule([
      message("a", fixture.inMs(1000)),
      message("b", fixture.inMs(1000)),
    ]);
    expect(await codeOf(fixture.sender.cancelScheduled([first!, 99n]))).toBe("message-not-found");
    await fixture.sender.cancelScheduled([first!]);
    expect(await codeOf(fixture.sender.cancelScheduled([first!]))).toBe("message-not-found");
    fixture.clock.advance(1000);
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["b"]);
    expect(await codeOf(fixture.sender.cancelScheduled([second!]))).toBe("message-not-found");
  });
});

describe("time to live", () => {
  it("discards an expired message if the queue does not dead-letter on expiration", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a", { timeToLiveMs: 1000 }));
    fixture.clock.advance(1000);
    expect(await fixture.receiver.peek()).toEqual([]);
    expect(await fixture.broker.receiver("orders/$DeadLetterQueue").peek()).toEqual([]);
  });

  it("dead-letters an expired message with TTLExpiredException if the queue is configured so", async () => {
    await using fixture = await openOrders({ deadLetteringOnMessageExpiration: true });
    await fixture.sender.send(message("a", { timeToLiveMs: 1000 }));
    fixture.clock.advance(1000);
    const [dead] = await fixture.broker.receiver("orders/$deadletterqueue").receive();
    expect(dead!.deadLetterReason).toBe("TTLExpiredException");
    expect(dead!.deadLetterErrorDescription).toBe("The message expired and was dead lettered.");
  });

  it("is limited by the queue's default without an error", async () => {
    await using fixture = await openOrders({ defaultMessageTimeToLiveMs: 2000 });
    await fixture.sender.send(message("a", { timeToLiveMs: hourMs }));
    await fixture.sender.send(message("b"));
    const peeked = await fixture.receiver.peek(2);
    expect(peeked.map((one) => one.timeToLiveMs)).toEqual([2000, 2000]);
    fixture.clock.advance(2000);
    expect(await fixture.receiver.peek()).toEqual([]);
  });

  it("does not affect a locked message, which expires when its lock ends", async () => {
    await using fixture = await openOrders({ deadLetteringOnMessageExpiration: true });
    await fixture.sender.sendBatch([
      message("a", { timeToLiveMs: 1000 }),
      message("b", { timeToLiveMs: 1000 }),
    ]);
    const [first, second] = await fixture.receiver.receive(2);
    fixture.clock.advance(2000);
    expect(await fixture.receiver.peek(10)).toHaveLength(2);
    await fixture.receiver.abandon(first!);
    await fixture.receiver.complete(second!);
    expect(await fixture.receiver.peek()).toEqual([]);
    expect(textsOf(await fixture.broker.receiver("orders/$DeadLetterQueue").receive(10))).toEqual(["a"]);
  });

  it("expires a deferred message only when it is requested", async () => {
    await using fixture = await openOrders({ deadLetteringOnMessageExpiration: true });
    await fixture.sender.sendBatch([message("a", { timeToLiveMs: 1000 }), message("b")]);
    for (const received of await fixture.receiver.receive(2)) await fixture.receiver.defer(received);
    fixture.clock.advance(hourMs);
    expect(textsOf(await fixture.receiver.peek(10))).toEqual(["a", "b"]);
    expect(await codeOf(fixture.receiver.receiveDeferred([1n, 2n]))).toBe("message-not-found");
    expect(textsOf(await fixture.receiver.receiveDeferred([2n]))).toEqual(["b"]);
    const [dead] = await fixture.broker.receiver("orders/$deadletterqueue").receive();
    expect([textOf(dead), dead!.deadLetterReason]).toEqual(["a", "TTLExpiredException"]);
  });

  it("does not run in the dead-letter queue", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a", { timeToLiveMs: 1000 }));
    await fixture.receiver.deadLetter((await fixture.receiver.receive())[0]!);
    fixture.clock.advance(hourMs);
    expect(textsOf(await fixture.broker.receiver("orders/$DeadLetterQueue").receive())).toEqual(["a"]);
  });
});

describe("topic", () => {
  it("keeps the number of a schedule in the past as the enqueued sequence number of every copy", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("news");
    await fixture.broker.createSubscription("news", "one");
    const sender = fixture.broker.sender("news");
    await sender.send(message("a"));
    const past = { scheduledEnqueueTime: new Date(0) };
    expect(await sender.schedule([message("b", past)])).toEqual([2n]);
    const [, copy] = await fixture.broker.receiver("news/subscriptions/one").receive(2);
    expect([copy!.enqueuedSequenceNumber, copy!.sequenceNumber]).toEqual([2n, 2n]);
  });

  it("gives each subscription its own copy with its own sequence number", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("news");
    await fixture.broker.createSubscription("news", "one");
    await fixture.broker.createSubscription("NEWS", "two");
    const sender = fixture.broker.sender("news");
    await sender.send(message("a"));
    await sender.schedule([message("b", { scheduledEnqueueTime: new Date(fixture.clock.now() + 1000) })]);
    fixture.clock.advance(1000);
    const one = fixture.broker.receiver("news/subscriptions/one");
    const two = fixture.broker.receiver("news/Subscriptions/TWO", { mode: "receiveAndDelete" });
    const [first, second] = await one.receive(2);
    expect(textsOf(await two.receive(10))).toEqual(["a", "b"]);
    expect([first!.sequenceNumber, second!.sequenceNumber]).toEqual([1n, 2n]);
    expect([first!.enqueuedSequenceNumber, second!.enqueuedSequenceNumber]).toEqual([1n, 3n]);
    expect([first!.state, second!.state]).toEqual(["active", "scheduled"]);
    await one.deadLetter(first!);
    expect(
      textsOf(await fixture.broker.receiver("news/subscriptions/one/$deadletterqueue").receive()),
    ).toEqual(["a"]);
  });
});
