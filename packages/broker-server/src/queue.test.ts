import { describe, expect, it } from "vitest";
import { codeOf, openFixture } from "./fixture.test-support.js";

describe("the official client", () => {
  it("sends and receives a message with its properties", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({
      body: { total: 5 },
      messageId: "m-1",
      correlationId: "c-1",
      contentType: "application/json",
      subject: "order",
      to: "warehouse",
      replyTo: "answers",
      partitionKey: "p",
      timeToLive: 60_000,
      applicationProperties: { colour: "red", count: 3, ratio: 0.5, isUrgent: true },
    });
    const [message] = await fixture.receiver.receiveMessages(1);
    expect(message).toMatchObject({
      body: { total: 5 },
      messageId: "m-1",
      correlationId: "c-1",
      contentType: "application/json",
      subject: "order",
      to: "warehouse",
      replyTo: "answers",
      partitionKey: "p",
      timeToLive: 60_000,
      applicationProperties: { colour: "red", count: 3, ratio: 0.5, isUrgent: true },
      deliveryCount: 0,
      state: "active",
    });
    expect(message!.sequenceNumber!.toNumber()).toBe(1);
    expect(message!.lockedUntilUtc!.getTime()).toBeGreaterThan(Date.now());
    expect(message!.expiresAtUtc!.getTime()).toBe(message!.enqueuedTimeUtc!.getTime() + 60_000);
    await fixture.receiver.completeMessage(message!);
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("gets a message id for a message sent without one", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({ body: "a" });
    const [message] = await fixture.receiver.receiveMessages(1);
    expect(message!.messageId).toMatch(/^[0-9a-f]{32}$/);
  });

  it("sends bodies of every section", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages([
      { body: Buffer.from([0, 1, 255]) },
      { body: "text" },
      { body: null },
      { bodyType: "value", body: { nested: [1, 2] } } as never,
    ]);
    const messages = await fixture.receiver.receiveMessages(4);
    expect(messages.map(({ body }) => body)).toEqual([
      Buffer.from([0, 1, 255]),
      "text",
      null,
      { nested: [1, 2] },
    ]);
  });

  it("abandons a message with changed properties, and counts the delivery", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({ body: "a", applicationProperties: { colour: "red", kept: 1 } });
    const [first] = await fixture.receiver.receiveMessages(1);
    await fixture.receiver.abandonMessage(first!, { colour: "blue", added: true });
    const [second] = await fixture.receiver.receiveMessages(1);
    expect(second!.deliveryCount).toBe(1);
    expect(second!.applicationProperties).toEqual({ colour: "blue", kept: 1, added: true });
    expect(second!.body).toBe("a");
  });

  it("defers a message and receives it by its number", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({ body: "a" });
    const [message] = await fixture.receiver.receiveMessages(1);
    await fixture.receiver.deferMessage(message!);
    expect(await fixture.receiver.receiveMessages(1, { maxWaitTimeInMs: 20 })).toEqual([]);
    const [deferred] = await fixture.receiver.receiveDeferredMessages(message!.sequenceNumber!);
    expect(deferred).toMatchObject({ body: "a", state: "deferred" });
    await fixture.receiver.completeMessage(deferred!);
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("dead-letters a message with reason, description and properties", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({ body: "a", applicationProperties: { kept: 1 } });
    const [message] = await fixture.receiver.receiveMessages(1);
    await fixture.receiver.deadLetterMessage(message!, {
      deadLetterReason: "unreadable",
      deadLetterErrorDescription: "not JSON",
      by: "test",
    });
    const deadLetters = fixture.client.createReceiver("orders", { subQueueType: "deadLetter" });
    const [dead] = await deadLetters.receiveMessages(1);
    expect(dead).toMatchObject({
      deadLetterReason: "unreadable",
      deadLetterErrorDescription: "not JSON",
      applicationProperties: { kept: 1, by: "test" },
    });
    await deadLetters.completeMessage(dead!);
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("peeks at messages in every state", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages([{ body: 1 }, { body: 2 }]);
    await fixture.sender.scheduleMessages({ body: 3 }, new Date(Date.now() + 60_000));
    const [first] = await fixture.receiver.receiveMessages(1);
    await fixture.receiver.deferMessage(first!);
    const peeked = await fixture.receiver.peekMessages(10);
    expect(peeked.map(({ body, state }) => [body, state])).toEqual([
      [1, "deferred"],
      [2, "active"],
      [3, "scheduled"],
    ]);
    expect(await fixture.receiver.peekMessages(10)).toEqual([]);
  });

  it("schedules and cancels messages", async () => {
    await using fixture = await openFixture();
    const due = new Date(Date.now() + 60_000);
    const numbers = await fixture.sender.scheduleMessages([{ body: "a" }, { body: "b" }], due);
    expect(numbers.map((number) => number.toNumber())).toEqual([1, 2]);
    await fixture.sender.cancelScheduledMessages(numbers[0]!);
    const [left, ...others] = await fixture.receiver.peekMessages(10);
    expect(left).toMatchObject({ body: "b", scheduledEnqueueTimeUtc: due });
    expect(others).toEqual([]);
    expect(await codeOf(fixture.sender.cancelScheduledMessages(numbers[0]!))).toBe("MessageNotFound");
  });

  it("renews a message's lock", async () => {
    await using fixture = await openFixture({ lockDurationMs: 5000 });
    await fixture.sender.sendMessages({ body: "a" });
    const [message] = await fixture.receiver.receiveMessages(1);
    const before = message!.lockedUntilUtc!.getTime();
    const after = await fixture.receiver.renewMessageLock(message!);
    expect(after.getTime()).toBeGreaterThanOrEqual(before);
  });

  it("sends batches atomically", async () => {
    await using fixture = await openFixture();
    const batch = await fixture.sender.createMessageBatch();
    for (let n = 0; n < 100; n++) expect(batch.tryAddMessage({ body: n })).toBe(true);
    await fixture.sender.sendMessages(batch);
    const messages = await fixture.receiver.receiveMessages(100);
    expect(messages.map(({ body }) => body)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  it("receives in receive-and-delete mode", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages([{ body: 1 }, { body: 2 }]);
    const receiver = fixture.client.createReceiver("orders", { receiveMode: "receiveAndDelete" });
    const messages = await receiver.receiveMessages(2);
    expect(messages.map(({ body }) => body)).toEqual([1, 2]);
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("subscribes and completes automatically", async () => {
    await using fixture = await openFixture();
    const bodies: unknown[] = [];
    const done = new Promise<void>((resolve, reject) => {
      fixture.receiver.subscribe({
        async processMessage({ body }) {
          bodies.push(body);
          if (bodies.length === 20) resolve();
        },
        processError: async ({ error }) => reject(error),
      });
    });
    await fixture.sender.sendMessages(Array.from({ length: 20 }, (_, n) => ({ body: n })));
    await done;
    expect(bodies).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });
});

describe("a settlement", () => {
  it("of a lost lock is refused with MessageLockLost", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({ body: "a" });
    const [message] = await fixture.receiver.receiveMessages(1);
    fixture.broker.faults.loseLock("orders", message!.lockToken!);
    expect(await codeOf(fixture.receiver.completeMessage(message!))).toBe("MessageLockLost");
    expect(await codeOf(fixture.receiver.renewMessageLock(message!))).toBe("MessageLockLost");
  });

  it("works after the receiver is closed, as locks outlive links", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({ body: "a" });
    const [message] = await fixture.receiver.receiveMessages(1);
    await fixture.receiver.close();
    const other = fixture.client.createReceiver("orders");
    expect(await other.receiveMessages(1, { maxWaitTimeInMs: 20 })).toEqual([]);
    expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(1);
    await fixture.broker.receiver("orders").complete(message!.lockToken!);
  });

  it("of mixed outcomes applies to the right message, one per turn", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages(Array.from({ length: 30 }, (_, n) => ({ body: n })));
    const messages = await fixture.receiver.receiveMessages(30);
    const settled: Promise<void>[] = [];
    for (const [place, message] of messages.entries()) {
      if (place % 3 === 0) settled.push(fixture.receiver.completeMessage(message));
      else if (place % 3 === 1) settled.push(fixture.receiver.deferMessage(message));
      else settled.push(fixture.receiver.deadLetterMessage(message));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(settled);
    expect(fixture.broker.getEntity("orders")).toMatchObject({
      activeMessageCount: 0,
      deferredMessageCount: 10,
      deadLetterMessageCount: 10,
    });
  });
});
