import { avro } from "@waybill/serializer-avro";
import { CloudEvent, HTTP } from "cloudevents";
import { describe, expect, it } from "vitest";
import { cloudEvents, dapr } from "./cloud-events.js";
import { cloudEventsAvro } from "./cloud-events-avro.js";
import { envelopes } from "./envelopes.js";
import { asPlaced, content, order, read, sent, unknownType, write } from "./messages.test-support.js";
import { nserviceBus } from "./nservicebus.js";

const types = { "com.shop.order.placed": "order-placed", "com.shop.order.paid": "order-paid" };
const attributes = { specversion: "1.0", id: "e-1", source: "/shop", type: "com.shop.order.placed" };
const event = { ...attributes, datacontenttype: "application/json", data: order };
const structured = "application/cloudevents+json; charset=utf-8";
const bus = cloudEvents({ types, source: "/shop" });

/** Attributes in binary mode, in the form of the AMQP binding. */
function prefixed(prefix: string, more: object = {}) {
  const entries = Object.entries({ ...attributes, ...more }).map(([name, value]) => [prefix + name, value]);
  return Object.fromEntries(entries) as Record<string, string>;
}

describe("CloudEvents in binary mode", () => {
  it.each(["cloudEvents_", "cloudEvents:"])("are read with the prefix %s", async (prefix) => {
    const message = sent(order, { contentType: "application/json", applicationProperties: prefixed(prefix) });
    expect(await read(bus, message)).toMatchObject(asPlaced);
    const other = {
      ...message,
      applicationProperties: prefixed(prefix, { type: "com.shop.order.placed.v2" }),
    };
    expect(await read(bus, other)).toMatchObject(unknownType);
  });

  it("are written as they are read, and do not replace attributes of the message", async () => {
    const message = await write(bus, {
      subject: "order-placed",
      body: order,
      applicationProperties: {
        cloudEvents_traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        cloudEvents_source: "/mine",
      },
    });
    expect(message.applicationProperties).toMatchObject({
      cloudEvents_specversion: "1.0",
      cloudEvents_id: message.messageId,
      cloudEvents_source: "/mine",
      cloudEvents_type: "com.shop.order.placed",
      cloudEvents_traceparent: expect.any(String),
    });
    expect(await read(bus, message)).toMatchObject(asPlaced);
  });

  it("have a time as an AMQP timestamp or as text", () => {
    const time = "2026-11-05T12:34:56.789Z";
    const facts = (value: string | Date) =>
      bus.facts({ applicationProperties: { ...prefixed("cloudEvents_"), cloudEvents_time: value } });
    expect(facts(time)).toEqual(facts(new Date(time)));
    expect(facts(time)).toMatchObject({
      messageId: "e-1",
      types: ["com.shop.order.placed"],
      sentAt: new Date(time),
    });
  });
});

describe("CloudEvents in structured mode", () => {
  it("of the official JavaScript SDK are read, and the SDK reads ours", async () => {
    const theirs = HTTP.structured(new CloudEvent({ ...event }));
    const body = new TextEncoder().encode(String(theirs.body));
    expect(
      await read(bus, sent(body, { contentType: String(theirs.headers["content-type"]) })),
    ).toMatchObject(asPlaced);
    const ours = await write(cloudEvents({ types, source: "/shop", mode: "structured" }), {
      subject: "order-placed",
      body: order,
    });
    const read2 = HTTP.toEvent({
      headers: { "content-type": String(ours.contentType) },
      body: content(ours),
    }) as CloudEvent;
    expect(read2).toMatchObject({
      type: "com.shop.order.placed",
      source: "/shop",
      data: order,
      id: ours.messageId,
    });
  });

  it("have bytes as base64", async () => {
    const bytes = Uint8Array.of(0, 1, 254, 255);
    const theirs = HTTP.structured(
      new CloudEvent({ ...attributes, datacontenttype: "application/octet-stream", data: bytes }),
    );
    const message = sent(new TextEncoder().encode(String(theirs.body)), { contentType: structured });
    expect(await read(bus, message)).toMatchObject({ body: bytes });
    const own = await write(cloudEvents({ types, mode: "structured" }), {
      subject: "order-placed",
      body: bytes,
    });
    expect(await read(bus, own)).toMatchObject({ body: bytes });
  });

  it("of version 0.3 are read, with their base64 in data", async () => {
    const older = { ...event, specversion: "0.3", datacontentencoding: "base64" };
    const data = Buffer.from(JSON.stringify(order)).toString("base64");
    expect(await read(bus, sent({ ...older, data }, { contentType: structured }))).toMatchObject(asPlaced);
    expect(await read(bus, sent(older, { contentType: structured }))).toMatchObject({
      status: "undeserializable",
    });
    const plain = sent({ ...event, specversion: "0.3" }, { contentType: structured });
    expect(await read(bus, plain)).toMatchObject(asPlaced);
  });

  it("are read where the data that they do not have is null", async () => {
    const asData = sent({ ...event, data_base64: null, subject: null }, { contentType: structured });
    expect(await read(bus, asData)).toMatchObject(asPlaced);
    const asBytes = sent({ ...attributes, data: null, data_base64: "AAE=" }, { contentType: structured });
    expect(await read(bus, asBytes)).toMatchObject({ body: Uint8Array.of(0, 1) });
  });

  it("of the Avro format are read and written", async () => {
    const own = cloudEvents({ types, mode: "structured", format: "avro" });
    const serializer = cloudEventsAvro(avro);
    const message = await write(own, { subject: "order-placed", body: order }, [serializer]);
    expect(message.contentType).toBe("application/cloudevents+avro");
    expect(await read(own, message, [serializer])).toMatchObject({
      ...asPlaced,
      report: { serializer: "cloudevents-avro" },
    });
  });

  it.each([
    ["a batch", [event]],
    ["no type", { ...event, type: undefined }],
    ["an empty id", { ...event, id: "" }],
    ["a future specversion", { ...event, specversion: "2.0" }],
    ["both kinds of data", { ...event, data_base64: "AA==" }],
    ["bad base64", { ...attributes, data_base64: "A" }],
  ])("with %s are refused", async (_, body) => {
    const outcome = await read(bus, sent(body, { contentType: structured }));
    expect(outcome).toMatchObject({
      status: "undeserializable",
      report: { attempts: [{ reason: "malformed" }] },
    });
  });

  it("do not confuse an unknown type with another", async () => {
    const body = { ...event, type: "com.shop.order" };
    expect(await read(bus, sent(body, { contentType: structured }))).toMatchObject(unknownType);
  });

  it("are answered in the same mode", async () => {
    const properties = bus.replyProperties({
      contentType: structured,
      applicationProperties: {},
      messageId: "e-1",
    });
    const reply = await write(bus, { subject: "order-paid", body: order, ...properties });
    expect(content(reply)).toMatchObject({ type: "com.shop.order.paid", data: order });
  });
});

