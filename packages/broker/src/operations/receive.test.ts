import { describe, expect, it } from "vitest";
import { codeOf, message, openWorld, textOf, textsOf } from "../world.test-support.js";

async function openOrders(mode: "peekLock" | "receiveAndDelete" = "peekLock") {
  const world = openWorld();
  await world.broker.createQueue("orders");
  return {
    ...world,
    sender: world.broker.sender("orders"),
    receiver: world.broker.receiver("orders", { mode }),
  };
}

describe("receive", () => {
  it("hands out messages in order with gap-free sequence numbers", async () => {
    await using world = await openOrders();
    await world.sender.sendBatch([message("a"), message("b"), message("c")]);
    const received = await world.receiver.receive(10);
    expect(textsOf(received)).toEqual(["a", "b", "c"]);
    expect(received.map((one) => one.sequenceNumber)).toEqual([1n, 2n, 3n]);
    expect(received.map((one) => one.enqueuedSequenceNumber)).toEqual([1n, 2n, 3n]);
  });

  it("locks each message for one receiver", async () => {
    await using world = await openOrders();
    await world.sender.sendBatch([message("a"), message("b")]);
    const other = world.broker.receiver("orders");
    expect(textsOf(await world.receiver.receive(1))).toEqual(["a"]);
    expect(textsOf(await other.receive(10))).toEqual(["b"]);
    expect(await other.receive(1, { maxWaitMs: 0 })).toEqual([]);
  });

  it("gives every broker property back as it was sent", async () => {
    await using world = await openOrders();
    await world.sender.send({
      body: { section: "data", bytes: new Uint8Array([1, 2, 3]) },
      messageId: "m1",
      correlationId: 7n,
      contentType: "application/json",
      subject: "created",
      to: "somewhere",
      replyTo: "answers",
      replyToSessionId: "s9",
      partitionKey: "k",
      viaPartitionKey: "v",
      timeToLiveMs: 5000,
      forcePersistence: true,
      applicationProperties: { text: "x", count: 3, big: 2n ** 60n, yes: true, nothing: null },
    });
    const [received] = await world.receiver.receive();
    expect(received).toMatchObject({
      messageId: "m1",
      correlationId: 7n,
      contentType: "application/json",
      subject: "created",
      to: "somewhere",
      replyTo: "answers",
      replyToSessionId: "s9",
      partitionKey: "k",
      viaPartitionKey: "v",
      timeToLiveMs: 5000,
      forcePersistence: true,
      applicationProperties: { text: "x", count: 3, big: 2n ** 60n, yes: true, nothing: null },
      enqueuedTime: new Date(world.clock.now()),
      expiresAt: new Date(world.clock.now() + 5000),
      state: "active",
      entityPath: "orders",
    });
    expect(received!.body).toEqual({ section: "data", bytes: new Uint8Array([1, 2, 3]) });
  });

  it("keeps value and sequence bodies as graphs", async () => {
    await using world = await openOrders();
    const value = { when: new Date(0), big: 2n ** 63n, list: [1, "x", null], bytes: new Uint8Array([9]) };
    await world.sender.send({ body: { section: "value", value } });
    await world.sender.send({ body: { section: "sequence", value: [1, [2]] } });
    const [first, second] = await world.receiver.receive(2);
    expect(first!.body).toEqual({ section: "value", value });
    expect(second!.body).toEqual({ section: "sequence", value: [1, [2]] });
  });

  it("keeps nothing of the sender's objects and gives every reader its own copy", async () => {
    await using world = await openOrders();
    const bytes = new Uint8Array([1, 2, 3]);
    const tag = new Uint8Array([7]);
    await world.sender.send({ body: { section: "data", bytes }, applicationProperties: { tag } });
    bytes.fill(0);
    tag.fill(0);
    const [first] = await world.receiver.receive();
    expect(first!.body).toEqual({ section: "data", bytes: new Uint8Array([1, 2, 3]) });
    (first!.body as { bytes: Uint8Array }).bytes.fill(9);
    (first!.applicationProperties.tag as Uint8Array).fill(9);
    await world.receiver.abandon(first!);
    const [second] = await world.receiver.receive();
    expect(second!.body).toEqual({ section: "data", bytes: new Uint8Array([1, 2, 3]) });
    expect(second!.applicationProperties.tag).toEqual(new Uint8Array([7]));
  });

  it("keeps an application property named __proto__ an ordinary property", async () => {
    await using world = await openOrders();
    const applicationProperties = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');
    await world.sender.send(message("a", { applicationProperties }));
    const [received] = await world.receiver.receive();
    expect(Object.keys(received!.applicationProperties)).toEqual(["__proto__", "a"]);
    expect(Object.getPrototypeOf(received!.applicationProperties)).toBe(Object.prototype);
  });

  it("keeps a front end's encoding verbatim, with the data body a part of it", async () => {
    await using world = await openOrders();
    const wire = Buffer.from("header|body|footer");
    await world.sender.send({ wire, body: { section: "data", bytes: wire.subarray(7, 11) } });
    const [received] = await world.receiver.receive();
    expect(Buffer.from(received!.wire!).toString()).toBe("header|body|footer");
    expect(textOf(received)).toBe("body");
  });

  it("reads a front end's encoding through the wire decoder", async () => {
    await using world = await openOrders();
    world.broker.setWireDecoder((wire) => ({
      applicationProperties: { length: wire.byteLength },
      body: { section: "value", value: "decoded" },
    }));
    await world.sender.send({ wire: Buffer.from("12345"), applicationProperties: () => ({}) });
    const [first] = await world.receiver.receive();
    expect(first!.body).toEqual({ section: "value", value: "decoded" });
    await world.receiver.abandon(first!, { added: 1 });
    const [second] = await world.receiver.receive();
    expect(second!.applicationProperties).toEqual({ length: 5, added: 1 });
  });

  it("removes messages at once in receive-and-delete", async () => {
    await using world = await openOrders("receiveAndDelete");
    await world.sender.send(message("a"));
    const [received] = await world.receiver.receive();
    expect(textOf(received)).toBe("a");
    expect(received!.lockToken).toBeUndefined();
    expect(await world.receiver.peek()).toEqual([]);
    expect(await codeOf(world.receiver.complete(received!))).toBe("message-lock-lost");
  });

  it("gives up waiting after maxWaitMs", async () => {
    await using world = await openOrders();
    const pending = world.receiver.receive(1, { maxWaitMs: 1000 });
    world.clock.advance(1000);
    expect(await pending).toEqual([]);
  });

  it("serves waiting receivers in the order in which they came", async () => {
    await using world = await openOrders();
    const first = world.receiver.receive(1);
    const second = world.receiver.receive(2);
    const third = world.receiver.receive(1);
    await world.sender.sendBatch([message("a"), message("b"), message("c"), message("d")]);
    expect([await first, await second, await third].map(textsOf)).toEqual([["a"], ["b", "c"], ["d"]]);
  });

  it("gives a waiting receiver what one send brings rather than wait for more", async () => {
    await using world = await openOrders();
    const pending = world.receiver.receive(10);
    await world.sender.sendBatch([message("a"), message("b")]);
    expect(textsOf(await pending)).toEqual(["a", "b"]);
  });

  it("ends a wait by its signal and leaves messages to others", async () => {
    await using world = await openOrders();
    const abort = new AbortController();
    const pending = world.receiver.receive(1, { signal: abort.signal });
    abort.abort();
    expect(await codeOf(pending)).toBe("cancelled");
    expect(await codeOf(world.receiver.receive(1, { signal: abort.signal }))).toBe("cancelled");
    await world.sender.send(message("a"));
    expect(textsOf(await world.receiver.receive())).toEqual(["a"]);
  });

  it("serves a waiting receiver when a lock ends", async () => {
    await using world = await openOrders();
    await world.sender.send(message("a"));
    await world.receiver.receive();
    const pending = world.receiver.receive();
    world.clock.advance(60_000);
    expect((await pending)[0]!.deliveryCount).toBe(1);
  });

  it("refuses a topic, an unknown path and a count that is none", async () => {
    await using world = await openOrders();
    await world.broker.createTopic("news");
    await expect(world.broker.receiver("news").receive()).rejects.toThrow("receive from a subscription");
    expect(() => world.broker.receiver("news").consume({ onMessage() {}, onClosed() {} })).toThrow(
      "receive from a subscription",
    );
    expect(() => world.broker.receiver("nowhere")).toThrow(
      "The messaging entity 'nowhere' could not be found.",
    );
    await expect(world.receiver.receive(0)).rejects.toThrow(TypeError);
  });
});

