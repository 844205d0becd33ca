import { describe, expect, it } from "vitest";
import type { BrokerSender } from "../client/sender.js";
import { codeOf, message, openFixture, textsOf } from "../fixture.test-support.js";
import type { BrokerEvent } from "../messages/broker-event.js";
import type { BrokerMessage, MessageBody } from "../messages/message.js";

const minuteMs = 60_000;

describe("createQueue", () => {
  it("returns the description of the queue", async () => {
    await using fixture = openFixture();
    const description = await fixture.broker.createQueue("a/b/orders", { maxDeliveryCount: 3 });
    expect(description).toMatchObject({
      kind: "queue",
      path: "a/b/orders",
      createdAt: new Date(fixture.clock.now()),
      totalMessageCount: 0,
    });
    expect(description.options.maxDeliveryCount).toBe(3);
  });

  it("refuses the name of another queue or topic in any letter case", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("news");
    expect(await codeOf(fixture.broker.createQueue("NEWS"))).toBe("entity-already-exists");
    expect(await codeOf(fixture.broker.createSubscription("nowhere", "s"))).toBe("entity-not-found");
    await fixture.broker.createSubscription("news", "s");
    expect(await codeOf(fixture.broker.createSubscription("News", "S"))).toBe("entity-already-exists");
  });

  it.each(["", "a b", "/a", "a/", "a//b", "-a", "x".repeat(261), "a$b"])(
    "refuses the name '%s'",
    async (name) => {
      await using fixture = openFixture();
      expect(await codeOf(fixture.broker.createQueue(name))).toBe("argument-error");
    },
  );

  it("refuses a path of more than 260 characters", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("q".repeat(260));
    await fixture.broker.createTopic("t".repeat(260));
    expect(await codeOf(fixture.broker.createQueue("q".repeat(261)))).toBe("argument-error");
    expect(await codeOf(fixture.broker.createTopic("t".repeat(261)))).toBe("argument-error");
  });

  it("refuses a subscription name of more than 50 characters or with a slash", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("news");
    expect(await codeOf(fixture.broker.createSubscription("news", "x".repeat(51)))).toBe("argument-error");
    expect(await codeOf(fixture.broker.createSubscription("news", "a/b"))).toBe("argument-error");
  });
});

