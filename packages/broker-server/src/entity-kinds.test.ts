import type { ServiceBusReceiver } from "@azure/service-bus";
import { createManualClock } from "@waybill/broker";
import { describe, expect, it } from "vitest";
import { entityKinds, openKind } from "./entity-kinds.test-support.js";
import { codeOf } from "./fixture.test-support.js";

/** The next message, which must exist. */
async function next(receiver: ServiceBusReceiver) {
  const [message] = await receiver.receiveMessages(1);
  if (message === undefined) throw new Error("expected a message");
  return message;
}

/** A deferred message, by its sequence number. */
async function nextDeferred(receiver: ServiceBusReceiver, sequenceNumber: Long | undefined) {
  const [message] = await receiver.receiveDeferredMessages(sequenceNumber as Long);
  if (message === undefined) throw new Error("expected a deferred message");
  return message;
}

type Long = NonNullable<Awaited<ReturnType<typeof next>>["sequenceNumber"]>;

describe.each(entityKinds)("$name", (kind) => {
  it("counts a delivery for each deferral and each abandoned delivery", async () => {
    await using fixture = await openKind(kind);
    await fixture.sender.sendMessages(fixture.message("a"));
    const receiver = await fixture.receiver();
    const first = await next(receiver);
    await receiver.deferMessage(first);
    const second = await nextDeferred(receiver, first.sequenceNumber);
    expect([first.deliveryCount, second.deliveryCount, second.state]).toEqual([0, 1, "deferred"]);
    await receiver.abandonMessage(second);
    const third = await nextDeferred(receiver, first.sequenceNumber);
    await receiver.deferMessage(third);
    const fourth = await nextDeferred(receiver, first.sequenceNumber);
    expect([third.deliveryCount, fourth.deliveryCount]).toEqual([2, 3]);
    await receiver.deadLetterMessage(fourth);
    expect((await next(fixture.deadLetters)).deliveryCount).toBe(3);
  });

  it("dead-letters a message that is deferred at its last delivery", async () => {
    await using fixture = await openKind(kind, { maxDeliveryCount: 1 });
    await fixture.sender.sendMessages(fixture.message("a"));
    const receiver = await fixture.receiver();
    const message = await next(receiver);
    await receiver.deferMessage(message);
    expect(await codeOf(nextDeferred(receiver, message.sequenceNumber))).toBe("MessageNotFound");
    expect((await next(fixture.deadLetters)).deadLetterReason).toBe("MaxDeliveryCountExceeded");
  });

  it("does not count deliveries in its dead-letter queue, which has no sessions", async () => {
    await using fixture = await openKind(kind, { maxDeliveryCount: 1 });
    await fixture.sender.sendMessages({ body: "a", sessionId: "my-session" });
    const receiver = await fixture.receiver();
    await receiver.deadLetterMessage(await next(receiver));
    const { deadLetters } = fixture;
    const first = await next(deadLetters);
    await deadLetters.abandonMessage(first);
    const second = await next(deadLetters);
    expect((await deadLetters.renewMessageLock(second)).getTime()).toBeGreaterThan(Date.now());
    await deadLetters.deferMessage(second);
    const deferred = await nextDeferred(deadLetters, second.sequenceNumber);
    expect([first, second, deferred].map(({ deliveryCount }) => deliveryCount)).toEqual([0, 0, 0]);
    await deadLetters.completeMessage(deferred);
    expect(fixture.broker.getEntity(fixture.path).totalMessageCount).toBe(0);
  });

  it("reports an activated message as scheduled, and keeps the number of one scheduled in the past", async () => {
    const clock = createManualClock(new Date());
    await using fixture = await openKind(kind, {}, clock);
    const receiver = await fixture.receiver({ receiveMode: "receiveAndDelete" });
    await fixture.sender.scheduleMessages(fixture.message("later"), new Date(clock.now() + 1000));
    clock.advance(1000);
    const later = await next(receiver);
    expect([later.body, later.state]).toEqual(["later", "scheduled"]);
    const past = new Date(clock.now() - 1000);
    await fixture.sender.sendMessages({ ...fixture.message("sent"), scheduledEnqueueTimeUtc: past });
    expect((await next(receiver)).state).toBe("active");
    const [number] = await fixture.sender.scheduleMessages(fixture.message("scheduled"), past);
    const scheduled = await next(receiver);
    expect(scheduled.state).toBe("active");
    expect(scheduled._rawAmqpMessage.messageAnnotations?.["x-opt-enqueue-sequence-number"]).toEqual(
      number?.toNumber(),
    );
  });

  it("omits bodies of peeked messages on request", async () => {
    await using fixture = await openKind(kind);
    await fixture.sender.sendMessages({
      ...fixture.message("a".repeat(100)),
      applicationProperties: { n: 1 },
    });
    const receiver = await fixture.receiver();
    const options = { omitMessageBody: true } as object;
    const [peeked] = await receiver.peekMessages(1, options);
    expect(peeked).toMatchObject({ body: undefined, applicationProperties: { n: 1 }, state: "active" });
    const { deliveryAnnotations } = peeked!._rawAmqpMessage;
    expect(deliveryAnnotations?.["omitted-message-body-size"]).toBeGreaterThan(100);
    expect((await next(receiver)).body).toBe("a".repeat(100));
  });

  it("accepts a batch of one session or partition key, and refuses several if it is partitioned", async () => {
    await using fixture = await openKind(kind);
    const keyed = (key: string) =>
      kind.requiresSession ? { body: key, sessionId: key } : { body: key, partitionKey: key };
    await fixture.sender.sendMessages([keyed("a"), keyed("a")]);
    const mixed = fixture.sender.sendMessages([keyed("a"), keyed("b")]);
    if (!kind.enablePartitioning) return await mixed;
    await expect(mixed).rejects.toThrow(
      "Batching brokered messages with distinct SessionId or PartitionKey is not supported",
    );
    expect(fixture.broker.getEntity(fixture.path).totalMessageCount).toBe(2);
  });

  it("returns every part of an annotated message", async () => {
    await using fixture = await openKind(kind);
    const sent = {
      body: "text",
      bodyType: "value" as const,
      header: { durable: false, firstAcquirer: true, priority: 9, timeToLive: 100_000 },
      footer: { sum: "x" },
      messageAnnotations: { mine: "yes" },
      applicationProperties: { n: 1, t: "two" },
      properties: {
        contentEncoding: "application/json",
        correlationId: "c",
        messageId: "m",
        ...(kind.requiresSession && { groupId: "my-session" }),
      },
    };
    await fixture.sender.sendMessages(sent);
    const { _rawAmqpMessage: raw } = await next(await fixture.receiver());
    expect(raw).toMatchObject(sent);
    expect(raw.header?.deliveryCount).toBe(0);
  });
});

describe.each(entityKinds.filter(({ requiresSession }) => requiresSession))("$name", (kind) => {
  it("keeps the session of a receiver in receive-and-delete mode that receives for longer than a lock", async () => {
    const clock = createManualClock(new Date());
    await using fixture = await openKind(kind, {}, clock);
    const receiver = await fixture.receiver({ receiveMode: "receiveAndDelete" });
    for (const body of [1, 2, 3, 4]) {
      await fixture.sender.sendMessages(fixture.message(body));
      expect((await next(receiver)).body).toBe(body);
      clock.advance(50_000);
    }
  });
});
