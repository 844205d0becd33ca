import {
  AmqpMap,
  type AmqpValue,
  array,
  described,
  encodeMessage,
  encodeValue,
  int,
  long,
  scanMessage,
  stringMap,
  symbol,
  symbolMap,
  timestamp,
  ulong,
  uuid,
} from "@waybill/amqp";
import { type BrokerReceivedMessage, createBroker } from "@waybill/broker";
import { describe, expect, it } from "vitest";
import { fromAmqpProperties } from "./messages/application-properties.js";
import { fromBrokerMessage } from "./messages/from-broker-message.js";
import { toBrokerMessage } from "./messages/to-broker-message.js";
import { decodeWire } from "./messages/wire-decoder.js";

const id = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";

async function openOrders() {
  const broker = createBroker({ wireDecoder: decodeWire });
  await broker.createQueue("orders");
  const receiver = broker.receiver("orders");
  return {
    broker,
    receiver,
    /** Sends like a client over AMQP and receives the message. */
    async pass(encoded: Uint8Array): Promise<BrokerReceivedMessage> {
      await broker.sender("orders").send(toBrokerMessage(scanMessage(encoded)));
      const [message] = await receiver.receive();
      return message!;
    },
    [Symbol.asyncDispose]: () => broker.close(),
  };
}

const encode = (message: BrokerReceivedMessage) => scanMessage(Buffer.concat(fromBrokerMessage(message)));

/** The values of a map's entries by key. */
function entriesOf(map: AmqpMap | undefined): Record<string, AmqpValue> {
  return Object.fromEntries(
    (map?.entries ?? []).map(([key, value]) => [
      typeof key === "string" ? key : String((key as { value: unknown }).value),
      value,
    ]),
  );
}

/** How a map of `type` and `value` is written. */
const mapOf = (type: string, value: AmqpValue): AmqpMap => stringMap({ type, value });

const oddMessage = {
  properties: {
    messageId: uuid(id),
    correlationId: ulong(7n),
    userId: Buffer.from("me"),
    contentEncoding: "gzip",
    groupSequence: 3,
  },
  applicationProperties: new AmqpMap([
    ["long", long(5n)],
    ["int", int(5)],
    ["guid", uuid(id)],
    ["span", described("com.microsoft:timespan", long(600_000_000n))],
    ["uri", described("com.microsoft:uri", "http://example.org")],
    ["__proto__", "harmless"],
  ]),
  body: { kind: "data", sections: [Buffer.from("body")] },
  footer: symbolMap({ "x-sum": int(1) }),
} as const;