describe("updateEntity", () => {
  it("changes the given properties and keeps the others", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { maxDeliveryCount: 3 });
    fixture.clock.advance(1000);
    const description = await fixture.broker.updateEntity("Orders", {
      lockDurationMs: 5000,
      userMetadata: "x",
    });
    expect(description.options).toMatchObject({
      maxDeliveryCount: 3,
      lockDurationMs: 5000,
      userMetadata: "x",
    });
    expect(description.updatedAt.getTime() - description.createdAt.getTime()).toBe(1000);
  });

  it("switches enableExpress, and removes what may be absent", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { userMetadata: "note" });
    const { options } = await fixture.broker.updateEntity("orders", { enableExpress: true });
    expect(options).toMatchObject({ enableExpress: true, userMetadata: "note" });
    const cleared = await fixture.broker.updateEntity("orders", { userMetadata: undefined });
    expect(cleared.options.userMetadata).toBeUndefined();
  });

  it("names the property that cannot be changed like the service", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createQueue("orders");
    await broker.createTopic("news");
    await broker.createSubscription("news", "all");
    const sessions = { requiresSession: true };
    await expect(broker.updateEntity("orders", sessions)).rejects.toThrow(
      "The value for the RequiresSession property of an existing Queue cannot be changed",
    );
    await expect(broker.updateEntity("news/Subscriptions/all", sessions)).rejects.toThrow(
      "The value for the RequiresSession property of an existing Subscription cannot be changed",
    );
    await expect(broker.updateEntity("news", { enablePartitioning: true })).rejects.toThrow(
      "Partitioning cannot be changed for Topic. ",
    );
    await expect(broker.updateEntity("orders", { lockDurationMs: 25 * 86_400_000 })).rejects.toMatchObject({
      code: "argument-error",
      property: { name: "lockDurationMs", value: 25 * 86_400_000, range: [5000, 300_000] },
    });
  });

  it.each(["requiresSession", "requiresDuplicateDetection", "enablePartitioning"])(
    "refuses to change %s, which is fixed at creation",
    async (name) => {
      await using fixture = openFixture();
      await fixture.broker.createQueue("orders");
      await fixture.broker.updateEntity("orders", { [name]: false });
      expect(await codeOf(fixture.broker.updateEntity("orders", { [name]: true }))).toBe("not-allowed");
    },
  );

  it("shows the quota of all partitions, and takes it back", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    const { options } = await broker.createQueue("orders", {
      enablePartitioning: true,
      maxSizeInMegabytes: 3072,
    });
    expect(options).toMatchObject({ maxSizeInMegabytes: 49_152 });
    const topic = await broker.createTopic("news", { enablePartitioning: true });
    expect(topic.options).toMatchObject({ maxSizeInMegabytes: 16_384, supportOrdering: false });
    const same = await broker.updateEntity("orders", { maxSizeInMegabytes: 49_152 });
    expect(same.options).toMatchObject({ maxSizeInMegabytes: 49_152 });
    const changed = await broker.updateEntity("orders", { maxSizeInMegabytes: 2048 });
    expect(changed.options).toMatchObject({ maxSizeInMegabytes: 32_768 });
    const { options: whole } = await broker.createQueue("imported", options);
    expect(whole).toEqual(options);
  });

  it("replaces authorization rules, and refuses invalid ones without showing their keys", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    const rule = {
      keyName: "app",
      rights: ["Send"],
      primaryKey: "secret-1",
      secondaryKey: "secret-2",
    } as const;
    await broker.createQueue("orders", { authorizationRules: [rule] });
    expect([...broker.authorizationRules()]).toEqual([["orders", rule]]);
    const twice = broker.updateEntity("orders", { authorizationRules: [rule, rule] });
    await expect(twice).rejects.toThrow(/^(?!.*secret).*authorizationRules of 'orders'.*unique names/);
    expect(await codeOf(broker.createTopic("news", { authorizationRules: [{ ...rule, rights: [] }] }))).toBe(
      "argument-error",
    );
    await broker.updateEntity("orders", { authorizationRules: [] });
    expect([...broker.authorizationRules()]).toEqual([]);
  });

  it("ignores undefined, except that it ends forwarding", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("target");
    await fixture.broker.createQueue("orders", { forwardTo: "target", maxDeliveryCount: 3 });
    const update = { forwardTo: undefined, maxDeliveryCount: undefined } as object;
    const { options } = await fixture.broker.updateEntity("orders", update);
    expect(options).toMatchObject({ forwardTo: undefined, maxDeliveryCount: 3 });
    await fixture.broker.sender("orders").send(message("a"));
    expect(textsOf(await fixture.broker.receiver("orders").receive())).toEqual(["a"]);
  });

  it("does not find an unknown entity", async () => {
    await using fixture = openFixture();
    expect(await codeOf(fixture.broker.updateEntity("orders", {}))).toBe("entity-not-found");
    expect(() => fixture.broker.getEntity("orders")).toThrow("could not be found");
  });
});

describe("deleteEntity", () => {
  it("removes the entity with its messages and ends pending receive calls", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const sender = fixture.broker.sender("orders");
    const receiver = fixture.broker.receiver("orders");
    const waiting = codeOf(receiver.receive());
    await fixture.broker.deleteEntity("orders");
    expect(await waiting).toBe("entity-not-found");
    expect(await codeOf(sender.send(message("a")))).toBe("entity-not-found");
    expect(await codeOf(receiver.receive())).toBe("entity-not-found");
    await fixture.broker.createQueue("orders");
    await sender.send(message("b"));
    expect(textsOf(await receiver.receive())).toEqual(["b"]);
  });

  it("removes a topic's subscriptions with it", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("news");
    await fixture.broker.createSubscription("news", "sub");
    const waiting = codeOf(fixture.broker.receiver("news/subscriptions/sub").receive());
    await fixture.broker.deleteEntity("news");
    expect(await waiting).toBe("entity-not-found");
    expect(fixture.broker.listEntities()).toEqual([]);
  });
});

