import { describe, expect, it } from "vitest";
import { codeOf, message, openFixture, textOf, textsOf } from "../fixture.test-support.js";
import type { SendableProperties } from "../messages/message.js";

/** What a sender may set, without what decides when and to whom a message is delivered. */
const everyProperty: Required<Omit<SendableProperties, "sessionId" | "scheduledEnqueueTime">> = {
  messageId: "m1",
  correlationId: 7n,
  contentType: "application/json",
  contentEncoding: "gzip",
  subject: "created",
  to: "somewhere",
  replyTo: "answers",
  replyToSessionId: "s9",
  partitionKey: "k",
  viaPartitionKey: "v",
  timeToLiveMs: 5000,
  forcePersistence: true,
};

async function openOrders(mode: "peekLock" | "receiveAndDelete" = "peekLock") {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders");
  return {
    ...fixture,
    sender: fixture.broker.sender("orders"),
    receiver: fixture.broker.receiver("orders", { mode }),
  };
}

describe("receive", () => {
  it("delivers messages in order with sequence numbers without gaps", async () => {
    await using fixture = await openOrders();
    await fixture.sender.sendBatch([message("a"), message("b"), message("c")]);
    const received = await fixture.receiver.receive(10);
    expect(textsOf(received)).toEqual(["a", "b", "c"]);
    expect(received.map((one) => one.sequenceNumber)).toEqual([1n, 2n, 3n]);
    expect(received.map((one) => one.enqueuedSequenceNumber)).toEqual([1n, 2n, 3n]);
  });

  it("locks each message for one receiver", async () => {
    await using fixture = await openOrders();
    await fixture.sender.sendBatch([message("a"), message("b")]);
    const other = fixture.broker.receiver("orders");
    expect(textsOf(await fixture.receiver.receive(1))).toEqual(["a"]);
    expect(textsOf(await other.receive(10))).toEqual(["b"]);
    expect(await other.receive(1, { maxWaitMs: 0 })).toEqual([]);
  });

  it("returns every broker property as it was sent", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send({
      body: { section: "data", bytes: new Uint8Array([1, 2, 3]) },
      ...everyProperty,
      applicationProperties: { text: "x", count: 3, big: 2n ** 60n, yes: true, nothing: null },
    });
    const [received] = await fixture.receiver.receive();
    expect(received).toMatchObject({
      ...everyProperty,
      applicationProperties: { text: "x", count: 3, big: 2n ** 60n, yes: true, nothing: null },
      enqueuedTime: new Date(fixture.clock.now()),
      expiresAt: new Date(fixture.clock.now() + 5000),
      state: "active",
      entityPath: "orders",
    });
    expect(received!.body).toEqual({ section: "data", bytes: new Uint8Array([1, 2, 3]) });
  });

  it("returns a broker property that is the only one of its message", async () => {
    await using fixture = await openOrders();
    for (const [name, value] of Object.entries(everyProperty)) {
      await fixture.sender.send({ ...message("a"), [name]: value });
      const [received] = await fixture.receiver.receive();
      expect(received).toHaveProperty(name, value);
    }
  });

  it("keeps value and sequence bodies as object graphs", async () => {
    await using fixture = await openOrders();
    const value = { when: new Date(0), big: 2n ** 63n, list: [1, "x", null], bytes: new Uint8Array([9]) };
    await fixture.sender.send({ body: { section: "value", value } });
    await fixture.sender.send({ body: { section: "sequence", value: [1, [2]] } });
    const [first, second] = await fixture.receiver.receive(2);
    expect(first!.body).toEqual({ section: "value", value });
    expect(second!.body).toEqual({ section: "sequence", value: [1, [2]] });
  });

  it("keeps no reference to the sender's objects and returns a copy to every receiver", async () => {
    await using fixture = await openOrders();
    const bytes = new Uint8Array([1, 2, 3]);
    const tag = new Uint8Array([7]);
    await fixture.sender.send({ body: { section: "data", bytes }, applicationProperties: { tag } });
    bytes.fill(0);
    tag.fill(0);
    const [first] = await fixture.receiver.receive();
    expect(first!.body).toEqual({ section: "data", bytes: new Uint8Array([1, 2, 3]) });
    (first!.body as { bytes: Uint8Array }).bytes.fill(9);
    (first!.applicationProperties.tag as Uint8Array).fill(9);
    await fixture.receiver.abandon(first!);
    const [second] = await fixture.receiver.receive();
    expect(second!.body).toEqual({ section: "data", bytes: new Uint8Array([1, 2, 3]) });
    expect(second!.applicationProperties.tag).toEqual(new Uint8Array([7]));
  });

  it("treats an application property named __proto__ as an ordinary property", async () => {
    await using fixture = await openOrders();
    const applicationProperties = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');
    await fixture.sender.send(message("a", { applicationProperties }));
    const [received] = await fixture.receiver.receive();
    expect(Object.keys(received!.applicationProperties)).toEqual(["__proto__", "a"]);
    expect(Object.getPrototypeOf(received!.applicationProperties)).toBe(Object.prototype);
  });

  it("keeps a front end's encoding verbatim, with the data body a part of it", async () => {
    await using fixture = await openOrders();
    const wire = Buffer.from("header|body|footer");
    await fixture.sender.send({ wire, body: { section: "data", bytes: wire.subarray(7, 11) } });
    const [received] = await fixture.receiver.receive();
    expect(Buffer.from(received!.wire!).toString()).toBe("header|body|footer");
    expect(textOf(received)).toBe("body");
  });

  it("reads a front end's encoding through the wire decoder", async () => {
    await using fixture = await openOrders();
    fixture.broker.setWireDecoder((wire) => ({
      applicationProperties: { length: wire.byteLength },
      body: { section: "value", value: "decoded" },
    }));
    await fixture.sender.send({ wire: Buffer.from("12345"), applicationProperties: () => ({}) });
    const [first] = await fixture.receiver.receive();
    expect(first!.body).toEqual({ section: "value", value: "decoded" });
    await fixture.receiver.abandon(first!, { added: 1 });
    const [second] = await fixture.receiver.receive();
    expect(second!.applicationProperties).toEqual({ length: 5, added: 1 });
  });

  it("removes messages in receive-and-delete mode", async () => {
    await using fixture = await openOrders("receiveAndDelete");
    await fixture.sender.send(message("a"));
    const [received] = await fixture.receiver.receive();
    expect(textOf(received)).toBe("a");
    expect(received!.lockToken).toBeUndefined();
    expect(await fixture.receiver.peek()).toEqual([]);
    expect(await codeOf(fixture.receiver.complete(received!))).toBe("message-lock-lost");
  });

  it("stops waiting after maxWaitMs", async () => {
    await using fixture = await openOrders();
    const pending = fixture.receiver.receive(1, { maxWaitMs: 1000 });
    fixture.clock.advance(1000);
    expect(await pending).toEqual([]);
  });

  it("delivers to waiting receivers in the order of their calls", async () => {
    await using fixture = await openOrders();
    const first = fixture.receiver.receive(1);
    const second = fixture.receiver.receive(2);
    const third = fixture.receiver.receive(1);
    await fixture.sender.sendBatch([message("a"), message("b"), message("c"), message("d")]);
    expect([await first, await second, await third].map(textsOf)).toEqual([["a"], ["b", "c"], ["d"]]);
  });

  it("delivers the messages of one send to a waiting receiver without waiting for more", async () => {
    await using fixture = await openOrders();
    const pending = fixture.receiver.receive(10);
    await fixture.sender.sendBatch([message("a"), message("b")]);
    expect(textsOf(await pending)).toEqual(["a", "b"]);
  });

  it("ends a pending call with its signal and leaves messages to others", async () => {
    await using fixture = await openOrders();
    const abort = new AbortController();
    const pending = fixture.receiver.receive(1, { signal: abort.signal });
    abort.abort();
    expect(await codeOf(pending)).toBe("cancelled");
    expect(await codeOf(fixture.receiver.receive(1, { signal: abort.signal }))).toBe("cancelled");
    await fixture.sender.send(message("a"));
    expect(textsOf(await fixture.receiver.receive())).toEqual(["a"]);
  });

  it("delivers to a waiting receiver when a lock expires", async () => {
    await using fixture = await openOrders();
    await fixture.sender.send(message("a"));
    await fixture.receiver.receive();
    const pending = fixture.receiver.receive();
    fixture.clock.advance(60_000);
    expect((await pending)[0]!.deliveryCount).toBe(1);
  });

  it("refuses a topic, an unknown path and an invalid count", async () => {
    await using fixture = await openOrders();
    await fixture.broker.createTopic("news");
    await expect(fixture.broker.receiver("news").receive()).rejects.toThrow("receive from a subscription");
    expect(() => fixture.broker.receiver("news").consume({ onMessage() {}, onClosed() {} })).toThrow(
      "receive from a subscription",
    );
    expect(() => fixture.broker.receiver("nowhere")).toThrow(
      "The messaging entity 'nowhere' could not be found.",
    );
    await expect(fixture.receiver.receive(0)).rejects.toThrow(TypeError);
  });
});

