import { describe, expect, it } from "vitest";
import { openBroker } from "./client/broker.js";
import type { BrokerError } from "./errors/broker-error.js";
import { message, openFixture, textsOf } from "./fixture.test-support.js";
import { createDisk, openDisk } from "./storage/restartable-storage.test-support.js";
import { createManualClock } from "./timing/clock.js";

/** Defects that random histories found, as shrunk test cases. */

describe("time to live", () => {
  it("does not expire a deferred message by timer, even if it expired while it was locked", async () => {
    await using fixture = openFixture();
    const { clock, broker } = fixture;
    await broker.createQueue("q", { deadLetteringOnMessageExpiration: true });
    await broker
      .sender("q")
      .sendBatch([message("", { timeToLiveMs: 1_000 }), message("", { timeToLiveMs: 1_000 })]);
    const receiver = broker.receiver("q");
    const [first, second] = await receiver.receive(2);
    await receiver.defer(first!);
    clock.advance(2_000);
    await receiver.defer(second!);
    clock.advance(60_000);
    expect((await receiver.peek(2)).map(({ state }) => state)).toEqual(["deferred", "deferred"]);
  });
});

describe("schedule", () => {
  it("delivers a due message to waiting receivers at once", async () => {
    await using fixture = openFixture();
    const { clock, broker } = fixture;
    await broker.createQueue("q");
    const received = broker.receiver("q").receive(1, { maxWaitMs: 1 });
    await broker.sender("q").schedule([message("", { scheduledEnqueueTime: new Date(clock.now()) })]);
    expect((await received).map(({ sequenceNumber }) => sequenceNumber)).toEqual([1n]);
  });

  it("enqueues overdue messages in the order of scheduling", async () => {
    for (const isTimerDue of [false, true]) {
      await using fixture = openFixture();
      const { clock, broker } = fixture;
      await broker.createQueue("q");
      const sender = broker.sender("q");
      const transaction = broker.beginTransaction();
      const at = (delayMs: number) =>
        message(`${delayMs}`, { scheduledEnqueueTime: new Date(clock.now() + delayMs) });
      await sender.schedule([at(1_000)], transaction);
      await sender.schedule([at(1)], transaction);
      if (isTimerDue) await sender.send(message("expires", { timeToLiveMs: 5_000 }));
      clock.advance(5_000);
      await transaction.commit();
      await sender.schedule([at(-1), at(-2)]);
      expect(textsOf(await broker.receiver("q").receive(4))).toEqual(["1000", "1", "-1", "-2"]);
    }
  });
});

describe("dead-letter forwarding", () => {
  it("forwards messages that are dead-lettered on arrival", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("graveyard");
    await broker.createTopic("t");
    const options = { requiresSession: true, forwardDeadLetteredMessagesTo: "graveyard" };
    await broker.createSubscription("t", "s", options);
    await broker.sender("t").send(message(""));
    const [dead] = await broker.receiver("graveyard").receive();
    expect([dead?.deadLetterReason, dead?.deadLetterSource]).toEqual([
      "Session ID is null",
      "t/Subscriptions/s",
    ]);
  });

  it("can return a session's last message to the session that is just expiring", async () => {
    await using fixture = openFixture();
    const { clock, broker } = fixture;
    await broker.createQueue("around");
    await broker.createQueue("q", { requiresSession: true, maxDeliveryCount: 1 });
    await broker.updateEntity("q", { forwardDeadLetteredMessagesTo: "around" });
    await broker.updateEntity("around", { forwardTo: "q" });
    await broker.sender("q").send(message("", { sessionId: "s" }));
    await (await broker.acceptSession("q")).receive();
    clock.advance(60_000);
    const session = await broker.acceptSession("q", { maxWaitMs: 0 });
    expect([session.sessionId, (await session.receive()).length]).toEqual(["s", 1]);
  });
});

