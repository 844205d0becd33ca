import { WaybillError } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createFixture, custom, type Fixture, poison, quiet, until } from "../../../test/fixture.js";

describe("receiveMessages", () => {
  it("reports on each message how it was read", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: { n: 1 } });
    const [message] = await fixture.client.createReceiver("orders").receiveMessages(1);
    expect(message!.deserialization).toMatchObject({
      serializer: "json",
      position: 0,
      declared: "json",
      contentType: "application/json",
      section: "data",
      attempts: [],
      bytes: 7,
    });
    expect(new TextDecoder().decode(message!.rawBody as Uint8Array)).toBe('{"n":1}');
  });

  it("resolves with no messages after the wait", async () => {
    await using fixture = await createFixture();
    const waiting = fixture.client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 3_000 });
    await quiet();
    fixture.clock.advance(3_000);
    expect(await waiting).toEqual([]);
  });

  it("waits for messages after the undeserializable ones until its maximum wait time", async () => {
    await using fixture = await createFixture();
    const sender = fixture.client.createSender("orders");
    await sender.sendEncodedMessages([poison("p1"), poison("p2")]);
    const waiting = fixture.client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 3_000 });
    await until(() => fixture.events.length === 2);
    await sender.sendMessages({ body: "good" });
    expect((await waiting).map(({ body }) => body)).toEqual(["good"]);
  });

  it("finds the message after the undeserializable ones without waiting", async () => {
    await using fixture = await createFixture();
    const sender = fixture.client.createSender("orders");
    await sender.sendEncodedMessages([poison("p1"), poison("p2")]);
    await sender.sendMessages({ body: "good" });
    const receiver = fixture.client.createReceiver("orders");
    expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 })).toMatchObject([{ body: "good" }]);
  });

  it("rejects with aborted when its signal aborts, and takes no message", async () => {
    await using fixture = await createFixture();
    const controller = new AbortController();
    const receiver = fixture.client.createReceiver("orders");
    const waiting = receiver.receiveMessages(1, { abortSignal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    expect(await receiver.receiveMessages(1)).toHaveLength(1);
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses a count of %s", async (count) => {
    await using fixture = await createFixture();
    await expect(fixture.client.createReceiver("orders").receiveMessages(count)).rejects.toThrow(TypeError);
  });

  it("refuses a wait that is not a number", async () => {
    await using fixture = await createFixture();
    const receiving = fixture.client
      .createReceiver("orders")
      .receiveMessages(1, { maxWaitTimeInMs: Number.NaN });
    await expect(receiving).rejects.toThrow("maxWaitTimeInMs must be a number of milliseconds from 0");
  });
});