describe("consume", () => {
  it("delivers as many messages as there is credit", async () => {
    await using fixture = await openOrders();
    const got: string[] = [];
    const consumer = fixture.receiver.consume({ onMessage: (received) => got.push(textOf(received)) });
    await fixture.sender.sendBatch([message("a"), message("b"), message("c")]);
    expect(got).toEqual([]);
    consumer.grant(2);
    expect(got).toEqual(["a", "b"]);
    expect(consumer.credit).toBe(0);
    consumer.grant(2);
    expect(got).toEqual(["a", "b", "c"]);
    expect(consumer.credit).toBe(1);
  });

  it("uses credit in the order in which it was granted, across consumers", async () => {
    await using fixture = await openOrders();
    const got: string[] = [];
    const one = fixture.receiver.consume({ onMessage: (received) => got.push(`1${textOf(received)}`) });
    const two = fixture.broker
      .receiver("orders")
      .consume({ onMessage: (received) => got.push(`2${textOf(received)}`) });
    one.grant(1);
    two.grant(1);
    one.grant(1);
    await fixture.sender.sendBatch([message("a"), message("b"), message("c")]);
    expect(got).toEqual(["1a", "2b", "1c"]);
  });

  it("returns unused credit when drained", async () => {
    await using fixture = await openOrders();
    const got: string[] = [];
    const consumer = fixture.receiver.consume({ onMessage: (received) => got.push(textOf(received)) });
    consumer.grant(5);
    await fixture.sender.send(message("a"));
    expect(consumer.drain()).toBe(4);
    await fixture.sender.send(message("b"));
    expect(got).toEqual(["a"]);
  });

  it("allows its handler to settle and send immediately", async () => {
    await using fixture = await openOrders();
    const got: string[] = [];
    const consumer = fixture.receiver.consume({
      onMessage: (received) => {
        got.push(textOf(received));
        void fixture.receiver.complete(received);
        if (got.length < 3) void fixture.sender.send(message(`${textOf(received)}+`));
        consumer.grant(1);
      },
    });
    consumer.grant(1);
    await fixture.sender.send(message("a"));
    expect(got).toEqual(["a", "a+", "a++"]);
    expect(await fixture.receiver.peek()).toEqual([]);
  });

  it("settles nothing when closed: locks last until they expire", async () => {
    await using fixture = await openOrders();
    let lockToken: string | undefined;
    const consumer = fixture.receiver.consume({ onMessage: (received) => (lockToken = received.lockToken) });
    consumer.grant(1);
    await fixture.sender.send(message("a"));
    consumer.close();
    expect(await fixture.receiver.receive(1, { maxWaitMs: 0 })).toEqual([]);
    await fixture.broker.receiver("orders").complete(lockToken!);
  });
});