describe("getEntity", () => {
  it("counts messages by state and sub-queue", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const sender = fixture.broker.sender("orders");
    await sender.sendBatch(["a", "b", "c", "d"].map((text) => message(text)));
    await sender.schedule([message("e", { scheduledEnqueueTime: new Date(fixture.clock.now() + 1000) })]);
    const receiver = fixture.broker.receiver("orders");
    const [first, second] = await receiver.receive(3);
    await receiver.deadLetter(first!);
    await receiver.defer(second!);
    const counts = fixture.broker.getEntity("orders");
    expect(counts).toMatchObject({
      activeMessageCount: 2,
      deferredMessageCount: 1,
      scheduledMessageCount: 1,
      deadLetterMessageCount: 1,
      transferMessageCount: 0,
      transferDeadLetterMessageCount: 0,
      totalMessageCount: 5,
    });
    expect(counts.sizeInBytes).toBeGreaterThan(5);
  });

  it("counts what has arrived, also what has left since: sent, forwarded and due messages, each once", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    await broker.createQueue("orders");
    await broker.createQueue("inbox", { forwardTo: "orders" });
    const arrived = () => broker.getEntity("orders").arrivedMessageCount;
    await broker.sender("orders").sendBatch(["a", "b"].map((text) => message(text)));
    await broker.sender("inbox").send(message("c"));
    const due = new Date(clock.now() + 1000);
    await broker.sender("orders").schedule([message("d", { scheduledEnqueueTime: due })]);
    expect(arrived()).toBe(3);
    const receiver = broker.receiver("orders");
    const [first, second, third] = await receiver.receive(3);
    await receiver.complete(first!);
    await receiver.abandon(second!);
    await receiver.deadLetter(third!);
    clock.advance(1000);
    expect(arrived()).toBe(4);
    expect(broker.getEntity("orders").activeMessageCount).toBe(2);
  });

  it("returns when the entity was last used", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    fixture.clock.advance(1000);
    await fixture.broker.sender("orders").send(message("a"));
    expect(fixture.broker.getEntity("orders").accessedAt.getTime()).toBe(fixture.clock.now());
  });
});

describe("listSubscriptions", () => {
  it("lists those of one topic, in order of creation, and none of a queue", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    for (const topic of ["news", "news2"]) await fixture.broker.createTopic(topic);
    for (const name of ["b", "a"]) await fixture.broker.createSubscription("news", name);
    await fixture.broker.createSubscription("news2", "c");
    const names = fixture.broker.listSubscriptions("NEWS").map(({ topic, name }) => `${topic} ${name}`);
    expect(names).toEqual(["news b", "news a"]);
    expect(fixture.broker.listSubscriptions("orders")).toEqual([]);
    expect(() => fixture.broker.listSubscriptions("nowhere")).toThrow("could not be found");
  });
});

describe("status", () => {
  it.each([
    ["Disabled", "entity-disabled", "entity-disabled"],
    ["SendDisabled", "entity-disabled", undefined],
    ["ReceiveDisabled", undefined, "entity-disabled"],
  ] as const)("%s refuses the operations of its name", async (status, onSend, onReceive) => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const sender = fixture.broker.sender("orders");
    await sender.send(message("a"));
    await fixture.broker.updateEntity("orders", { status });
    const outcome = (promise: Promise<unknown>) =>
      promise.then(
        () => undefined,
        (error) => error.code,
      );
    expect(await outcome(sender.send(message("b")))).toBe(onSend);
    expect(await outcome(fixture.broker.receiver("orders").receive())).toBe(onReceive);
    await fixture.broker.updateEntity("orders", { status: "Active" });
    await sender.send(message("c"));
  });

  it("ends pending receive calls when receiving is disabled", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const waiting = codeOf(fixture.broker.receiver("orders").receive());
    await fixture.broker.updateEntity("orders", { status: "ReceiveDisabled" });
    expect(await waiting).toBe("entity-disabled");
  });
});

