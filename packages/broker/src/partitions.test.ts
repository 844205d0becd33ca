import { describe, expect, it } from "vitest";
import { openBroker } from "./client/broker.js";
import { codeOf, message, openFixture, textsOf } from "./fixture.test-support.js";
import type { BrokerMessage } from "./messages/message.js";
import type { BrokerReceivedMessage } from "./messages/received-message.js";
import { createDisk, openDisk } from "./storage/restartable-storage.test-support.js";
import { createManualClock } from "./timing/clock.js";

const lastNumber = 2 ** 48 - 1;

/** A broker with a partitioned queue `orders`. */
async function openOrders(options: { requiresDuplicateDetection?: boolean; requiresSession?: boolean } = {}) {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders", { enablePartitioning: true, ...options });
  return { ...fixture, sender: fixture.broker.sender("orders"), receiver: fixture.broker.receiver("orders") };
}

const numberOf = ({ sequenceNumber }: BrokerReceivedMessage): number =>
  Number(sequenceNumber & 0xffff_ffff_ffffn);
const partitionsOf = (messages: readonly BrokerReceivedMessage[]): number[] =>
  messages.map(({ sequenceNumber }) => Number(sequenceNumber >> 48n));

describe("sequence numbers of a partitioned entity", () => {
  it("are counted in each partition separately, without gaps", async () => {
    await using fixture = await openOrders();
    for (const partitionKey of ["a", "b", "a", "a", "b"]) {
      await fixture.sender.send(message(partitionKey, { partitionKey }));
    }
    const received = await fixture.receiver.receive(10);
    expect(textsOf(received)).toEqual(["a", "b", "a", "a", "b"]);
    expect(received.map(numberOf)).toEqual([1, 1, 2, 3, 2]);
  });

  it("distribute messages without a key to the partitions in turn", async () => {
    await using fixture = await openOrders();
    for (let i = 0; i < 32; i++) await fixture.sender.send(message(`${i}`));
    const received = await fixture.receiver.receive(32);
    expect(new Set(partitionsOf(received)).size).toBe(16);
    expect(received.map(numberOf)).toEqual([...Array(16).fill(1), ...Array(16).fill(2)]);
    expect(textsOf(received)).toEqual(received.map((_, i) => `${i}`));
  });

  it("are counted separately in each subscription", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("news", { enablePartitioning: true });
    await fixture.broker.createSubscription("news", "all");
    const sender = fixture.broker.sender("news");
    for (const partitionKey of ["a", "b", "a"]) await sender.send(message("x", { partitionKey }));
    const received = await fixture.broker.receiver("news/Subscriptions/all").receive(3);
    expect(received.map(numberOf)).toEqual([1, 1, 2]);
    expect(partitionsOf(received)).toEqual(
      partitionsOf(received.slice(0, 2)).concat(partitionsOf(received)[0] ?? -1),
    );
  });

  it("begin at 0 again after the last of 48 bits, without a carry into the partition", async () => {
    const disk = createDisk();
    const clock = createManualClock();
    const first = await openBroker({ clock, storage: openDisk(disk) });
    await first.createQueue("orders", { enablePartitioning: true });
    await first.sender("orders").send(message("a", { partitionKey: "key 1" }));
    await first.close();
    const storage = openDisk(disk);
    const { load } = storage;
    storage.load = (visitor) =>
      load({ ...visitor, counter: (id) => visitor.counter(id, lastNumber) } as typeof visitor);

    await using broker = await openBroker({ clock, storage });
    const sender = broker.sender("orders");
    const receiver = broker.receiver("orders", { mode: "receiveAndDelete" });
    expect((await receiver.receive()).map(numberOf)).toEqual([1]);
    for (const text of ["b", "c", "d"]) await sender.send(message(text, { partitionKey: "key 1" }));
    const received = await receiver.receive(3);
    expect(textsOf(received)).toEqual(["b", "c", "d"]);
    expect(received.map(numberOf)).toEqual([lastNumber, 0, 1]);
    expect(new Set(partitionsOf(received)).size).toBe(1);
  });
});

describe("peeking into a session of a partitioned entity", () => {
  it("ignores a number of a later partition, and continues after one of its partition", async () => {
    await using fixture = await openOrders({ requiresSession: true });
    for (let n = 0; n < 20; n++) {
      await fixture.sender.send(message(`${n}`, { sessionId: `session-${n}` }));
    }
    const all = await fixture.receiver.peek(20);
    const partitions = partitionsOf(all);
    const fromSequenceNumber = (all.at(-1)?.sequenceNumber ?? 0n) + 1n;
    for (const [index, { sessionId }] of all.entries()) {
      const isEarlier = (partitions[index] ?? 0) < (partitions.at(-1) ?? 0);
      const peeked = await fixture.receiver.peek(10, { sessionId, fromSequenceNumber });
      expect(peeked).toHaveLength(isEarlier ? 1 : 0);
    }
    expect(new Set(partitions).size).toBeGreaterThan(1);
  });
});