describe("peek", () => {
  it("returns active, locked, deferred and scheduled messages in sequence order", async () => {
    await using fixture = await openOrders();
    await fixture.sender.sendBatch([message("a"), message("b"), message("c")]);
    await fixture.sender.schedule([
      message("d", { scheduledEnqueueTime: new Date(fixture.clock.now() + 1000) }),
    ]);
    const [, second] = await fixture.receiver.receive(2);
    await fixture.receiver.defer(second!);
    const peeked = await fixture.receiver.peek(10);
    expect(textsOf(peeked)).toEqual(["a", "b", "c", "d"]);
    expect(peeked.map((one) => one.state)).toEqual(["active", "deferred", "active", "scheduled"]);
    expect(peeked.map((one) => one.lockToken)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("continues from a sequence number", async () => {
    await using fixture = await openOrders();
    await fixture.sender.sendBatch(["a", "b", "c"].map((text) => message(text)));
    expect(textsOf(await fixture.receiver.peek(1, { fromSequenceNumber: 2n }))).toEqual(["b"]);
    expect(await fixture.receiver.peek(1, { fromSequenceNumber: 4n })).toEqual([]);
  });
});

describe("close", () => {
  it("rejects pending and later calls with broker-closed", async () => {
    const fixture = await openOrders();
    const pending = fixture.receiver.receive();
    const waiting = codeOf(pending);
    await fixture.broker.close();
    expect(await waiting).toBe("broker-closed");
    expect(await codeOf(fixture.sender.send(message("a")))).toBe("broker-closed");
  });
});
