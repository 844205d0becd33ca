import { describe, expect, it } from "vitest";
import { codeOf, message, openFixture, textOf, textsOf } from "../fixture.test-support.js";

const minuteMs = 60_000;

async function openOrders(options = {}) {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders", options);
  return {
    ...fixture,
    sender: fixture.broker.sender("orders"),
    receiver: fixture.broker.receiver("orders"),
    deadLetters: fixture.broker.receiver("orders/$DeadLetterQueue"),
  };
}

describe("complete", () => {
  it("removes the message", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    const [received] = await fixture.receiver.receive();
    await fixture.receiver.complete(received!);
    expect(await fixture.receiver.peek(10)).toEqual([]);
  });

  it("accepts a lock token from any receiver of the entity", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    const [received] = await fixture.receiver.receive();
    await fixture.broker.receiver("ORDERS").complete(received!.lockToken!.toUpperCase());
    expect(await fixture.receiver.peek(10)).toEqual([]);
  });

  it("leaves body and properties of the received message readable", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a", { applicationProperties: { colour: "red" } }));
    const [received] = await fixture.receiver.receive();
    await fixture.receiver.complete(received!);
    expect(textOf(received)).toBe("a");
    expect(received!.applicationProperties).toEqual({ colour: "red" });
  });

  it("rejects a second settlement with message-lock-lost", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    const [received] = await fixture.receiver.receive();
    await fixture.receiver.complete(received!);
    expect(await codeOf(fixture.receiver.complete(received!))).toBe("message-lock-lost");
    expect(await codeOf(fixture.receiver.abandon(received!.lockToken!))).toBe("message-lock-lost");
  });

  it("rejects the token of another entity and text that is not a token", async () => {
    await using fixture = await openOrders();
    await fixture.broker.createQueue("other");
    await fixture.sender.send(message("a"));
    const [received] = await fixture.receiver.receive();
    expect(await codeOf(fixture.broker.receiver("other").complete(received!))).toBe("message-lock-lost");
    expect(await codeOf(fixture.broker.receiver("other").complete(received!.lockToken!))).toBe(
      "message-lock-lost",
    );
    expect(await codeOf(fixture.receiver.complete("no token"))).toBe("message-lock-lost");
  });

  it("names entity and message in the error", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    const [received] = await fixture.receiver.receive();
    await fixture.receiver.complete(received!);
    await expect(fixture.receiver.complete(received!)).rejects.toThrow(
      "The lock on the message with sequence number 1 of 'orders' is lost: it expired, was released, or the message is already settled. Receive the message again.",
    );
  });
});

describe("abandon", () => {
  it("makes the message the next one to be received and counts a failed delivery", async () => {
    await using fixture = await openOrders();
    await fixture.sender.sendBatch([message("a"), message("b")]);
    const [first] = await fixture.receiver.receive();
    expect(first!.deliveryCount).toBe(0);
    await fixture.receiver.abandon(first!);
    const again = await fixture.receiver.receive(2);
    expect(textsOf(again)).toEqual(["a", "b"]);
    expect(again.map((one) => one.deliveryCount)).toEqual([1, 0]);
  });

  it("modifies application properties without changing messages received before", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a", { applicationProperties: { colour: "red", size: 1 } }));
    const [first] = await fixture.receiver.receive();
    await fixture.receiver.abandon(first!, { colour: "blue" });
    const [second] = await fixture.receiver.receive();
    expect(second!.applicationProperties).toEqual({ colour: "blue", size: 1 });
    expect(second!.propertyChanges).toEqual({ colour: "blue" });
    expect(first!.applicationProperties).toEqual({ colour: "red", size: 1 });
  });

  it("refuses properties that cannot be copied and keeps the lock", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    const [received] = await fixture.receiver.receive();
    const changes = { bad: (() => {}) as object };
    expect(await codeOf(fixture.receiver.abandon(received!, changes))).toBe("argument-error");
    await fixture.receiver.complete(received!);
  });

  it("moves the message to the dead-letter queue after the last delivery", async () => {
    await using fixture = await openOrders({ maxDeliveryCount: 2 });
    await fixture.sender.send(message("a"));
    for (let delivery = 0; delivery < 2; delivery++) {
      const [received] = await fixture.receiver.receive();
      await fixture.receiver.abandon(received!);
    }
    expect(await fixture.receiver.peek()).toEqual([]);
    const [dead] = await fixture.deadLetters.receive();
    expect(textOf(dead)).toBe("a");
    expect(dead!.deadLetterReason).toBe("MaxDeliveryCountExceeded");
    expect(dead!.deadLetterErrorDescription).toBe("Message could not be consumed after 2 delivery attempts.");
    expect(dead!.deliveryCount).toBe(2);
    expect(dead!.sequenceNumber).toBe(1n);
  });

  it("keeps a message in the dead-letter queue after any number of failures, without counting", async () => {
    await using fixture = await openOrders({ maxDeliveryCount: 1 });
    await fixture.sender.send(message("a"));
    await fixture.receiver.abandon((await fixture.receiver.receive())[0]!);
    for (let delivery = 0; delivery < 3; delivery++) {
      await fixture.deadLetters.abandon((await fixture.deadLetters.receive())[0]!);
    }
    expect((await fixture.deadLetters.peek())[0]!.deliveryCount).toBe(1);
  });
});

