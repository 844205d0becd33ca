import { describe, expect, it } from "vitest";
import { type Broker, openBroker } from "../client/broker.js";
import { codeOf, message, openFixture, textOf, textsOf } from "../fixture.test-support.js";
import { createDisk, openDisk } from "../storage/restartable-storage.test-support.js";
import { createManualClock, type ManualClock } from "../timing/clock.js";

describe("forwardTo", () => {
  it("forwards every message immediately, with a new sequence number, and keeps the enqueued one", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("target");
    await broker.createQueue("source", { forwardTo: "TARGET" });
    await broker.sender("target").send(message("first"));
    await broker.sender("source").send(message("a", { applicationProperties: { n: 1 } }));
    const [, received] = await broker.receiver("target").receive(2);
    expect(textOf(received)).toBe("a");
    expect(received!.sequenceNumber).toBe(2n);
    expect(received!.enqueuedSequenceNumber).toBe(1n);
    expect(received!.applicationProperties).toEqual({ n: 1 });
    expect(broker.getEntity("source").totalMessageCount).toBe(0);
  });

  it("works from a subscription to a queue and to another topic", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createTopic("second");
    await broker.createSubscription("second", "all");
    await broker.createTopic("first");
    await broker.createSubscription("first", "on", { forwardTo: "second" });
    await broker.sender("first").send(message("a"));
    expect(textsOf(await broker.receiver("second/subscriptions/all").receive())).toEqual(["a"]);
  });

  it("forwards scheduled messages when they are due", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("target");
    await broker.createQueue("source", { forwardTo: "target" });
    await broker
      .sender("source")
      .schedule([message("a", { scheduledEnqueueTime: new Date(clock.now() + 1000) })]);
    expect(await broker.receiver("target").peek()).toEqual([]);
    clock.advance(1000);
    expect(textsOf(await broker.receiver("target").receive())).toEqual(["a"]);
  });

  it("allows four hops, then keeps the message in the transfer dead-letter queue", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("q5");
    for (const n of [4, 3, 2, 1, 0]) await broker.createQueue(`q${n}`, { forwardTo: `q${n + 1}` });
    await broker.sender("q1").send(message("four hops"));
    expect(textsOf(await broker.receiver("q5").receive(10))).toEqual(["four hops"]);
    await broker.sender("q0").send(message("five hops"));
    const [dead] = await broker.receiver("q4/$Transfer/$DeadLetterQueue").receive();
    expect(textOf(dead)).toBe("five hops");
    expect(dead!.deadLetterReason).toBe("MaxTransferHopCountExceeded");
    expect(dead!.deadLetterErrorDescription).toBe(
      "The maximum number of allowed hops when forwarding between queues exceeded the limit. This value is set to 4.",
    );
  });

  it("ends a cycle the same way", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("a");
    await broker.createQueue("b", { forwardTo: "a" });
    await broker.updateEntity("a", { forwardTo: "b" });
    await broker.sender("a").send(message("round"));
    expect(textsOf(await broker.receiver("a/$Transfer/$DeadLetterQueue").peek(10))).toEqual(["round"]);
  });

  it.each([
    ["MessagingEntityNotFound", (broker: Broker) => broker.deleteEntity("target")],
    [
      "MessagingEntityDisabled",
      (broker: Broker) => broker.updateEntity("target", { status: "SendDisabled" }),
    ],
    ["QuotaExceeded", async (broker: Broker) => broker.faults.fill("target")],
  ])("keeps a message in the transfer dead-letter queue for %s", async (reason, closeTarget) => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("target");
    await broker.createQueue("source", { forwardTo: "target" });
    await closeTarget(broker);
    await broker.sender("source").send(message("a"));
    const [dead] = await broker.receiver("source/$Transfer/$DeadLetterQueue").receive();
    expect(dead!.deadLetterReason).toBe(reason);
    expect(broker.getEntity("source").transferDeadLetterMessageCount).toBe(1);
  });

  it("moves waiting messages when it is set, and locked ones when their locks end", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("target");
    await broker.createQueue("source");
    await broker.sender("source").sendBatch([message("locked"), message("b")]);
    await broker.receiver("source").receive();
    await broker.updateEntity("source", { forwardTo: "target" });
    expect(textsOf(await broker.receiver("target").peek(10))).toEqual(["b"]);
    clock.advance(60_000);
    expect(textsOf(await broker.receiver("target").peek(10))).toEqual(["b", "locked"]);
  });

  it("ends receiving from the source", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("target");
    await broker.createQueue("source");
    const pending = codeOf(broker.receiver("source").receive());
    await broker.updateEntity("source", { forwardTo: "target" });
    expect(await pending).toBe("not-allowed");
    expect(await codeOf(broker.receiver("source").receive())).toBe("not-allowed");
    expect(await broker.receiver("source/$DeadLetterQueue").receive(1, { maxWaitMs: 0 })).toEqual([]);
  });

  it("needs an existing target, and a source without auto-delete on idle", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    expect(await codeOf(broker.createQueue("source", { forwardTo: "nowhere" }))).toBe("entity-not-found");
    await broker.createQueue("target");
    const { options } = await broker.createQueue("t", { forwardTo: "target", autoDeleteOnIdleMs: 300_000 });
    expect(options.autoDeleteOnIdleMs).toBe(Number.POSITIVE_INFINITY);
  });

  it("forwards the messages of sessions, with their session ids", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("target");
    await broker.createQueue("visits", { requiresSession: true });
    await broker.sender("visits").send(message("a", { sessionId: "s" }));
    await broker.updateEntity("visits", { forwardTo: "target" });
    await broker.sender("visits").send(message("b", { sessionId: "s" }));
    const received = await broker.receiver("target").receive(2);
    expect(received.map((one) => [textOf(one), one.sessionId])).toEqual([
      ["a", "s"],
      ["b", "s"],
    ]);
    expect(broker.getEntity("visits").totalMessageCount).toBe(0);
    await expect(broker.acceptSession("visits", { sessionId: "s" })).rejects.toThrow(
      "it forwards its messages",
    );
  });

  it.each(["forwardTo", "forwardDeadLetteredMessagesTo"])(
    "may lead back to the entity itself, and ends after four hops: %s",
    async (forward) => {
      await using fixture = openFixture();
      const { broker } = fixture;
      await broker.createQueue("loop", { [forward]: "LOOP" });
      await broker.updateEntity("loop", { [forward]: "loop" });
      await broker.sender("loop").send(message("a"));
      const receiver = broker.receiver("loop");
      for (let hop = 0; forward !== "forwardTo" && hop <= 4; hop++) {
        const [received] = await receiver.receive();
        await receiver.deadLetter(received!.lockToken!);
      }
      const { activeMessageCount, deadLetterMessageCount, transferDeadLetterMessageCount } =
        broker.getEntity("loop");
      expect(activeMessageCount).toBe(0);
      expect(deadLetterMessageCount + transferDeadLetterMessageCount).toBe(1);
    },
  );
});