/** Sends a message repeatedly until the quota is used up; returns how often. */
async function sendUntilRefused(sender: BrokerSender, one: BrokerMessage): Promise<number> {
  for (let sent = 0; ; sent++) {
    const code = await sender.send(one).then(() => undefined, codeOfError);
    if (code === undefined) continue;
    expect(code).toBe("quota-exceeded");
    return sent;
  }
}

const codeOfError = (error: { readonly code?: unknown }) => error.code;

describe("quota", () => {
  it("counts the broker's overhead for a message of any size", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { maxSizeInMegabytes: 1 });
    const sender = fixture.broker.sender("orders");
    const sent = await sendUntilRefused(sender, message(""));
    expect(sent).toBeGreaterThan(1000);
    expect(sent * 512).toBeLessThanOrEqual(2 ** 20);
    const { sizeInBytes } = fixture.broker.getEntity("orders");
    expect(sizeInBytes).toBeLessThan(sent * 100);
  });

  it("counts changes by settlements and rules", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("news", { maxSizeInMegabytes: 1 });
    const copying = {
      name: "copy",
      filter: { type: "true" },
      action: { expression: "SET copy = a + a" },
    } as const;
    await fixture.broker.createSubscription("news", "s", {}, copying);
    const sender = fixture.broker.sender("news");
    const large = { ...message(""), applicationProperties: { a: "x".repeat(30_000) } };
    const sent = await sendUntilRefused(sender, large);
    expect(sent).toBeLessThan(2 ** 20 / 90_000 + 2);
  });

  it("counts pending sends of transactions while they are pending", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { maxSizeInMegabytes: 1 });
    const sender = fixture.broker.sender("orders");
    const big = message("x".repeat(400 * 1024));
    const transaction = fixture.broker.beginTransaction();
    await sender.send(big, transaction);
    await sender.send(big, transaction);
    expect(await codeOf(sender.send(big, transaction))).toBe("quota-exceeded");
    expect(await codeOf(sender.send(big))).toBe("quota-exceeded");
    await transaction.rollBack();
    await sender.send(big);
    const other = fixture.broker.beginTransaction();
    await sender.send(big, other);
    await other.commit();
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(2);
    expect(await codeOf(sender.send(big))).toBe("quota-exceeded");
  });

  it("refuses a message that does not fit, and accepts it after others were removed", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { maxSizeInMegabytes: 1 });
    const sender = fixture.broker.sender("orders");
    const big = message("x".repeat(600 * 1024));
    await sender.send(big);
    expect(await codeOf(sender.send(big))).toBe("quota-exceeded");
    expect(await codeOf(sender.sendBatch([message("a"), big]))).toBe("quota-exceeded");
    const receiver = fixture.broker.receiver("orders", { mode: "receiveAndDelete" });
    await receiver.receive();
    expect(await codeOf(sender.sendBatch([big, big]))).toBe("quota-exceeded");
    await sender.send(big);
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(1);
  });

  it("refuses a message above the entity's maximum size, including properties", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { maxMessageSizeInKilobytes: 1 });
    const sender = fixture.broker.sender("orders");
    await sender.send(message("x".repeat(900)));
    expect(await codeOf(sender.send(message("x".repeat(1025))))).toBe("message-size-exceeded");
    const applicationProperties = { big: "x".repeat(200) };
    expect(await codeOf(sender.send(message("x".repeat(900), { applicationProperties })))).toBe(
      "message-size-exceeded",
    );
  });

  it("refuses application properties of more than 64 KB together", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const sender = fixture.broker.sender("orders");
    const half = "x".repeat(2 ** 15);
    await sender.send(message("a", { applicationProperties: { half } }));
    expect(await codeOf(sender.send(message("b", { applicationProperties: { half, other: half } })))).toBe(
      "message-size-exceeded",
    );
    const receiver = fixture.broker.receiver("orders");
    const [received] = await receiver.receive();
    expect(await codeOf(receiver.abandon(received!, { other: half }))).toBe("message-size-exceeded");
    await receiver.abandon(received!, { half: "", other: half });
  });

  it("refuses keys of more than 128 characters and a partition key that contradicts the session", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const sender = fixture.broker.sender("orders");
    for (const name of ["messageId", "sessionId", "partitionKey", "replyToSessionId"]) {
      expect(await codeOf(sender.send(message("a", { [name]: "x".repeat(129) })))).toBe("argument-error");
    }
    expect(await codeOf(sender.send(message("a", { sessionId: "s", partitionKey: "p" })))).toBe(
      "not-allowed",
    );
    expect(await codeOf(sender.send(message("a", { timeToLiveMs: -1 })))).toBe("argument-error");
    expect(await codeOf(sender.send({}))).toBe("argument-error");
    for (const name of ["messageId", "sessionId", "subject", "to", "contentType"]) {
      expect(await codeOf(sender.send(message("a", { [name]: { no: "text" } })))).toBe("argument-error");
    }
    let deep: unknown[] = [];
    for (let depth = 0; depth < 2500; depth++) deep = [deep];
    expect(await codeOf(sender.send({ body: { section: "value", value: deep } }))).toBe("argument-error");
    for (const value of [() => {}, Symbol("x"), { nested: () => {} }, deep, new SharedArrayBuffer(1)]) {
      const bad = message("b", { applicationProperties: { value: value as object } });
      expect(await codeOf(sender.sendBatch([message("a"), bad]))).toBe("argument-error");
    }
    const notBytes = { section: "data", bytes: "text" } as unknown as MessageBody;
    expect(await codeOf(sender.send({ body: notBytes }))).toBe("argument-error");
    const notList = { section: "sequence", value: "text" } as unknown as MessageBody;
    expect(await codeOf(sender.send({ body: notList }))).toBe("argument-error");
    for (const id of [Number.NaN, 1.5, -1, -1n, 2n ** 64n]) {
      expect(await codeOf(sender.send(message("a", { messageId: id })))).toBe("argument-error");
      expect(await codeOf(sender.send(message("a", { correlationId: id })))).toBe("argument-error");
    }
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
    const scheduledEnqueueTime = new Date(Number.NaN);
    expect(await codeOf(sender.send(message("a", { scheduledEnqueueTime })))).toBe("argument-error");
    expect(await codeOf(sender.send({ body: { section: "value", value: () => {} } }))).toBe("argument-error");
  });
});