describe("defer", () => {
  it("sets the message aside until it is received by its sequence number", async () => {
    await using fixture = await openOrders();
    await fixture.sender.sendBatch([message("a"), message("b")]);
    const [first] = await fixture.receiver.receive();
    await fixture.receiver.defer(first!, { why: "later" });
    expect(textsOf(await fixture.receiver.receive(10))).toEqual(["b"]);

    const [deferred] = await fixture.receiver.receiveDeferred([first!.sequenceNumber]);
    expect(textOf(deferred)).toBe("a");
    expect(deferred!.state).toBe("deferred");
    expect(deferred!.applicationProperties).toEqual({ why: "later" });
    await fixture.receiver.complete(deferred!.lockToken!);
    expect(await codeOf(fixture.receiver.receiveDeferred([1n]))).toBe("message-not-found");
  });

  it("keeps an abandoned deferred message deferred and counts the delivery", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    await fixture.receiver.defer((await fixture.receiver.receive())[0]!);
    await fixture.receiver.abandon((await fixture.receiver.receiveDeferred([1n]))[0]!);
    const [peeked] = await fixture.receiver.peek();
    expect(peeked!.state).toBe("deferred");
    expect(peeked!.deliveryCount).toBe(2);
    expect(await fixture.receiver.receive(1, { maxWaitMs: 0 })).toEqual([]);
  });

  it("counts a delivery each time", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    const [first] = await fixture.receiver.receive();
    await fixture.receiver.defer(first!);
    const [second] = await fixture.receiver.receiveDeferred([1n]);
    await fixture.receiver.defer(second!);
    const [third] = await fixture.receiver.receiveDeferred([1n]);
    expect([first, second, third].map((one) => one!.deliveryCount)).toEqual([0, 1, 2]);
    await fixture.receiver.deadLetter(third!);
    expect((await fixture.deadLetters.receive())[0]!.deliveryCount).toBe(2);
  });

  it("moves the message to the dead-letter queue, with its changes, at the last delivery", async () => {
    await using fixture = await openOrders({ maxDeliveryCount: 2 });
    await fixture.sender.send(message("a"));
    await fixture.receiver.defer((await fixture.receiver.receive())[0]!);
    await fixture.receiver.defer((await fixture.receiver.receiveDeferred([1n]))[0]!, { why: "again" });
    expect(await codeOf(fixture.receiver.receiveDeferred([1n]))).toBe("message-not-found");
    const [dead] = await fixture.deadLetters.receive();
    expect(dead!.state).toBe("active");
    expect(dead!.deadLetterReason).toBe("MaxDeliveryCountExceeded");
    expect(dead!.applicationProperties.why).toBe("again");
  });

  it("counts nothing in the dead-letter queue", async () => {
    await using fixture = await openOrders({ maxDeliveryCount: 1 });
    await fixture.sender.send(message("a"));
    await fixture.receiver.deadLetter((await fixture.receiver.receive())[0]!);
    await fixture.deadLetters.defer((await fixture.deadLetters.receive())[0]!);
    const [deferred] = await fixture.deadLetters.receiveDeferred([1n]);
    expect(deferred!.deliveryCount).toBe(0);
    await fixture.deadLetters.complete(deferred!);
  });

  it("receives deferred messages all or none", async () => {
    await using fixture = await openOrders();
    await fixture.sender.sendBatch([message("a"), message("b")]);
    for (const received of await fixture.receiver.receive(2)) await fixture.receiver.defer(received);
    expect(await codeOf(fixture.receiver.receiveDeferred([1n, 3n]))).toBe("message-not-found");
    expect(textsOf(await fixture.receiver.receiveDeferred([2n, 1n]))).toEqual(["b", "a"]);
    expect(await codeOf(fixture.receiver.receiveDeferred([1n]))).toBe("message-not-found");
  });
});