describe("settling", () => {
  it("complete removes the message", async () => {
    await using fixture = await createFixture();
    const { receiver, message } = await receiveOne(fixture);
    await receiver.completeMessage(message);
    fixture.clock.advance(600_000);
    expect(await receiver.peekMessages(9)).toEqual([]);
  });

  it("abandon delivers the message again at once, with a higher delivery count and changed properties", async () => {
    await using fixture = await createFixture();
    const { receiver, message } = await receiveOne(fixture);
    await receiver.abandonMessage(message, { tried: 1n });
    const [again] = await receiver.receiveMessages(1);
    expect(again).toMatchObject({ deliveryCount: 1, applicationProperties: { tried: 1n } });
  });

  it("defer keeps the message until it is received by its sequence number", async () => {
    await using fixture = await createFixture();
    const { receiver, message } = await receiveOne(fixture);
    await receiver.deferMessage(message, { later: true });
    expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 })).toEqual([]);
    const [deferred] = await receiver.receiveDeferredMessages(message.sequenceNumber);
    expect(deferred).toMatchObject({ body: { n: 1 }, applicationProperties: { later: true } });
    await receiver.completeMessage(deferred!);
    await expect(receiver.receiveDeferredMessages([message.sequenceNumber])).rejects.toMatchObject({
      code: "message-not-found",
    });
  });

  it("dead-letter keeps reason, description and properties", async () => {
    await using fixture = await createFixture();
    const { receiver, message } = await receiveOne(fixture);
    await receiver.deadLetterMessage(message, {
      deadLetterReason: "unpaid",
      deadLetterErrorDescription: "no money",
      by: "test",
    });
    const dead = await fixture.client
      .createReceiver("orders", { subQueueType: "deadLetter" })
      .receiveMessages(1);
    expect(dead).toMatchObject([
      {
        body: { n: 1 },
        deadLetterReason: "unpaid",
        deadLetterErrorDescription: "no money",
        applicationProperties: { by: "test" },
      },
    ]);
  });

  it("refuses dead-letter texts and properties outside their limits, and does not settle the message", async () => {
    await using fixture = await createFixture();
    const { receiver, message } = await receiveOne(fixture);
    const tooLong = receiver.deadLetterMessage(message, { deadLetterReason: "x".repeat(4_097) });
    await expect(tooLong).rejects.toMatchObject({ code: "operation-invalid", entityPath: "orders" });
    const wrongType = receiver.abandonMessage(message, { bad: {} as never });
    await expect(wrongType).rejects.toMatchObject({ code: "operation-invalid" });
    await receiver.completeMessage(message);
  });

  it("accepts a copy of the message", async () => {
    await using fixture = await createFixture();
    const { receiver, message } = await receiveOne(fixture);
    await receiver.completeMessage({ ...message });
    expect(await receiver.peekMessages(9)).toEqual([]);
  });

  it("is possible once", async () => {
    await using fixture = await createFixture();
    const { receiver, message } = await receiveOne(fixture);
    const [first, second] = await Promise.allSettled([
      receiver.completeMessage(message),
      receiver.abandonMessage(message),
    ]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ reason: { code: "operation-invalid" } });
  });

  it("can be retried after a transient failure", async () => {
    await using fixture = await createFixture();
    const { receiver, message } = await receiveOne(fixture);
    fixture.broker.faults.throttle("orders", 1);
    await expect(receiver.completeMessage(message)).rejects.toMatchObject({ code: "service-busy" });
    await receiver.completeMessage(message);
    expect(await receiver.peekMessages(9)).toEqual([]);
  });

  it("rejects with message-lock-lost every time after the lock expired", async () => {
    await using fixture = await createFixture();
    const { receiver, message } = await receiveOne(fixture);
    fixture.broker.faults.loseLock("orders", message.lockToken!);
    const lost = { code: "message-lock-lost" };
    await expect(receiver.completeMessage(message)).rejects.toMatchObject(lost);
    await expect(receiver.abandonMessage(message)).rejects.toMatchObject(lost);
    expect(await receiver.receiveMessages(1)).toMatchObject([{ deliveryCount: 1 }]);
  });

  it("refuses messages of another receiver, peeked ones, and those of receive-and-delete", async () => {
    await using fixture = await createFixture();
    const { receiver, message } = await receiveOne(fixture);
    const refused = { code: "operation-invalid", text: expect.stringMatching(/^It holds no lock/) };
    const other = fixture.client.createReceiver("orders");
    await expect(other.completeMessage(message)).rejects.toMatchObject({
      code: "operation-invalid",
      text: "It was received by another receiver; only that one can settle it.",
    });
    const [peeked] = await receiver.peekMessages(1);
    await expect(receiver.completeMessage(peeked!)).rejects.toMatchObject(refused);
    await receiver.completeMessage(message);
    await fixture.client.createSender("orders").sendMessages({ body: 2 });
    const deleting = fixture.client.createReceiver("orders", { receiveMode: "receiveAndDelete" });
    const [deleted] = await deleting.receiveMessages(1);
    expect(deleted).toMatchObject({ body: 2, settlement: undefined, lockToken: undefined });
    await expect(deleting.completeMessage(deleted!)).rejects.toMatchObject(refused);
  });
});

describe("peekMessages", () => {
  it("continues where it stopped, or begins at a given sequence number", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
    const receiver = fixture.client.createReceiver("orders");
    expect((await receiver.peekMessages(2)).map(({ body }) => body)).toEqual([1, 2]);
    expect((await receiver.peekMessages(2)).map(({ body }) => body)).toEqual([3]);
    expect(await receiver.peekMessages(2)).toEqual([]);
    const again = await receiver.peekMessages(9, { fromSequenceNumber: 2n });
    expect(again.map(({ body }) => body)).toEqual([2, 3]);
  });

  it("returns undeserializable messages with their failure, and does not move them", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendEncodedMessages([poison("p"), custom("c")]);
    const receiver = fixture.client.createReceiver("orders");
    expect(await receiver.peekMessages(9)).toMatchObject([
      { messageId: "p", body: undefined, failure: { status: "undeserializable" } },
      { messageId: "c", body: undefined, failure: { reason: "NoDeserializer" } },
    ]);
    expect(await receiver.peekMessages(9, { fromSequenceNumber: 1n })).toHaveLength(2);
    expect(fixture.events).toEqual([]);
  });
});

describe("getMessageIterator", () => {
  it("yields one message after the other until the receiver is closed", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    const receiver = fixture.client.createReceiver("orders");
    const seen: unknown[] = [];
    for await (const message of receiver.getMessageIterator()) {
      seen.push(message.body);
      await receiver.completeMessage(message);
      if (seen.length === 2) void quiet().then(() => receiver.close());
    }
    expect(seen).toEqual([1, 2]);
  });

  it("also abandons the message that could not be completed", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    const createReceiver = fixture.transport.createReceiver.bind(fixture.transport);
    fixture.transport.createReceiver = (...args) =>
      Object.assign(createReceiver(...args), {
        complete: async () => {
          throw new WaybillError("service-busy", "Later.");
        },
      });
    const receiver = fixture.client.createReceiver("orders");
    const loop = async () => {
      const options = { autoCompleteMessages: true, prefetchCount: 1 };
      for await (const { body } of receiver.getMessageIterator(options)) expect(body).toBe(1);
    };
    await expect(loop()).rejects.toMatchObject({ code: "service-busy" });
    const left = await fixture.broker.receiver("orders").receive(9);
    expect(left.map(({ deliveryCount }) => deliveryCount)).toEqual([1, 1]);
  });
});