describe("a topic", () => {
  it("has at most 2,000 subscriptions", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("news");
    for (let i = 0; i < 2000; i++) await fixture.broker.createSubscription("news", `s${i}`);
    expect(await codeOf(fixture.broker.createSubscription("news", "more"))).toBe("quota-exceeded");
    await fixture.broker.deleteEntity("news/subscriptions/s0");
    await fixture.broker.createSubscription("news", "more");
  });
});

describe("auto-delete on idle", () => {
  it("deletes an entity that was unused for the duration", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { autoDeleteOnIdleMs: 5 * minuteMs });
    const sender = fixture.broker.sender("orders");
    await sender.send(message("a"));
    fixture.clock.advance(4 * minuteMs);
    await sender.send(message("b"));
    fixture.clock.advance(5 * minuteMs - 1);
    expect(fixture.broker.listEntities()).toHaveLength(1);
    fixture.clock.advance(1);
    expect(fixture.broker.listEntities()).toEqual([]);
  });

  it("counts waiting receivers and scheduled messages as use", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("waited", { autoDeleteOnIdleMs: 5 * minuteMs });
    await fixture.broker.createQueue("scheduled", { autoDeleteOnIdleMs: 5 * minuteMs });
    void fixture.broker.receiver("waited").receive(1, { maxWaitMs: 12 * minuteMs });
    const scheduledEnqueueTime = new Date(fixture.clock.now() + 12 * minuteMs);
    await fixture.broker.sender("scheduled").schedule([message("a", { scheduledEnqueueTime })]);
    fixture.clock.advance(11 * minuteMs);
    expect(fixture.broker.listEntities()).toHaveLength(2);
    fixture.clock.advance(20 * minuteMs);
    expect(fixture.broker.listEntities()).toEqual([]);
  });

  it("counts use of a topic's subscriptions as use of the topic", async () => {
    await using fixture = openFixture();
    const { broker, clock } = fixture;
    const createTopic = async (path: string) => {
      await broker.createTopic(path, { autoDeleteOnIdleMs: 5 * minuteMs });
      await broker.createSubscription(path, "all");
      return broker.receiver(`${path}/subscriptions/all`);
    };
    const peeked = await createTopic("peeked");
    const waited = await createTopic("waited");
    await createTopic("idle");
    void waited.receive(1, { maxWaitMs: 8 * minuteMs });
    clock.advance(4 * minuteMs);
    await peeked.peek();
    clock.advance(4 * minuteMs);
    expect(broker.listEntities().map(({ path }) => path)).toEqual([
      "peeked",
      "peeked/Subscriptions/all",
      "waited",
      "waited/Subscriptions/all",
    ]);
    clock.advance(6 * minuteMs);
    expect(broker.listEntities()).toEqual([]);
  });
});