describe("a message over AMQP", () => {
  it("keeps its bare message byte for byte", async () => {
    await using fixture = await openOrders();
    const sent = encodeMessage(oddMessage);
    const received = encode(await fixture.pass(sent));
    expect(Buffer.compare(received.bytes.subarray(received.bareStart), sent)).toBe(0);
  });

  it("keeps header fields and annotations that the broker does not use", async () => {
    await using fixture = await openOrders();
    const sent = encodeMessage({
      ...oddMessage,
      header: { durable: true, priority: 9, ttl: 60_000 },
      deliveryAnnotations: symbolMap({ hop: "x" }),
      messageAnnotations: symbolMap({ "x-opt-mine": int(1), "x-opt-sequence-number": long(99n) }),
    });
    const received = encode(await fixture.pass(sent));
    expect(received.decodeHeader()).toMatchObject({
      durable: true,
      priority: 9,
      ttl: 60_000,
      deliveryCount: 0,
    });
    expect(entriesOf(received.decodeDeliveryAnnotations())).toMatchObject({ hop: "x" });
    expect(entriesOf(received.decodeMessageAnnotations())).toMatchObject({
      "x-opt-mine": int(1),
      "x-opt-sequence-number": long(1n),
    });
  });

  it.each(["plain", "with annotations of its sender"])(
    "carries its lock token as a delivery annotation: %s",
    async (kind) => {
      await using fixture = await openOrders();
      const annotations = kind === "plain" ? {} : { deliveryAnnotations: symbolMap({ hop: "x" }) };
      const sent = encodeMessage({ ...annotations, body: { kind: "value", value: "x" } });
      const locked = await fixture.pass(sent);
      const token = entriesOf(encode(locked).decodeDeliveryAnnotations())["x-opt-lock-token"];
      expect(token).toEqual(uuid(locked.lockToken!));
      await fixture.receiver.abandon(locked.lockToken!);
      const [peeked] = await fixture.receiver.peek(1);
      const [deleted] = await fixture.broker.receiver("orders", { mode: "receiveAndDelete" }).receive();
      for (const message of [peeked!, deleted!])
        expect(entriesOf(encode(message).decodeDeliveryAnnotations())).not.toHaveProperty("x-opt-lock-token");
    },
  );

  it("maps forcePersistence to durable, both ways", async () => {
    await using fixture = await openOrders();
    const sections = { body: { kind: "value", value: "x" } } as const;
    const durable = await fixture.pass(encodeMessage({ ...sections, header: { durable: true } }));
    expect(durable.forcePersistence).toBe(true);
    expect(encode(durable).decodeHeader()).toMatchObject({ durable: true });
    const said = await fixture.pass(encodeMessage({ ...sections, header: { durable: false } }));
    expect(said.forcePersistence).toBe(false);
    expect(encode(said).decodeHeader()).toMatchObject({ durable: false });
    expect(encode(await fixture.pass(encodeMessage(sections))).decodeHeader()?.durable).toBeUndefined();

    const body = { section: "data", bytes: new Uint8Array([1]) } as const;
    await fixture.broker.sender("orders").send({ body, forcePersistence: true });
    const [inProcess] = await fixture.receiver.receive();
    if (inProcess === undefined) throw new Error("nothing was received");
    expect(encode(inProcess).decodeHeader()).toMatchObject({ durable: true });
  });

  it("maps a forcePersistence that a rule's action set to durable", async () => {
    await using fixture = await openOrders();
    await fixture.broker.createTopic("news");
    for (const value of ["TRUE", "FALSE"]) {
      const action = { expression: `SET sys.ForcePersistence = ${value}` };
      const rule = { name: value, filter: { type: "true" }, action } as const;
      await fixture.broker.createSubscription("news", value, {}, rule);
    }
    const sent = encodeMessage({ header: { durable: true }, body: { kind: "value", value: "x" } });
    await fixture.broker.sender("news").send(toBrokerMessage(scanMessage(sent)));
    for (const [name, durable] of [
      ["TRUE", true],
      ["FALSE", undefined],
    ] as const) {
      const [message] = await fixture.broker.receiver(`news/Subscriptions/${name}`).receive();
      if (message === undefined) throw new Error("nothing was received");
      expect(encode(message).decodeHeader()?.durable).toBe(durable);
    }
  });

  it("has the broker's annotations in the types that SDKs expect", async () => {
    await using fixture = await openOrders();
    const message = await fixture.pass(encodeMessage({ body: { kind: "value", value: null } }));
    expect(entriesOf(encode(message).decodeMessageAnnotations())).toEqual({
      "x-opt-sequence-number": long(1n),
      "x-opt-enqueued-time": timestamp(message.enqueuedTime),
      "x-opt-enqueue-sequence-number": long(1n),
      "x-opt-locked-until": timestamp(message.lockedUntil!),
    });
  });

  it("changes only the application properties that a settlement changes", async () => {
    await using fixture = await openOrders();
    const message = await fixture.pass(encodeMessage(oddMessage));
    await fixture.receiver.abandon(message, { int: "changed", added: 2n });
    const [again] = await fixture.receiver.receive();
    const received = encode(again!);
    expect(entriesOf(received.decodeApplicationProperties())).toEqual({
      ...entriesOf(oddMessage.applicationProperties),
      int: "changed",
      added: long(2n),
    });
    expect(received.decodeProperties()).toMatchObject({ messageId: uuid(id), userId: Buffer.from("me") });
    expect(received.decodeBody()).toEqual([Buffer.from("body")]);
    expect(received.footer).toBeDefined();
  });

  it("is delivered again with any application properties of a settlement", async () => {
    await using fixture = await openOrders();
    const nested = new AmqpMap([["deep", [int(1), symbolMap({ a: true })]]]);
    const changes: Record<string, AmqpValue> = {
      beyondDates: timestamp(2n ** 63n - 1n),
      beyondLong: ulong(2n ** 64n - 1n),
      decimal: { type: "decimal32", value: Buffer.from("abcd") },
      map: nested,
      list: [int(1), new AmqpMap([[int(1), "one"]])],
      array: array("long", [long(2n ** 40n)]),
      uri: described("com.microsoft:uri", "http://example.org"),
      described: described("of mine", nested),
    };
    const message = await fixture.pass(encodeMessage(oddMessage));
    await fixture.receiver.abandon(message, fromAmqpProperties(symbolMap(changes)));
    const [again] = await fixture.receiver.receive();
    const deep = new AmqpMap([["deep", [int(1), new AmqpMap([["a", true]])]]]);
    expect(entriesOf(encode(again!).decodeApplicationProperties())).toEqual({
      ...entriesOf(oddMessage.applicationProperties),
      ...changes,
      map: deep,
      array: [long(2n ** 40n)],
      described: deep,
    });
  });

  it("is delivered after a rule changed it, although its creation time is beyond the range of dates", async () => {
    await using fixture = await openOrders();
    await fixture.broker.createTopic("news");
    const rule = {
      name: "all",
      filter: { type: "true" },
      action: { expression: "SET sys.Label = 'new'" },
    } as const;
    await fixture.broker.createSubscription("news", "sub", {}, rule);
    const far = timestamp(2n ** 63n - 1n);
    const properties = encodeValue(described(0x73n, [...Array(8).fill(null), far, far]));
    const body = encodeMessage({ body: { kind: "value", value: "x" } });
    await fixture.broker.sender("news").send(toBrokerMessage(scanMessage(Buffer.concat([properties, body]))));
    const [message] = await fixture.broker.receiver("news/Subscriptions/sub").receive();
    expect(encode(message!).decodeProperties()).toMatchObject({
      subject: "new",
      creationTime: new Date(8.64e15),
    });
  });

  it("is always delivered with the same generated id if it was sent without one", async () => {
    await using fixture = await openOrders();
    const { messageId, ...properties } = oddMessage.properties;
    const message = await fixture.pass(
      encodeMessage({ ...oddMessage, header: { durable: true }, properties }),
    );
    const first = encode(message).decodeProperties();
    expect(first).toEqual({ ...first, ...properties, messageId: message.messageId });
    expect(message.messageId).toMatch(/^[0-9a-f]{32}$/);
    await fixture.receiver.abandon(message, { int: "changed" });
    const [again] = await fixture.receiver.receive();
    expect(encode(again!).decodeProperties()).toEqual(first);
    expect(encode(again!).decodeBody()).toEqual([Buffer.from("body")]);
  });

  it("is read by receivers in the broker's process", async () => {
    await using fixture = await openOrders();
    const message = await fixture.pass(encodeMessage(oddMessage));
    expect(message.messageId).toBe(id);
    expect(message.correlationId).toBe(7n);
    expect(message.body).toEqual({ section: "data", bytes: new Uint8Array(Buffer.from("body")) });
    expect(message.applicationProperties).toMatchObject({
      long: 5n,
      int: 5,
      guid: { type: "guid", value: id },
      span: { type: "timespan", ticks: 600_000_000n },
    });
    expect(Object.keys(message.applicationProperties)).toContain("__proto__");
    const bytes = Buffer.from("bytes");
    const binary = await fixture.pass(
      encodeMessage({ applicationProperties: stringMap({ bytes }), body: { kind: "value", value: [bytes] } }),
    );
    expect(binary.applicationProperties).toStrictEqual({ bytes: new Uint8Array(bytes) });
    expect(binary.body).toStrictEqual({ section: "value", value: [new Uint8Array(bytes)] });
    const graph = await fixture.pass(
      encodeMessage({ body: { kind: "value", value: new AmqpMap([[symbol("a"), [int(1), null]]]) } }),
    );
    expect(graph.body).toEqual({ section: "value", value: { a: [1, null] } });
  });

  it("is sent by senders in the broker's process", async () => {
    await using fixture = await openOrders();
    await fixture.broker.sender("orders").send({
      body: { section: "data", bytes: Buffer.from("body") },
      messageId: "m",
      subject: "s",
      sessionId: "g",
      timeToLiveMs: 1000,
      applicationProperties: { n: 1, big: 2n ** 40n, at: new Date(5), ratio: 0.5 },
    });
    const [message] = await fixture.receiver.receive();
    const received = encode(message!);
    expect(received.decodeProperties()).toMatchObject({ messageId: "m", subject: "s", groupId: "g" });
    expect(received.decodeHeader()).toMatchObject({ ttl: 1000, deliveryCount: 0 });
    expect(entriesOf(received.decodeApplicationProperties())).toEqual({
      n: int(1),
      big: long(2n ** 40n),
      at: timestamp(new Date(5)),
      ratio: 0.5,
    });
    expect(received.decodeBody()).toEqual([Buffer.from("body")]);
  });

  it.each<[string, unknown, AmqpValue]>([
    [
      "an object with a member called type",
      { type: "order", value: { id: 5 } },
      mapOf("order", stringMap({ id: int(5) })),
    ],
    ["an object whose type is one of AMQP's", { type: "int", value: "five" }, mapOf("int", "five")],
    ["a schema", { type: "array", items: "long" }, stringMap({ type: "array", items: "long" })],
    ["an object that is not a GUID", { type: "guid", value: "x" }, mapOf("guid", "x")],
    [
      "a Map",
      new Map<unknown, unknown>([[1, new Map([["a", null]])]]),
      new AmqpMap([[int(1), stringMap({ a: null })]]),
    ],
    ["a list with a hole", Object.assign([], { 1: 1 }), [null, int(1)]],
    ["a typed value", { type: "ulong", value: 5n }, ulong(5n)],
    ["a GUID", { type: "guid", value: id }, uuid(id)],
  ])("delivers %s from a sender in the broker's process", async (_name, value, expected) => {
    await using fixture = await openOrders();
    await fixture.broker.sender("orders").send({ body: { section: "value", value } });
    const [message] = await fixture.receiver.receive();
    expect(encode(message!).decodeBody()).toEqual([expected]);
  });
});