describe("consume", () => {
  it("pushes messages as far as credit goes", async () => {
    await using world = await openOrders();
    const got: string[] = [];
    const consumer = world.receiver.consume({ onMessage: (received) => got.push(textOf(received)) });
    await world.sender.sendBatch([message("a"), message("b"), message("c")]);
    expect(got).toEqual([]);
    consumer.grant(2);
    expect(got).toEqual(["a", "b"]);
    expect(consumer.credit).toBe(0);
    consumer.grant(2);
    expect(got).toEqual(["a", "b", "c"]);
    expect(consumer.credit).toBe(1);
  });

  it("honours credit in the order in which it was granted, across consumers", async () => {
    await using world = await openOrders();
    const got: string[] = [];
    const one = world.receiver.consume({ onMessage: (received) => got.push(`1${textOf(received)}`) });
    const two = world.broker
      .receiver("orders")
      .consume({ onMessage: (received) => got.push(`2${textOf(received)}`) });
    one.grant(1);
    two.grant(1);
    one.grant(1);
    await world.sender.sendBatch([message("a"), message("b"), message("c")]);
    expect(got).toEqual(["1a", "2b", "1c"]);
  });

  it("gives unused credit back when drained", async () => {
    await using world = await openOrders();
    const got: string[] = [];
    const consumer = world.receiver.consume({ onMessage: (received) => got.push(textOf(received)) });
    consumer.grant(5);
    await world.sender.send(message("a"));
    expect(consumer.drain()).toBe(4);
    await world.sender.send(message("b"));
    expect(got).toEqual(["a"]);
  });

  it("lets its handler settle and send at once", async () => {
    await using world = await openOrders();
    const got: string[] = [];
    const consumer = world.receiver.consume({
      onMessage: (received) => {
        got.push(textOf(received));
        void world.receiver.complete(received);
        if (got.length < 3) void world.sender.send(message(`${textOf(received)}+`));
        consumer.grant(1);
      },
    });
    consumer.grant(1);
    await world.sender.send(message("a"));
    expect(got).toEqual(["a", "a+", "a++"]);
    expect(await world.receiver.peek()).toEqual([]);
  });

  it("settles nothing when closed: locks last until they end", async () => {
    await using world = await openOrders();
    let lockToken: string | undefined;
    const consumer = world.receiver.consume({ onMessage: (received) => (lockToken = received.lockToken) });
    consumer.grant(1);
    await world.sender.send(message("a"));
    consumer.close();
    expect(await world.receiver.receive(1, { maxWaitMs: 0 })).toEqual([]);
    await world.broker.receiver("orders").complete(lockToken!);
  });
});