describe("deadLetter", () => {
  it("moves the message with its reason, description and modified properties", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a", { messageId: "m1", applicationProperties: { colour: "red" } }));
    const [received] = await fixture.receiver.receive();
    await fixture.receiver.deadLetter(received!, {
      reason: "Poison",
      description: "cannot be read",
      propertiesToModify: { stage: "decode" },
    });
    const [dead] = await fixture.deadLetters.receive();
    expect(dead!.messageId).toBe("m1");
    expect(dead!.entityPath).toBe("orders/$DeadLetterQueue");
    expect(dead!.applicationProperties).toEqual({
      colour: "red",
      stage: "decode",
      DeadLetterReason: "Poison",
      DeadLetterErrorDescription: "cannot be read",
    });
    expect(await codeOf(fixture.deadLetters.deadLetter(dead!))).toBe("not-allowed");
  });

  it("keeps sequence number, enqueued time and delivery count of the message", async () => {
    await using fixture = await openOrders();
    await fixture.sender.sendBatch([message("a"), message("b")]);
    const enqueuedAt = fixture.clock.now();
    const [, first] = await fixture.receiver.receive(2);
    await fixture.receiver.abandon(first!);
    fixture.clock.advance(1000);
    const [again] = await fixture.receiver.receive();
    await fixture.receiver.deadLetter(again!);
    const [dead] = await fixture.deadLetters.peek();
    expect([dead!.sequenceNumber, dead!.deliveryCount, dead!.enqueuedTime.getTime()]).toEqual([
      2n,
      1,
      enqueuedAt,
    ]);
  });

  it("refuses a reason of more than 4096 characters and keeps the lock", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    const [received] = await fixture.receiver.receive();
    expect(await codeOf(fixture.receiver.deadLetter(received!, { reason: "x".repeat(4097) }))).toBe(
      "argument-error",
    );
    await fixture.receiver.complete(received!);
  });

  it("does not take messages that are sent to the sub-queue", async () => {
    await using fixture = await openOrders();
    expect(() => fixture.broker.sender("orders/$deadletterqueue")).toThrow("it is not a queue or topic");
  });
});

describe("lock", () => {
  it("expires, counts a failed delivery and returns the message to its old position", async () => {
    await using fixture = await openOrders();
    await fixture.sender.sendBatch([message("a"), message("b")]);
    const [first] = await fixture.receiver.receive();
    expect(first!.lockedUntil!.getTime()).toBe(fixture.clock.now() + minuteMs);
    fixture.clock.advance(minuteMs - 1);
    expect(textsOf(await fixture.receiver.peek(1))).toEqual(["a"]);
    fixture.clock.advance(1);
    expect(await codeOf(fixture.receiver.complete(first!))).toBe("message-lock-lost");
    const again = await fixture.receiver.receive(2);
    expect(textsOf(again)).toEqual(["a", "b"]);
    expect(again[0]!.deliveryCount).toBe(1);
  });

  it("is renewed for the full duration", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    const [received] = await fixture.receiver.receive();
    fixture.clock.advance(minuteMs - 1);
    const until = await fixture.receiver.renewLock(received!.lockToken!);
    expect(until.getTime()).toBe(fixture.clock.now() + minuteMs);
    expect(received!.lockedUntil).toEqual(until);
    fixture.clock.advance(minuteMs - 1);
    await fixture.receiver.complete(received!);
  });

  it("cannot be renewed once it has ended", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    const [received] = await fixture.receiver.receive();
    fixture.clock.advance(minuteMs);
    expect(await codeOf(fixture.receiver.renewLock(received!))).toBe("message-lock-lost");
  });

  it("counts nothing when it ends in the dead-letter queue", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    await fixture.receiver.deadLetter((await fixture.receiver.receive())[0]!);
    await fixture.deadLetters.receive();
    fixture.clock.advance(minuteMs);
    expect((await fixture.deadLetters.receive())[0]!.deliveryCount).toBe(0);
  });

  it("dead-letters the message when it ends after the last delivery", async () => {
    await using fixture = await openOrders({ maxDeliveryCount: 1 });
    await fixture.sender.send(message("a"));
    await fixture.receiver.receive();
    fixture.clock.advance(minuteMs);
    expect((await fixture.deadLetters.receive())[0]!.deadLetterReason).toBe("MaxDeliveryCountExceeded");
  });
});

describe("release", () => {
  it("makes the message the next one to be received, without counting a delivery", async () => {
    await using fixture = await openOrders({ maxDeliveryCount: 1 });
    await fixture.sender.sendBatch([message("a"), message("b")]);
    const [received] = await fixture.receiver.receive();
    await fixture.receiver.release(received!);
    const [again] = await fixture.receiver.receive();
    expect([textOf(again), again!.deliveryCount]).toEqual(["a", 0]);
    expect(await codeOf(fixture.receiver.release(received!))).toBe("message-lock-lost");
  });
});