describe("partitioned entity", () => {
  it("has its quota in every partition", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { enablePartitioning: true, maxSizeInMegabytes: 1 });
    const sender = fixture.broker.sender("orders");
    const quarter = "x".repeat(249_000);
    for (let i = 0; i < 67; i++) await sender.send(message(quarter));
    expect(await codeOf(sender.send(message(quarter)))).toBe("quota-exceeded");
  });

  it("has the partition in the upper 16 bits of sequence numbers, without gaps in each partition", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { enablePartitioning: true });
    const sender = fixture.broker.sender("orders");
    for (let i = 0; i < 8; i++) await sender.send(message(`${i}`, { partitionKey: `key ${i % 4}` }));
    const receiver = fixture.broker.receiver("orders");
    const received = await receiver.receive(10);
    expect(textsOf(received)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
    expect(received.map((one) => Number(one.sequenceNumber & 0xffff_ffff_ffffn))).toEqual([
      1, 1, 1, 1, 2, 2, 2, 2,
    ]);
    const partitions = received.map((one) => Number(one.sequenceNumber >> 48n));
    expect(partitions.slice(0, 4)).toEqual(partitions.slice(4));
    expect(partitions).toEqual(received.map((one) => one.partitionId));
    expect(new Set(partitions).size).toBeGreaterThan(1);
    for (const one of received) await receiver.complete(one.lockToken!);
    expect(await receiver.peek()).toEqual([]);
  });

  it("peeks in the order of sequence numbers, so that peeking can continue after the last", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { enablePartitioning: true });
    const sender = fixture.broker.sender("orders");
    for (let i = 0; i < 300; i++) await sender.send(message(`${i}`, { partitionKey: `key ${i % 7}` }));
    const receiver = fixture.broker.receiver("orders");
    const seen: bigint[] = [];
    for (let from = 0n; ; from = seen.at(-1)! + 1n) {
      const page = await receiver.peek(50, { fromSequenceNumber: from });
      if (page.length === 0) break;
      seen.push(...page.map((one) => one.sequenceNumber));
    }
    expect(seen).toHaveLength(300);
    expect(seen).toEqual([...seen].sort((a, b) => (a < b ? -1 : 1)));
  });
});

describe("purge", () => {
  it("removes messages in every state and returns their number", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const sender = fixture.broker.sender("orders");
    await sender.sendBatch([message("a"), message("b"), message("c")]);
    await sender.schedule([message("d", { scheduledEnqueueTime: new Date(fixture.clock.now() + 1000) })]);
    const receiver = fixture.broker.receiver("orders");
    const [first, second] = await receiver.receive(2);
    await receiver.defer(first!);
    expect(await fixture.broker.purge("orders")).toBe(4);
    expect(await codeOf(receiver.complete(second!))).toBe("message-lock-lost");
    fixture.clock.advance(minuteMs);
    expect(fixture.broker.getEntity("orders")).toMatchObject({ totalMessageCount: 0, sizeInBytes: 0 });
    await sender.send(message("e"));
    expect(textsOf(await receiver.receive(10))).toEqual(["e"]);
  });
});