describe("forwardDeadLetteredMessagesTo", () => {
  it("forwards dead-lettered messages with their source", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("graveyard");
    await broker.createQueue("orders", { forwardDeadLetteredMessagesTo: "graveyard" });
    await broker.sender("orders").send(message("a"));
    const receiver = broker.receiver("orders");
    const [received] = await receiver.receive();
    expect(received!.deadLetterSource).toBeUndefined();
    await receiver.deadLetter(received!, { reason: "Poison" });
    const [dead] = await broker.receiver("graveyard").receive();
    expect(dead!.deadLetterSource).toBe("orders");
    expect(dead!.deadLetterReason).toBe("Poison");
    expect(dead!.deliveryCount).toBe(0);
  });

  it("leaves them in the dead-letter queue if that is impossible", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("graveyard");
    await broker.createQueue("orders", { forwardDeadLetteredMessagesTo: "graveyard" });
    await broker.deleteEntity("graveyard");
    await broker.sender("orders").send(message("a"));
    const receiver = broker.receiver("orders");
    await receiver.deadLetter((await receiver.receive())[0]!);
    expect(textsOf(await broker.receiver("orders/$DeadLetterQueue").receive())).toEqual(["a"]);
  });
});

describe("via", () => {
  it("sends via a queue, whose transfer dead-letter queue keeps untransferable messages", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("via");
    await broker.createQueue("target");
    const sender = broker.sender("target", { via: "via" });
    await sender.send(message("a"));
    expect(textsOf(await broker.receiver("target").receive())).toEqual(["a"]);
    await broker.deleteEntity("target");
    await sender.send(message("b"));
    const [dead] = await broker.receiver("via/$transfer/$deadletterqueue").receive();
    expect(textOf(dead)).toBe("b");
    expect(dead!.deadLetterReason).toBe("MessagingEntityNotFound");
  });

  it("sends via a topic, whose transfer dead-letter queue is kept across restarts", async () => {
    const disk = createDisk();
    const clock = createManualClock();
    const first = await openBroker({ clock, storage: openDisk(disk) });
    await first.createTopic("via", { enablePartitioning: true });
    await first.createSubscription("via", "all");
    await first.createQueue("target");
    await first.sender("target", { via: "via" }).send(message("a"));
    expect(textsOf(await first.receiver("target").receive())).toEqual(["a"]);
    expect(await first.receiver("via/subscriptions/all").peek()).toEqual([]);
    await first.sender("missing", { via: "via" }).send(message("b"));
    expect(first.getEntity("via")).toMatchObject({ transferDeadLetterMessageCount: 1, totalMessageCount: 1 });
    await first.close();

    await using broker = await openBroker({ clock, storage: openDisk(disk) });
    const receiver = broker.receiver("via/$Transfer/$DeadLetterQueue");
    const [dead] = await receiver.receive();
    expect(textOf(dead)).toBe("b");
    expect(dead!.lockedUntil).toEqual(new Date(clock.now() + 60_000));
    clock.advance(1000);
    expect(await receiver.renewLock(dead!.lockToken!)).toEqual(new Date(clock.now() + 60_000));
    await receiver.complete(dead!.lockToken!);
    expect(broker.getEntity("via").totalMessageCount).toBe(0);
    expect(() => broker.receiver("via/$DeadLetterQueue")).toThrow("could not be found");
  });
});