describe("a partitioned queue", () => {
  const sendToPartitions = async ({ broker }: ReturnType<typeof openFixture>) => {
    await broker.createQueue("q", { enablePartitioning: true });
    await broker.sender("q").send(message("first", { partitionKey: "p0" }));
    await broker.sender("q").send(message("second", { partitionKey: "p1" }));
    // The partition of the second precedes that of the first, so its number is lower.
    expect(textsOf(await broker.receiver("q").peek(2))).toEqual(["second", "first"]);
  };

  it("forwards waiting messages in the order of their arrival when forwarding is set", async () => {
    await using fixture = openFixture();
    await sendToPartitions(fixture);
    await fixture.broker.createQueue("target");
    await fixture.broker.updateEntity("q", { forwardTo: "target" });
    expect(textsOf(await fixture.broker.receiver("target").receive(2))).toEqual(["first", "second"]);
  });

  it("deletes a batch of the oldest messages of all partitions", async () => {
    await using fixture = openFixture();
    await sendToPartitions(fixture);
    const receiver = fixture.broker.receiver("q");
    expect(await receiver.deleteBatch(1)).toBe(1);
    expect(textsOf(await receiver.receive(2))).toEqual(["second"]);
  });
});

describe("transaction", () => {
  it("settles each message once", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("q");
    await broker.sender("q").send(message(""));
    const receiver = broker.receiver("q");
    const [received] = await receiver.receive();
    const transaction = broker.beginTransaction();
    await receiver.complete(received!, transaction);
    await expect(receiver.abandon(received!, {}, transaction)).rejects.toMatchObject({
      code: "message-lock-lost",
    });
    await transaction.commit();
    expect(broker.getEntity("q").totalMessageCount).toBe(0);
  });

  it("does not send to an entity that was deleted and created again meanwhile", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("q");
    const transaction = broker.beginTransaction();
    await broker.sender("q").send(message(""), transaction);
    await broker.deleteEntity("q");
    await broker.createQueue("q");
    await expect(transaction.commit()).rejects.toMatchObject({ code: "entity-not-found" });
    expect(transaction.state).toBe("rolled-back");
  });
});

describe("consumer", () => {
  it("without credit ends at its next grant after receiving was disabled", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    const reasons: unknown[] = [];
    for (const name of ["deleted", "disabled", "forwarding"]) {
      await broker.createQueue(name);
      const received: string[] = [];
      const consumer = broker.receiver(name).consume({
        onMessage: () => received.push(name),
        onClosed: (error) => reasons.push((error as BrokerError).code),
      });
      if (name === "deleted") {
        await broker.deleteEntity(name);
        await broker.createQueue(name);
      } else if (name === "disabled") await broker.updateEntity(name, { status: "ReceiveDisabled" });
      else await broker.updateEntity(name, { forwardTo: "deleted" });
      await broker.sender(name).send(message(""));
      consumer.grant(1);
      expect([received, consumer.isClosed, consumer.credit]).toEqual([[], true, 0]);
    }
    expect(reasons).toEqual(["entity-not-found", "entity-disabled", "not-allowed"]);
  });
});

describe("openBroker", () => {
  it("expires overdue messages in the order of their due times", async () => {
    const clock = createManualClock();
    const disk = createDisk();
    {
      await using broker = await openBroker({ clock, storage: openDisk(disk) });
      await broker.createQueue("q", { deadLetteringOnMessageExpiration: true });
      await broker.createQueue("graveyard");
      await broker.updateEntity("q", { forwardDeadLetteredMessagesTo: "graveyard" });
      await broker.sender("q").send(message("", { subject: "late", timeToLiveMs: 3_000 }));
      await broker.sender("q").send(message("", { subject: "early", timeToLiveMs: 1_000 }));
    }
    clock.advance(5_000);
    await using broker = await openBroker({ clock, storage: openDisk(disk) });
    const dead = await broker.receiver("graveyard").receive(2);
    expect(dead.map(({ subject }) => subject)).toEqual(["early", "late"]);
  });

  it("lists entities in order of creation and keeps the session state of sessions without messages", async () => {
    const clock = createManualClock();
    const disk = createDisk();
    {
      await using broker = await openBroker({ clock, storage: openDisk(disk) });
      await broker.createTopic("t");
      await broker.createSubscription("t", "s", { requiresSession: true });
      await broker.createQueue("q");
      await (await broker.acceptSession("t/Subscriptions/s", { sessionId: "a" })).setState(Uint8Array.of(7));
    }
    await using broker = await openBroker({ clock, storage: openDisk(disk) });
    expect(broker.listEntities().map(({ path }) => path)).toEqual(["t", "t/Subscriptions/s", "q"]);
    expect([broker.entityPaths(), broker.entityPaths("topic")]).toEqual([
      ["t", "t/Subscriptions/s", "q"],
      ["t"],
    ]);
    const session = await broker.acceptSession("t/Subscriptions/s", { sessionId: "a" });
    expect(await session.getState()).toEqual(Uint8Array.of(7));
  });
});
