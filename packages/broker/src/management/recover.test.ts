import { describe, expect, it } from "vitest";
import { openBroker } from "../client/broker.js";
import { codeOf, message, settleMicrotasks, textOf, textsOf } from "../fixture.test-support.js";
import type { WireDecoder } from "../messages/message.js";
import type { RuleDefinition } from "../rules/rule.js";
import { createDisk, type Disk, openDisk } from "../storage/restartable-storage.test-support.js";
import type { RecordVisitor } from "../storage/storage.js";
import { createManualClock, type ManualClock } from "../timing/clock.js";

const minuteMs = 60_000;

function openOn(disk: Disk, clock = createManualClock()) {
  return openBroker({ clock, storage: openDisk(disk) });
}

/** Runs `before` on a broker that is then closed, and returns one that recovered from its disk. */
async function restart(before: (broker: Awaited<ReturnType<typeof openOn>>) => Promise<void>, pauseMs = 0) {
  const disk = createDisk();
  const clock = createManualClock();
  const first = await openOn(disk, clock);
  await before(first);
  await first.close();
  clock.advance(pauseMs);
  return Object.assign(await openOn(disk, clock), { disk, manual: clock });
}

describe("openBroker", () => {
  it("restores messages with their properties, in order, with their sequence numbers", async () => {
    await using broker = await restart(async (first) => {
      await first.createQueue("orders", { maxDeliveryCount: 3 });
      const sender = first.sender("orders");
      await sender.send(
        message("a", {
          messageId: 5n,
          subject: "s",
          timeToLiveMs: 5000,
          applicationProperties: { n: 1, d: new Date(0) },
        }),
      );
      await sender.send(message("b"));
    });
    const [first, second] = await broker.receiver("orders").receive(2);
    expect(first).toMatchObject({
      messageId: 5n,
      subject: "s",
      timeToLiveMs: 5000,
      applicationProperties: { n: 1, d: new Date(0) },
      sequenceNumber: 1n,
    });
    expect(textOf(first)).toBe("a");
    expect(textOf(second)).toBe("b");
  });

  it("tells after every 100,000 messages how many it has loaded", async () => {
    const disk = createDisk();
    const first = await openOn(disk);
    await first.createQueue("orders");
    await first.sender("orders").send(message("a"));
    await first.close();
    const storage = openDisk(disk);
    const many = (visitor: RecordVisitor): RecordVisitor => ({
      ...visitor,
      message(storeId, sequence, record) {
        for (let copy = 0; copy < 200_001; copy++) visitor.message(storeId, sequence + copy, record);
      },
    });
    const loaded: number[] = [];
    const load = storage.load.bind(storage);
    const broker = await openBroker({
      storage: Object.assign(storage, { load: (visitor: RecordVisitor) => load(many(visitor)) }),
      onLoading: (count) => loaded.push(count),
    });
    await broker.close();
    expect(loaded).toEqual([100_000, 200_000]);
  });

  it("holds due messages in a front end's encoding until its decoder is there, if rules have to read them", async () => {
    const disk = createDisk();
    const clock = createManualClock();
    const wireDecoder: WireDecoder = (wire) => ({
      applicationProperties: { length: wire.byteLength },
      body: { section: "data", bytes: wire },
    });
    const rule: RuleDefinition = { name: "five", filter: { type: "sql", expression: "length = 5" } };
    const first = await openBroker({ clock, wireDecoder, storage: openDisk(disk) });
    await first.createTopic("news");
    await first.createSubscription("news", "sub", {}, rule);
    await first.createQueue("expiring", {
      deadLetteringOnMessageExpiration: true,
      forwardDeadLetteredMessagesTo: "news",
    });
    const wire = Buffer.from("12345");
    const scheduledEnqueueTime = new Date(clock.now() + minuteMs);
    await first.sender("news").schedule([{ wire, scheduledEnqueueTime, messageId: "scheduled" }]);
    await first.sender("expiring").send({ wire, timeToLiveMs: minuteMs, messageId: "expired" });
    await first.close();
    clock.advance(2 * minuteMs);

    await using broker = await openOn(disk, clock);
    expect(broker.getEntity("news/Subscriptions/sub").totalMessageCount).toBe(0);
    broker.setWireDecoder(wireDecoder);
    const received = await broker.receiver("news/Subscriptions/sub").receive(10);
    expect(received.map(({ messageId }) => messageId)).toEqual(["scheduled", "expired"]);
  });

  it("restores rules that were added, changed and removed, in order", async () => {
    await using broker = await restart(async (first) => {
      await first.createTopic("t");
      await first.createSubscription("t", "s");
      for (const name of ["a", "b", "c"]) {
        await first.createRule("t", "s", { name, filter: { type: "correlation", subject: name } });
      }
      await first.updateRule("t", "s", { name: "b", filter: { type: "sql", expression: "n = 1" } });
      await first.deleteRule("t", "s", "a");
      await first.deleteRule("t", "s", "$Default");
      await first.createSubscription("t", "gone");
      await first.createRule("t", "gone", { name: "x", filter: { type: "false" } });
      await first.deleteEntity("t/Subscriptions/gone");
    });
    const rules = broker.listRules("t", "s").map(({ name, filter }) => [name, filter.type]);
    expect(rules).toEqual([
      ["b", "sql"],
      ["c", "correlation"],
    ]);
    expect(broker.disk.tables.entities.size).toBe(4);
    await broker.createQueue("q");
    await broker.createRule("t", "s", { name: "d", filter: { type: "false" } });
    await broker.sender("t").send(message("x", { subject: "c" }));
    expect(broker.getEntity("t/Subscriptions/s").activeMessageCount).toBe(1);
    expect(broker.listRules("t", "s")).toHaveLength(3);
  });

  it("restores rules with the parameters of their filters and actions", async () => {
    const rule: RuleDefinition = {
      name: "large",
      filter: { type: "sql", expression: "amount > @limit", parameters: { limit: 5n } },
      action: { expression: "SET due = @due", parameters: { "@due": new Date(7) } },
    };
    await using broker = await restart(async (first) => {
      await first.createTopic("orders");
      await first.createSubscription("orders", "large", {}, rule);
      expect(first.listRules("orders", "large")).toMatchObject([rule]);
    });
    expect(broker.listRules("orders", "large")).toMatchObject([rule]);
    const sender = broker.sender("orders");
    for (const amount of [5, 6]) await sender.send(message("", { applicationProperties: { amount } }));
    const received = await broker.receiver("orders/Subscriptions/large").receive(2);
    expect(received.map(({ applicationProperties }) => applicationProperties)).toEqual([
      { amount: 6, due: new Date(7), RuleName: "large" },
    ]);
  });

  it("does not restore settled messages", async () => {
    await using broker = await restart(async (first) => {
      await first.createQueue("orders");
      await first.sender("orders").sendBatch([message("a"), message("b"), message("c")]);
      const receiver = first.receiver("orders");
      await receiver.complete((await receiver.receive())[0]!);
      await receiver.deadLetter((await receiver.receive())[0]!, { reason: "Poison" });
    });
    expect(textsOf(await broker.receiver("orders").peek(10))).toEqual(["c"]);
    expect((await broker.receiver("orders/$DeadLetterQueue").receive())[0]!.deadLetterReason).toBe("Poison");
  });

  it("discards locks and keeps delivery counts, deferred state and changed properties", async () => {
    await using broker = await restart(async (first) => {
      await first.createQueue("orders");
      await first.sender("orders").sendBatch([message("locked"), message("abandoned"), message("deferred")]);
      const receiver = first.receiver("orders");
      const [, second, third] = await receiver.receive(3);
      await receiver.abandon(second!, { colour: "blue" });
      await receiver.defer(third!);
    });
    const receiver = broker.receiver("orders");
    const received = await receiver.receive(10);
    expect(received.map((one) => [textOf(one), one.deliveryCount])).toEqual([
      ["locked", 0],
      ["abandoned", 1],
    ]);
    expect(received[1]!.applicationProperties).toEqual({ colour: "blue" });
    expect(textsOf(await receiver.receiveDeferred([3n]))).toEqual(["deferred"]);
  });

  it("keeps that a message was scheduled", async () => {
    await using broker = await restart(async (first) => {
      const clock = first.clock as ManualClock;
      await first.createQueue("orders");
      const scheduledEnqueueTime = new Date(clock.now() + minuteMs);
      await first.sender("orders").sendBatch([message("later", { scheduledEnqueueTime }), message("now")]);
      clock.advance(minuteMs);
    });
    const received = await broker.receiver("orders").receive(2);
    expect(received.map((one) => [textOf(one), one.state])).toEqual([
      ["now", "active"],
      ["later", "scheduled"],
    ]);
  });

  it("never uses a sequence number twice, even after all messages were removed", async () => {
    await using broker = await restart(async (first) => {
      await first.createQueue("orders");
      await first.sender("orders").sendBatch([message("a"), message("b")]);
      const receiver = first.receiver("orders", { mode: "receiveAndDelete" });
      await receiver.receive(2);
    });
    await broker.sender("orders").send(message("c"));
    expect((await broker.receiver("orders").receive())[0]!.sequenceNumber).toBe(3n);
  });

  it("activates and expires in order what became due while it was closed", async () => {
    await using broker = await restart(async (first) => {
      await first.createQueue("orders", { deadLetteringOnMessageExpiration: true });
      const sender = first.sender("orders");
      await sender.send(message("expired", { timeToLiveMs: 1000 }));
      const at = (ms: number) => ({ scheduledEnqueueTime: new Date(first.clock.now() + ms) });
      await sender.schedule([message("later", at(2 * minuteMs)), message("due", at(1000))]);
    }, minuteMs);
    expect(textsOf(await broker.receiver("orders/$DeadLetterQueue").peek(10))).toEqual(["expired"]);
    const receiver = broker.receiver("orders", { mode: "receiveAndDelete" });
    expect(textsOf(await receiver.receive(10))).toEqual(["due"]);
    broker.manual.advance(minuteMs);
    expect(textsOf(await receiver.receive(10))).toEqual(["later"]);
  });

  it("restores topics, subscriptions, their rules and shared bodies", async () => {
    await using broker = await restart(async (first) => {
      await first.createTopic("news");
      await first.createSubscription(
        "news",
        "red",
        {},
        {
          name: "red",
          filter: { type: "sql", expression: "colour = 'red'" },
        },
      );
      await first.createSubscription("news", "all", { lockDurationMs: 5000 });
      await first.sender("news").send(message("a", { applicationProperties: { colour: "red" } }));
    });
    await broker.sender("news").send(message("b"));
    const red = broker.receiver("news/subscriptions/red", { mode: "receiveAndDelete" });
    expect(textsOf(await red.receive(10))).toEqual(["a"]);
    expect(textsOf(await broker.receiver("news/subscriptions/all").receive(10))).toEqual(["a", "b"]);
    expect(broker.getEntity("news/subscriptions/all").options).toMatchObject({ lockDurationMs: 5000 });
    expect(broker.disk.tables.bodies.size).toBe(2);
  });

  it("restores session states without messages and discards session locks", async () => {
    await using broker = await restart(async (first) => {
      await first.createQueue("orders", { requiresSession: true });
      await first.sender("orders").send(message("a", { sessionId: "s1" }));
      const session = await first.acceptSession("orders", { sessionId: "s1" });
      await session.setState(new Uint8Array([1, 2]));
      await session.complete((await session.receive())[0]!);
    });
    await using session = await broker.acceptSession("orders", { sessionId: "s1" });
    expect(await session.getState()).toEqual(new Uint8Array([1, 2]));
  });

  it("keeps the duplicate detection window", async () => {
    await using broker = await restart(async (first) => {
      await first.createQueue("orders", { requiresDuplicateDetection: true });
      await first.sender("orders").send(message("a", { messageId: "m1" }));
    }, minuteMs);
    await broker.sender("orders").send(message("again", { messageId: "m1" }));
    expect(textsOf(await broker.receiver("orders").peek(10))).toEqual(["a"]);
    broker.manual.advance(9 * minuteMs);
    await broker.sender("orders").send(message("new", { messageId: "m1" }));
    expect(textsOf(await broker.receiver("orders").peek(10))).toEqual(["a", "new"]);
  });

  it("counts an entity's idle time from the opening on", async () => {
    await using broker = await restart(async (first) => {
      await first.createQueue("orders", { autoDeleteOnIdleMs: 5 * minuteMs });
    }, 60 * minuteMs);
    expect(broker.listEntities()).toHaveLength(1);
    broker.manual.advance(5 * minuteMs);
    expect(broker.listEntities()).toEqual([]);
  });

  it("restores nothing of deleted and purged entities", async () => {
    const { disk } = await restart(async (first) => {
      await first.createQueue("orders", { requiresDuplicateDetection: true, requiresSession: true });
      await first.sender("orders").send(message("a", { messageId: "m1", sessionId: "s" }));
      await (await first.acceptSession("orders", { sessionId: "s" })).setState(new Uint8Array(1));
      await first.deleteEntity("orders");
    });
    expect(Object.values(disk.tables).map((table) => table.size)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe("commit", () => {
  it("does not acknowledge an operation before it is durable", async () => {
    const disk = createDisk();
    const broker = await openOn(disk);
    await broker.createQueue("orders");
    disk.isStalled = true;
    let isAcknowledged = false;
    void broker
      .sender("orders")
      .send(message("a"))
      .then(() => {
        isAcknowledged = true;
      });
    await settleMicrotasks();
    expect(isAcknowledged).toBe(false);
    disk.isStalled = false;
    await using recovered = await openOn(disk);
    expect(await recovered.receiver("orders").peek(10)).toEqual([]);
  });

  it("stops the broker when the storage fails", async () => {
    const disk = createDisk();
    const broker = await openOn(disk);
    await broker.createQueue("orders");
    disk.failure = new Error("disk full");
    expect(await codeOf(broker.sender("orders").send(message("a")))).toBe("storage-failed");
    expect(() => broker.receiver("orders")).toThrow("its storage failed to commit");
  });

  it("rejects all pending calls when the storage fails", async () => {
    const disk = createDisk();
    const broker = await openOn(disk);
    for (const path of ["orders", "answers"]) await broker.createQueue(path);
    await broker.createQueue("carts", { requiresSession: true });
    const receiving = codeOf(broker.receiver("answers").receive());
    const accepting = codeOf(broker.acceptSession("carts"));
    disk.failure = new Error("disk full");
    await expect(broker.sender("orders").send(message("a"))).rejects.toThrow();
    expect([await receiving, await accepting]).toEqual(["storage-failed", "storage-failed"]);
  });
});

describe("receiveAndDelete", () => {
  it("delivers a message to a waiting receiver only after its deletion is durable", async () => {
    const disk = createDisk();
    await using broker = await openOn(disk);
    await broker.createQueue("orders");
    const receiving = broker.receiver("orders", { mode: "receiveAndDelete" }).receive();
    await broker.sender("orders").send(message("a"));
    expect(textsOf(await receiving)).toEqual(["a"]);
    expect(disk.tables.messages.size).toBe(0);
  });
});

describe("batches", () => {
  /** A storage that records the number of changes in each batch. */
  function openCounted(disk: Disk) {
    const batches: number[] = [];
    let changes = 0;
    const storage = openDisk(disk);
    const noting = new Proxy(storage, {
      get(target, name: keyof typeof storage) {
        if (name === "commit" && changes > 0) {
          batches.push(changes);
          changes = 0;
        } else if (/^(?:put|delete|release)/.test(name)) {
          changes++;
        }
        return target[name];
      },
    });
    return { batches, storage: noting };
  }

  it("have all changes of one operation, also of a transaction", async () => {
    const { batches, storage } = openCounted(createDisk());
    await using broker = await openBroker({ clock: createManualClock(), storage });
    await broker.createQueue("orders");
    await broker.createQueue("out");
    await broker.sender("orders").sendBatch([message("a"), message("b"), message("c")]);
    const receiver = broker.receiver("orders");
    const [first, second, third] = await receiver.receive(3);
    batches.length = 0;

    await receiver.deadLetter(first!);
    expect(batches.splice(0)).toEqual([2]);
    await receiver.complete(second!);
    expect(batches.splice(0)).toEqual([2]);

    const transaction = broker.beginTransaction();
    await receiver.complete(third!, transaction);
    await broker.sender("out").send(message("d"), transaction);
    batches.length = 0;
    await transaction.commit();
    expect(batches).toEqual([4]);
  });
});