describe("a scheduled time of a forwarded message", () => {
  const inAMinute = (clock: ManualClock) => new Date(clock.now() + 60_000);

  it("schedules a message sent via another queue at its destination", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    for (const path of ["via", "target"]) await broker.createQueue(path);
    const sender = broker.sender("target", { via: "via" });
    await sender.send(message("later", { scheduledEnqueueTime: inAMinute(clock), timeToLiveMs: 5000 }));
    const receiver = broker.receiver("target");
    expect(broker.getEntity("target")).toMatchObject({ scheduledMessageCount: 1, activeMessageCount: 0 });
    expect(await receiver.peek()).toMatchObject([{ state: "scheduled" }]);
    clock.advance(60_000);
    const [received] = await receiver.receive();
    expect(textOf(received)).toBe("later");
    expect(received!.enqueuedTime).toEqual(new Date(clock.now()));
    expect(received!.expiresAt).toEqual(new Date(clock.now() + 5000));
  });

  it("that a rule's action sets applies only in the entity to which the message is forwarded", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("target", { defaultMessageTimeToLiveMs: 5000 });
    await broker.createTopic("events");
    const action = `SET sys.ScheduledEnqueueTimeUtc = property('due')`;
    const rule = { name: "delay", filter: { type: "true" as const }, action: { expression: action } };
    await broker.createSubscription("events", "forwarding", { forwardTo: "target" }, rule);
    await broker.createSubscription("events", "keeping", {}, rule);
    await broker
      .sender("events")
      .send(message("later", { applicationProperties: { due: inAMinute(clock) } }));
    expect(textsOf(await broker.receiver("events/subscriptions/keeping").receive())).toEqual(["later"]);
    const receiver = broker.receiver("target");
    expect(await receiver.peek()).toMatchObject([{ state: "scheduled" }]);
    clock.advance(60_000);
    const [received] = await receiver.receive();
    expect(received!.enqueuedSequenceNumber).toBe(1n);
    expect(received!.expiresAt).toEqual(new Date(clock.now() + 5000));
  });
});