describe("deleteBatch", () => {
  it("deletes the oldest active messages that were enqueued before a time", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const sender = fixture.broker.sender("orders");
    await sender.sendBatch(["a", "b", "c"].map((text) => message(text)));
    fixture.clock.advance(1000);
    await sender.send(message("d"));
    const receiver = fixture.broker.receiver("orders");
    const [locked] = await receiver.receive();
    expect(await receiver.deleteBatch(1, { enqueuedBefore: new Date(fixture.clock.now()) })).toBe(1);
    expect(await receiver.deleteBatch(10, { enqueuedBefore: new Date(fixture.clock.now()) })).toBe(1);
    expect(await receiver.deleteBatch(10, { enqueuedBefore: new Date(fixture.clock.now()) })).toBe(0);
    await receiver.abandon(locked!);
    expect(textsOf(await receiver.receive(10))).toEqual(["a", "d"]);
  });
});

describe("reset", () => {
  it("empties every entity and keeps entities, rules, counters and waiting receivers", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { requiresDuplicateDetection: true });
    await fixture.broker.createQueue("sessions", { requiresSession: true });
    const sender = fixture.broker.sender("orders");
    await sender.send(message("a", { messageId: "m" }));
    const session = await fixture.broker.acceptSession("sessions", { sessionId: "s" });
    await session.setState(new Uint8Array(1));
    await fixture.broker.reset();
    expect(await codeOf(session.getState())).toBe("session-lock-lost");
    expect(
      await (await fixture.broker.acceptSession("sessions", { sessionId: "s" })).getState(),
    ).toBeUndefined();
    const waiting = fixture.broker.receiver("orders").receive();
    await fixture.broker.reset();
    await sender.send(message("b", { messageId: "m" }));
    const [received] = await waiting;
    expect(received!.sequenceNumber).toBe(2n);
  });
});

describe("snapshot", () => {
  it("shows entities, messages with their locks, and sessions", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { requiresSession: true });
    await fixture.broker.createQueue("empty");
    await fixture.broker.sender("orders").send(message("a", { sessionId: "s", messageId: "m1" }));
    const session = await fixture.broker.acceptSession("orders", { sessionId: "s" });
    await session.receive();
    const snapshot = fixture.broker.snapshot();
    expect(snapshot.entities.map(({ path }) => path)).toEqual(["orders", "empty"]);
    expect(snapshot.stores).toHaveLength(1);
    const [store] = snapshot.stores;
    expect(store!.messages[0]).toMatchObject({ isLocked: true, lockedUntil: session.lockedUntil });
    expect(store!.messages[0]!.message.messageId).toBe("m1");
    expect(store!.sessions).toEqual([
      { sessionId: "s", messageCount: 1, hasState: false, isLocked: true, lockedUntil: session.lockedUntil },
    ]);
  });
});

describe("onEvent", () => {
  it("reports the events of each message, in order, until it is removed", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", { maxDeliveryCount: 2 });
    const events: BrokerEvent[] = [];
    const stop = fixture.broker.onEvent((event) => events.push(event));
    await fixture.broker.sender("orders").send(message("a", { messageId: "m1" }));
    const receiver = fixture.broker.receiver("orders");
    await receiver.abandon((await receiver.receive())[0]!);
    await receiver.receive();
    fixture.clock.advance(minuteMs);
    stop();
    await fixture.broker.purge("orders/$DeadLetterQueue");
    expect(events.map(({ type }) => type)).toEqual([
      "enqueued",
      "delivered",
      "abandoned",
      "delivered",
      "lock-expired",
      "dead-lettered",
    ]);
    expect(events.at(-1)).toEqual({
      type: "dead-lettered",
      entity: "orders",
      at: new Date(fixture.clock.now()),
      sequenceNumber: 1n,
      messageId: "m1",
      sessionId: undefined,
      detail: "MaxDeliveryCountExceeded",
    });
  });
});
