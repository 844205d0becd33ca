import { describe, expect, it } from "vitest";
import { codeOf, message, openWorld, textOf, textsOf } from "../world.test-support.js";

const HOUR_MS = 3_600_000;

async function openOrders(options = {}) {
  const world = openWorld();
  await world.broker.createQueue("orders", options);
  return {
    ...world,
    sender: world.broker.sender("orders"),
    receiver: world.broker.receiver("orders"),
    inMs: (ms: number) => ({ scheduledEnqueueTime: new Date(world.clock.now() + ms) }),
  };
}

describe("schedule", () => {
  it("keeps a message until its time and then enqueues it under a new sequence number", async () => {
    await using world = await openOrders();
    const dueMs = world.clock.now() + HOUR_MS;
    expect(await world.sender.schedule([message("later", world.inMs(HOUR_MS))])).toEqual([1n]);
    await world.sender.send(message("now"));
    world.clock.advance(HOUR_MS - 1);
    expect(textsOf(await world.receiver.receive(10))).toEqual(["now"]);
    world.clock.advance(1);
    const [received] = await world.receiver.receive();
    expect(textOf(received)).toBe("later");
    expect(received!.sequenceNumber).toBe(3n);
    expect(received!.state).toBe("scheduled");
    expect(received!.enqueuedTime.getTime()).toBe(dueMs);
    expect(received!.scheduledEnqueueTime!.getTime()).toBe(dueMs);
  });

  it("activates messages in the order of their times, those of one instant as they were scheduled", async () => {
    await using world = await openOrders();
    await world.sender.schedule([
      message("c", world.inMs(3000)),
      message("a", world.inMs(1000)),
      message("b1", world.inMs(2000)),
      message("b2", world.inMs(2000)),
    ]);
    world.clock.advance(HOUR_MS);
    expect(textsOf(await world.receiver.receive(10))).toEqual(["a", "b1", "b2", "c"]);
  });

  it("is what send does with a scheduledEnqueueTime in the future", async () => {
    await using world = await openOrders();
    await world.sender.send(message("later", world.inMs(1000)));
    await world.sender.send(message("past", { scheduledEnqueueTime: new Date(0) }));
    expect(textsOf(await world.receiver.receive(10))).toEqual(["past"]);
    expect((await world.receiver.peek(10, { fromSequenceNumber: 1n }))[0]!.state).toBe("scheduled");
  });

  it("enqueues a message whose time has passed at once, as active, under the number that it returns", async () => {
    await using world = await openOrders();
    const past = world.inMs(-1000);
    const numbers = await world.sender.schedule([message("a", past), message("b", past)]);
    const received = await world.receiver.receive(2);
    expect(numbers).toEqual([1n, 2n]);
    expect(received.map(({ sequenceNumber }) => sequenceNumber)).toEqual(numbers);
    expect(received.map(({ state }) => state)).toEqual(["active", "active"]);
    expect(await codeOf(world.sender.cancelScheduled([1n]))).toBe("message-not-found");
  });

  it("does so in a transaction, too", async () => {
    await using world = await openOrders();
    const transaction = world.broker.beginTransaction();
    const numbers = await world.sender.schedule([message("a", world.inMs(0))], transaction);
    expect(await world.receiver.peek(1)).toEqual([]);
    await transaction.commit();
    expect((await world.receiver.receive())[0]!.sequenceNumber).toBe(numbers[0]);
  });

  it("lets a message say that it comes out of a schedule until it is set aside or dead-lettered", async () => {
    await using world = await openOrders();
    await world.sender.send(message("a", world.inMs(1000)));
    world.clock.advance(1000);
    const [first] = await world.receiver.receive();
    await world.receiver.abandon(first!);
    expect((await world.receiver.peek())[0]!.state).toBe("active");
    const [second] = await world.receiver.receive();
    await world.receiver.defer(second!);
    const [third] = await world.receiver.receiveDeferred([second!.sequenceNumber]);
    expect([first, second, third].map((one) => one!.state)).toEqual(["scheduled", "scheduled", "deferred"]);
    await world.receiver.deadLetter(third!);
    expect((await world.broker.receiver("orders/$deadletterqueue").receive())[0]!.state).toBe("active");
  });

  it("wakes a waiting receiver", async () => {
    await using world = await openOrders();
    await world.sender.schedule([message("later", world.inMs(1000))]);
    const pending = world.receiver.receive();
    world.clock.advance(1000);
    expect(textsOf(await pending)).toEqual(["later"]);
  });

  it("counts the time to live from the activation", async () => {
    await using world = await openOrders();
    await world.sender.schedule([message("later", { ...world.inMs(HOUR_MS), timeToLiveMs: 1000 })]);
    expect(await world.receiver.peek()).toMatchObject([
      { state: "scheduled", timeToLiveMs: 1000, expiresAt: new Date(world.clock.now() + 1000) },
    ]);
    world.clock.advance(HOUR_MS + 999);
    expect((await world.receiver.peek())[0]!.state).toBe("active");
    world.clock.advance(1);
    expect(await world.receiver.peek()).toEqual([]);
  });
});

describe("cancelScheduled", () => {
  it("removes scheduled messages, all or none", async () => {
    await using world = await openOrders();
    const [first, second] = await world.sender.schedule([
      message("a", world.inMs(1000)),
      message("b", world.inMs(1000)),
    ]);
    expect(await codeOf(world.sender.cancelScheduled([first!, 99n]))).toBe("message-not-found");
    await world.sender.cancelScheduled([first!]);
    expect(await codeOf(world.sender.cancelScheduled([first!]))).toBe("message-not-found");
    world.clock.advance(1000);
    expect(textsOf(await world.receiver.receive(10))).toEqual(["b"]);
    expect(await codeOf(world.sender.cancelScheduled([second!]))).toBe("message-not-found");
  });
});