describe("peek", () => {
  it("shows active, locked, deferred and scheduled messages in sequence order", async () => {
    await using world = await openOrders();
    await world.sender.sendBatch([message("a"), message("b"), message("c")]);
    await world.sender.schedule([message("d", { scheduledEnqueueTime: new Date(world.clock.now() + 1000) })]);
    const [, second] = await world.receiver.receive(2);
    await world.receiver.defer(second!);
    const peeked = await world.receiver.peek(10);
    expect(textsOf(peeked)).toEqual(["a", "b", "c", "d"]);
    expect(peeked.map((one) => one.state)).toEqual(["active", "deferred", "active", "scheduled"]);
    expect(peeked.map((one) => one.lockToken)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("goes on from a sequence number", async () => {
    await using world = await openOrders();
    await world.sender.sendBatch(["a", "b", "c"].map((text) => message(text)));
    expect(textsOf(await world.receiver.peek(1, { fromSequenceNumber: 2n }))).toEqual(["b"]);
    expect(await world.receiver.peek(1, { fromSequenceNumber: 4n })).toEqual([]);
  });
});

describe("close", () => {
  it("ends waits with broker-closed and refuses what follows", async () => {
    const world = await openOrders();
    const pending = world.receiver.receive();
    const waiting = codeOf(pending);
    await world.broker.close();
    expect(await waiting).toBe("broker-closed");
    expect(await codeOf(world.sender.send(message("a")))).toBe("broker-closed");
  });
});