describe("acceptSession", () => {
  it("receives the session's messages and keeps its state", async () => {
    await using fixture = await createSessions();
    await using session = await fixture.client.acceptSession("carts", "ada");
    expect(session.sessionId).toBe("ada");
    const [message] = await session.receiveMessages(9);
    expect(message).toMatchObject({ body: "ada 1", sessionId: "ada" });
    await session.completeMessage(message!);
    await session.setSessionState({ count: 2 });
    expect(await session.getSessionState()).toEqual({ count: 2 });
    await session.setSessionState(undefined);
    expect(await session.getSessionState()).toBeUndefined();
  });

  it("accepts the next session with messages, or none if there is none in time", async () => {
    await using fixture = await createSessions();
    await using first = await fixture.client.acceptNextSession("carts");
    await using second = await fixture.client.acceptNextSession("carts");
    expect([first.sessionId, second.sessionId].sort()).toEqual(["ada", "ben"]);
    const third = fixture.client.acceptNextSession("carts", { maxWaitTimeInMs: 0 });
    await expect(third).rejects.toMatchObject({ code: "timeout" });
  });

  it("renews the session's lock automatically for the configured time, and stops when it is closed", async () => {
    await using fixture = await createSessions();
    const session = await fixture.client.acceptSession("carts", "ada", {
      maxAutoLockRenewalDurationInMs: 120_000,
    });
    const [message] = await session.receiveMessages(1);
    for (let i = 0; i < 12; i++) {
      fixture.clock.advance(10_000);
      await quiet();
    }
    expect(session.sessionLockedUntilUtc.getTime()).toBeGreaterThan(fixture.clock.now());
    await session.completeMessage(message!);
    for (let i = 0; i < 7; i++) {
      fixture.clock.advance(10_000);
      await quiet();
    }
    await expect(session.getSessionState()).rejects.toMatchObject({ code: "session-lock-lost" });
  });

  it("releases the session when it is closed", async () => {
    await using fixture = await createSessions();
    const session = await fixture.client.acceptSession("carts", "ada");
    await expect(fixture.client.acceptSession("carts", "ada")).rejects.toMatchObject({
      code: "session-cannot-be-locked",
    });
    await session.close();
    await using again = await fixture.client.acceptSession("carts", "ada");
    expect(await again.receiveMessages(1)).toMatchObject([{ body: "ada 1", deliveryCount: 0 }]);
  });

  it("reports a lost session lock once, to subscription and settlement", async () => {
    await using fixture = await createSessions();
    await using session = await fixture.client.acceptSession("carts", "ada", {
      maxAutoLockRenewalDurationInMs: 0,
    });
    const sources: string[] = [];
    let finish = () => {};
    session.subscribe({
      processMessage: () => new Promise<void>((resolve) => (finish = resolve)),
      processError: ({ error, errorSource }) => {
        expect(error).toMatchObject({ code: "session-lock-lost" });
        sources.push(errorSource);
      },
    });
    await quiet();
    fixture.clock.advance(60_000);
    finish();
    await quiet();
    fixture.clock.advance(10_000);
    await quiet();
    expect(sources.sort()).toEqual(["complete", "receive"]);
  });

  it("dead-letters undeserializable messages in their order", async () => {
    await using fixture = await createSessions();
    await fixture.client.createSender("carts").sendEncodedMessages([{ ...poison("p"), sessionId: "cem" }]);
    await fixture.client.createSender("carts").sendMessages({ body: "cem 2", sessionId: "cem" });
    await using session = await fixture.client.acceptSession("carts", "cem");
    expect(await session.receiveMessages(9)).toMatchObject([{ body: "cem 2" }]);
    expect(fixture.events).toMatchObject([{ disposition: "deadLettered", entityPath: "carts" }]);
  });

  it("releases the session if the client was closed meanwhile", async () => {
    await using fixture = await createSessions();
    const accepting = fixture.client.acceptSession("carts", "ada");
    const closing = fixture.client.close();
    await expect(accepting).rejects.toMatchObject({ code: "closed" });
    await closing;
    await fixture.broker.acceptSession("carts", { sessionId: "ada" });
  });
});

async function receiveOne(fixture: Fixture) {
  await fixture.client.createSender("orders").sendMessages({ body: { n: 1 } });
  const receiver = fixture.client.createReceiver("orders");
  const [message] = await receiver.receiveMessages<{ n: number }>(1);
  return { receiver, message: message! };
}

async function createSessions(): Promise<Fixture> {
  const fixture = await createFixture();
  await fixture.broker.createQueue("carts", { requiresSession: true });
  const sender = fixture.client.createSender("carts");
  await sender.sendMessages([
    { body: "ada 1", sessionId: "ada" },
    { body: "ben 1", sessionId: "ben" },
  ]);
  return fixture;
}