describe("time to live", () => {
  it("drops an expired message where the queue does not dead-letter on expiration", async () => {
    await using world = await openOrders();
    await world.sender.send(message("a", { timeToLiveMs: 1000 }));
    world.clock.advance(1000);
    expect(await world.receiver.peek()).toEqual([]);
    expect(await world.broker.receiver("orders/$DeadLetterQueue").peek()).toEqual([]);
  });

  it("dead-letters an expired message with TTLExpiredException where the queue says so", async () => {
    await using world = await openOrders({ deadLetteringOnMessageExpiration: true });
    await world.sender.send(message("a", { timeToLiveMs: 1000 }));
    world.clock.advance(1000);
    const [dead] = await world.broker.receiver("orders/$deadletterqueue").receive();
    expect(dead!.deadLetterReason).toBe("TTLExpiredException");
    expect(dead!.deadLetterErrorDescription).toBe("The message expired and was dead lettered.");
  });

  it("is capped silently by the queue's default", async () => {
    await using world = await openOrders({ defaultMessageTimeToLiveMs: 2000 });
    await world.sender.send(message("a", { timeToLiveMs: HOUR_MS }));
    await world.sender.send(message("b"));
    const peeked = await world.receiver.peek(2);
    expect(peeked.map((one) => one.timeToLiveMs)).toEqual([2000, 2000]);
    world.clock.advance(2000);
    expect(await world.receiver.peek()).toEqual([]);
  });

  it("does not touch a locked message, which expires at once when its lock ends", async () => {
    await using world = await openOrders({ deadLetteringOnMessageExpiration: true });
    await world.sender.sendBatch([
      message("a", { timeToLiveMs: 1000 }),
      message("b", { timeToLiveMs: 1000 }),
    ]);
    const [first, second] = await world.receiver.receive(2);
    world.clock.advance(2000);
    expect(await world.receiver.peek(10)).toHaveLength(2);
    await world.receiver.abandon(first!);
    await world.receiver.complete(second!);
    expect(await world.receiver.peek()).toEqual([]);
    expect(textsOf(await world.broker.receiver("orders/$DeadLetterQueue").receive(10))).toEqual(["a"]);
  });

  it("ends for a deferred message when it is asked for, and not before", async () => {
    await using world = await openOrders({ deadLetteringOnMessageExpiration: true });
    await world.sender.sendBatch([message("a", { timeToLiveMs: 1000 }), message("b")]);
    for (const received of await world.receiver.receive(2)) await world.receiver.defer(received);
    world.clock.advance(HOUR_MS);
    expect(textsOf(await world.receiver.peek(10))).toEqual(["a", "b"]);
    expect(await codeOf(world.receiver.receiveDeferred([1n, 2n]))).toBe("message-not-found");
    expect(textsOf(await world.receiver.receiveDeferred([2n]))).toEqual(["b"]);
    const [dead] = await world.broker.receiver("orders/$deadletterqueue").receive();
    expect([textOf(dead), dead!.deadLetterReason]).toEqual(["a", "TTLExpiredException"]);
  });

  it("does not run in the dead-letter queue", async () => {
    await using world = await openOrders();
    await world.sender.send(message("a", { timeToLiveMs: 1000 }));
    await world.receiver.deadLetter((await world.receiver.receive())[0]!);
    world.clock.advance(HOUR_MS);
    expect(textsOf(await world.broker.receiver("orders/$DeadLetterQueue").receive())).toEqual(["a"]);
  });
});

describe("topic", () => {
  it("keeps the number of a schedule in the past as the enqueued sequence number of every copy", async () => {
    await using world = openWorld();
    await world.broker.createTopic("news");
    await world.broker.createSubscription("news", "one");
    const sender = world.broker.sender("news");
    await sender.send(message("a"));
    const past = { scheduledEnqueueTime: new Date(0) };
    expect(await sender.schedule([message("b", past)])).toEqual([2n]);
    const [, copy] = await world.broker.receiver("news/subscriptions/one").receive(2);
    expect([copy!.enqueuedSequenceNumber, copy!.sequenceNumber]).toEqual([2n, 2n]);
  });

  it("gives each subscription its own copy with its own sequence number", async () => {
    await using world = openWorld();
    await world.broker.createTopic("news");
    await world.broker.createSubscription("news", "one");
    await world.broker.createSubscription("NEWS", "two");
    const sender = world.broker.sender("news");
    await sender.send(message("a"));
    await sender.schedule([message("b", { scheduledEnqueueTime: new Date(world.clock.now() + 1000) })]);
    world.clock.advance(1000);
    const one = world.broker.receiver("news/subscriptions/one");
    const two = world.broker.receiver("news/Subscriptions/TWO", { mode: "receiveAndDelete" });
    const [first, second] = await one.receive(2);
    expect(textsOf(await two.receive(10))).toEqual(["a", "b"]);
    expect([first!.sequenceNumber, second!.sequenceNumber]).toEqual([1n, 2n]);
    expect([first!.enqueuedSequenceNumber, second!.enqueuedSequenceNumber]).toEqual([1n, 3n]);
    expect([first!.state, second!.state]).toEqual(["active", "scheduled"]);
    await one.deadLetter(first!);
    expect(textsOf(await world.broker.receiver("news/subscriptions/one/$deadletterqueue").receive())).toEqual(
      ["a"],
    );
  });
});