describe("dapr", () => {
  const bus2 = dapr({ types: { ...types, orders: "order-placed" } });
  /** From the tests of Dapr, `pubsub/envelope_test.go`. */
  const published = {
    data: order,
    datacontenttype: "application/json",
    id: "5929aaac-a5e2-4ca1-859c-edfe73f11565",
    pubsubname: "pubsub",
    source: "checkout",
    specversion: "1.0",
    time: "2026-11-05T12:34:56Z",
    topic: "orders",
    traceid: "00-113ad9c4e42b27583ae98ba698d54255-e3743e35ff56f219-01",
    type: "com.dapr.event.sent",
  };

  it("reads events without a content type, with the topic as message type if the type is Dapr's default", async () => {
    expect(await read(bus2, sent(published))).toMatchObject(asPlaced);
    expect(
      await read(bus2, sent({ ...published, type: "com.shop.order.placed", topic: "other" })),
    ).toMatchObject(asPlaced);
    expect(await read(bus2, sent({ ...published, topic: "invoices" }))).toMatchObject(unknownType);
  });

  it("reads binary data", async () => {
    const { data: _, ...rest } = published;
    const bytes = { ...rest, datacontenttype: "application/octet-stream", data_base64: "AAH+/w==" };
    expect(await read(bus2, sent(bytes))).toMatchObject({ body: Uint8Array.of(0, 1, 254, 255) });
  });

  it("does not change other JSON", async () => {
    expect(await read(bus2, sent({ id: "1", type: "com.shop.order.placed" }))).toMatchObject({
      status: "decoded",
      report: { messageType: undefined },
    });
  });

  it("writes events that Dapr reads", async () => {
    const message = await write(dapr({ source: "checkout", pubsubName: "pubsub" }), {
      subject: "order-placed",
      to: "orders",
      body: order,
    });
    expect(content(message)).toMatchObject({
      specversion: "1.0",
      type: "order-placed",
      topic: "orders",
      pubsubname: "pubsub",
      data: order,
    });
    expect(await read(dapr(), message)).toMatchObject(asPlaced);
  });
});

describe("envelopes", () => {
  const every = envelopes([
    nserviceBus({ types: { "Shop.OrderPlaced": "order-placed" } }),
    bus,
    dapr({ types }),
  ]);

  it("reads each message by the envelope that recognises it", async () => {
    const properties = {
      "NServiceBus.EnclosedMessageTypes": "Shop.OrderPlaced, Shop",
      "NServiceBus.MessageId": "1",
    };
    const messages = [
      sent(order, { applicationProperties: properties }),
      sent(order, { applicationProperties: prefixed("cloudEvents_") }),
      sent(event, { contentType: structured }),
      sent(event),
      sent(order, { subject: "order-placed" }),
    ];
    for (const message of messages) expect(await read(every, message)).toMatchObject(asPlaced);
  });

  it("writes the configured envelope", async () => {
    expect(await write(every, { subject: "order-placed", body: order })).toMatchObject({
      subject: "order-placed",
    });
    const ours = envelopes([bus], { otherwise: bus });
    const message = await write(ours, { subject: "order-placed", body: order });
    expect(message.applicationProperties).toMatchObject({ cloudEvents_type: "com.shop.order.placed" });
  });
});