describe("a partitioned entity on a storage", () => {
  /** Sends before a restart, and returns the broker after it. */
  async function restart(...sent: readonly BrokerMessage[]) {
    const disk = createDisk();
    const clock = createManualClock();
    const first = await openBroker({ clock, storage: openDisk(disk) });
    await first.createQueue("orders", { enablePartitioning: true });
    for (const one of sent) {
      await first.sender("orders").send(one);
      clock.advance(1);
    }
    await first.close();
    return { broker: await openBroker({ clock, storage: openDisk(disk) }), disk, clock };
  }

  it("continues counting in each partition after a restart, and keeps the order of arrival", async () => {
    const keys = ["a", "b", "c", "b", "a"];
    const { broker } = await restart(...keys.map((partitionKey, i) => message(`${i}`, { partitionKey })));
    await using _ = broker;
    for (const partitionKey of ["a", "c"])
      await broker.sender("orders").send(message(partitionKey, { partitionKey }));
    const received = await broker.receiver("orders").receive(10);
    expect(textsOf(received)).toEqual(["0", "1", "2", "3", "4", "a", "c"]);
    expect(received.map(numberOf)).toEqual([1, 1, 1, 2, 2, 3, 2]);
  });

  it("removes its counters when it is deleted", async () => {
    const { broker, disk } = await restart(message("a"), message("b"), message("c"));
    expect(disk.tables.counters.size).toBe(3);
    await broker.deleteEntity("orders");
    await broker.close();
    expect(disk.tables.counters.size).toBe(0);
  });
});

describe("the partition of a message", () => {
  it("is that of its id if duplicates are detected", async () => {
    await using fixture = await openOrders({ requiresDuplicateDetection: true });
    const ids = Array.from({ length: 20 }, (_, i) => `id ${i}`);
    for (const messageId of [...ids, ...ids]) await fixture.sender.send(message(messageId, { messageId }));
    const received = await fixture.receiver.receive(100);
    expect(textsOf(received)).toEqual(ids);
    expect(new Set(partitionsOf(received)).size).toBeGreaterThan(4);

    await using other = await openOrders();
    for (const messageId of ids) await other.sender.send(message(messageId, { messageId }));
    // Without duplicate detection, the id does not matter: the partitions are used in turn.
    expect(partitionsOf(await other.receiver.receive(20))).not.toEqual(partitionsOf(received));
    await using third = await openOrders();
    for (const partitionKey of ids) await third.sender.send(message(partitionKey, { partitionKey }));
    expect(partitionsOf(await third.receiver.receive(20))).toEqual(partitionsOf(received));
  });

  it("is that of its session or partition key even then", async () => {
    await using fixture = await openOrders({ requiresDuplicateDetection: true });
    for (let i = 0; i < 10; i++) {
      await fixture.sender.send(message("x", { messageId: `id ${i}`, partitionKey: "one" }));
    }
    expect(new Set(partitionsOf(await fixture.receiver.receive(10))).size).toBe(1);
  });

  it("is determined by the via partition key in the queue via which a message is sent", async () => {
    await using fixture = await openOrders();
    await fixture.broker.createQueue("target", { status: "Disabled" });
    const sender = fixture.broker.sender("target", { via: "orders" });
    const send = (text: string, properties: Parameters<typeof message>[1]) =>
      sender.send(message(text, properties));
    await send("a", { viaPartitionKey: "key 1", partitionKey: "key 2" });
    await send("b", { viaPartitionKey: "key 3", partitionKey: "key 2" });
    await send("c", { viaPartitionKey: "key 1" });
    await send("d", { partitionKey: "key 1" });
    const kept = await fixture.broker.receiver("orders/$Transfer/$DeadLetterQueue").receive(4);
    expect(textsOf(kept)).toEqual(["a", "b", "c", "d"]);
    const [a, b, c, d] = partitionsOf(kept);
    expect([c, d]).toEqual([a, a]);
    expect(b).not.toBe(a);
  });
});

describe("a transaction with a partitioned entity", () => {
  it("accepts messages of one partition key", async () => {
    await using fixture = await openOrders();
    const transaction = fixture.broker.beginTransaction();
    await fixture.sender.send(message("a", { partitionKey: "p" }), transaction);
    await fixture.sender.sendBatch([message("b", { partitionKey: "p" })], transaction);
    await transaction.commit();
    expect(textsOf(await fixture.receiver.receive(3))).toEqual(["a", "b"]);
  });

  it("refuses a message without a key and one with another key", async () => {
    await using fixture = await openOrders();
    const transaction = fixture.broker.beginTransaction();
    expect(await codeOf(fixture.sender.send(message("a"), transaction))).toBe("not-allowed");
    await fixture.sender.send(message("a", { partitionKey: "p" }), transaction);
    expect(await codeOf(fixture.sender.send(message("b", { partitionKey: "q" }), transaction))).toBe(
      "not-allowed",
    );
    const scheduledEnqueueTime = new Date(fixture.clock.now() + 1000);
    const scheduled = message("c", { sessionId: "q", scheduledEnqueueTime });
    expect(await codeOf(fixture.sender.schedule([scheduled], transaction))).toBe("not-allowed");
    await transaction.commit();
    expect(textsOf(await fixture.receiver.receive(3))).toEqual(["a"]);
  });

  it("uses the via partition key in a partitioned transfer queue", async () => {
    await using fixture = await openOrders();
    await fixture.broker.createQueue("target");
    const sender = fixture.broker.sender("target", { via: "orders" });
    const transaction = fixture.broker.beginTransaction();
    for (const partitionKey of ["p", "q"]) {
      await sender.send(message(partitionKey, { partitionKey, viaPartitionKey: "via" }), transaction);
    }
    const other = message("r", { partitionKey: "p", viaPartitionKey: "other" });
    expect(await codeOf(sender.send(other, transaction))).toBe("not-allowed");
    await transaction.commit();
    expect(textsOf(await fixture.broker.receiver("target").receive(3))).toEqual(["p", "q"]);
  });

  it("accepts any keys without partitions", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("plain");
    const sender = fixture.broker.sender("plain");
    const transaction = fixture.broker.beginTransaction();
    await sender.send(message("a"), transaction);
    await sender.send(message("b", { partitionKey: "q" }), transaction);
    await transaction.commit();
    expect(textsOf(await fixture.broker.receiver("plain").receive(2))).toEqual(["a", "b"]);
  });
});
