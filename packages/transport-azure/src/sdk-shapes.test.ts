import type { ServiceBusMessage, ServiceBusReceivedMessage } from "@azure/service-bus";
import { bytes, type Message, text, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { openLossyFixture } from "./lossy-fixture.test-support.js";

type AmqpAnnotatedMessage = ServiceBusReceivedMessage["_rawAmqpMessage"];

/** Bodies that users of the official SDK send. */
const bodies: readonly unknown[] = [
  { order: 1, paid: true, lines: [{ sku: "lamp", cents: 990 }], note: null, missing: undefined },
  { at: new Date(0), text: 'ü "quoted" \u2028 \ud83d\ude80', nested: { deep: [[[]]] } },
  [1, "two", null],
  "a text",
  42,
  -0.5,
  true,
  null,
  {},
  [],
  "",
];

async function openBoth() {
  const fixture = await openLossyFixture();
  const client = new WaybillClient(fixture.transport, {
    serializer: json(),
    additionalDeserializers: [text(), bytes()],
    contentTypePolicies: { missing: { assume: "json" } },
  });
  return {
    sdk: fixture.client,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

describe("the client as a replacement of the SDK's", () => {
  it("writes the same bytes, and sets their content type", async () => {
    await using both = await openBoth();
    const messages = bodies.map((body): ServiceBusMessage => ({ body }));
    await both.sdk.createSender("orders").sendMessages(messages);
    await both.client.createSender("orders").sendMessages(messages);
    const received = await both.client.createReceiver("orders").receiveMessages(2 * bodies.length);
    const sent = received.map(({ rawBody }) => Buffer.from(rawBody as Uint8Array).toString());
    expect(sent.slice(bodies.length)).toEqual(sent.slice(0, bodies.length));
    const labels = received.map(({ contentType }) => contentType);
    expect(new Set(labels.slice(0, bodies.length))).toEqual(new Set([undefined]));
    expect(new Set(labels.slice(bodies.length))).toEqual(new Set(["application/json"]));
  });

  it("reads everything that the SDK sends, and the SDK reads what it sends", async () => {
    await using both = await openBoth();
    const asJson = JSON.parse(JSON.stringify(bodies));
    await both.sdk.createSender("orders").sendMessages(bodies.map((body) => ({ body })));
    const read = both.client.createReceiver("orders", { receiveMode: "receiveAndDelete" });
    expect((await read.receiveMessages(bodies.length)).map(({ body }) => body)).toEqual(asJson);
    await both.client.createSender("orders").sendMessages(bodies.map((body) => ({ body })));
    const back = both.sdk.createReceiver("orders", { receiveMode: "receiveAndDelete" });
    expect((await back.receiveMessages(bodies.length)).map(({ body }) => body)).toEqual(asJson);
  });

  it("can send a message that an SDK receiver received", async () => {
    await using both = await openBoth();
    const message: ServiceBusMessage = {
      body: { order: 1 },
      messageId: "m1",
      subject: "order-placed",
      correlationId: "c1",
      timeToLive: 60_000,
      applicationProperties: { type: "order-placed", tenant: "t1", count: 7, none: null },
    };
    await both.sdk.createSender("orders").sendMessages(message);
    const receiver = both.sdk.createReceiver("orders");
    const [received] = await receiver.receiveMessages(1);
    if (received === undefined) throw new Error("nothing came");
    await both.client.createSender("orders").sendMessages(received);
    await receiver.completeMessage(received);
    const [again] = await both.client.createReceiver("orders").receiveMessages(1);
    expect(again).toMatchObject({ ...message, deliveryCount: 0 });
  });

  it("sends bytes if the content type declares them, like the SDK sends a Buffer", async () => {
    await using both = await openBoth();
    const contentType = "application/octet-stream";
    const body = Buffer.from([0xff, 0x00, 0x7b]);
    await both.sdk.createSender("orders").sendMessages({ body, contentType });
    await both.client.createSender("orders").sendMessages({ body, contentType });
    const received = await both.client.createReceiver("orders").receiveMessages(2);
    expect(received.map(({ body }) => body)).toEqual([new Uint8Array(body), new Uint8Array(body)]);
  });
});

describe("other message shapes of the SDK", () => {
  it("are refused with an explanation: annotated messages and batches of other clients", async () => {
    await using both = await openBoth();
    const sender = both.client.createSender("orders");
    const annotated: AmqpAnnotatedMessage = {
      body: { order: 1 },
      bodyType: "data",
      properties: { messageId: "m1" },
    };
    await expect(sender.sendMessages(annotated as Message)).rejects.toThrow(
      "An AmqpAnnotatedMessage cannot be sent: its properties stand elsewhere.",
    );
    const batch = await both.sdk.createSender("orders").createMessageBatch();
    await expect(sender.sendMessages(batch as unknown as Message)).rejects.toThrow(
      "A batch of another client cannot be sent; make one with createMessageBatch of this sender.",
    );
  });

  it("are refused with a hint: sequence numbers that are a Long", async () => {
    await using both = await openBoth();
    const [long] = await both.sdk
      .createSender("orders")
      .scheduleMessages({ body: 1 }, new Date(Date.now() + 60_000));
    if (long === undefined) throw new Error("nothing was scheduled");
    const sender = both.client.createSender("orders");
    await expect(sender.cancelScheduledMessages(long as never)).rejects.toThrow(
      "A sequence number must be a bigint; got a Long, which BigInt(long.toString()) turns into one.",
    );
    await sender.cancelScheduledMessages(BigInt(long.toString()));
  });
});
