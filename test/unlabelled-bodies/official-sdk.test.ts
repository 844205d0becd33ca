import { type PipelineOptions, text, WaybillClient } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { openLossyFixture } from "../../packages/transport-azure/src/lossy-fixture.test-support.js";

const sent = new Date("2026-11-05T12:34:56.789Z");

/** Bodies that the official SDK sends without a content type, and the values that a handler should get. */
const bodies: readonly (readonly [name: string, body: unknown, arrives: unknown])[] = [
  ["a string", "hello", "hello"],
  ["the empty string", "", ""],
  ["a string that looks like JSON", '{"a":1}', '{"a":1}'],
  ["a string of digits", "42", "42"],
  ["an integer", 42, 42],
  ["zero", 0, 0],
  ["a fraction", -0.5, -0.5],
  ["true", true, true],
  ["false", false, false],
  ["null", null, null],
  // The SDK writes JSON's null for it.
  ["undefined", undefined, null],
  ["a date", sent, sent.toJSON()],
  ["an object", { id: "A-1042", lines: [{ sku: "lamp" }] }, { id: "A-1042", lines: [{ sku: "lamp" }] }],
  ["the empty object", {}, {}],
  ["an array", [1, "two", null], [1, "two", null]],
  ["the empty array", [], []],
  ["a Buffer of JSON", Buffer.from('"hello"'), "hello"],
  ["the empty Buffer", Buffer.alloc(0), undefined],
  ["the empty Uint8Array", new Uint8Array(), undefined],
];

const order = { type: "record", name: "Order", fields: [{ name: "id", type: "string" }] } as const;

const consumers: readonly (readonly [string, PipelineOptions])[] = [
  ["a chain of JSON", { serializer: json() }],
  [
    "a chain of three that assumes JSON",
    {
      serializer: avro({ schema: order }),
      additionalDeserializers: [msgpack(), json()],
      contentTypePolicies: { missing: { assume: "json" } },
    },
  ],
];

describe.each(consumers)("messages of the official SDK without a content type, read by %s", (_, options) => {
  it("reach the handler, and none is dead-lettered", async () => {
    await using fixture = await openLossyFixture();
    const sender = fixture.client.createSender("orders");
    await sender.sendMessages(bodies.map(([name, body]) => ({ body, messageId: name })));
    await sender.close();

    const client = new WaybillClient(fixture.transport, options);
    const arrived = new Map<unknown, unknown>();
    const failures: unknown[] = [];
    await new Promise<void>((resolve, reject) => {
      client.createReceiver("orders").subscribe({
        processMessage({ messageId, body, deserialization }) {
          arrived.set(messageId, body);
          expect(deserialization).toMatchObject(
            deserialization.isEmpty === true
              ? { serializer: undefined, assumed: undefined }
              : { serializer: "json", declared: undefined, assumed: "json", attempts: [] },
          );
          if (arrived.size === bodies.length) resolve();
        },
        processError({ error }) {
          failures.push(error);
          reject(error);
        },
      });
    });
    await client.close();

    expect(failures).toEqual([]);
    expect([...arrived]).toEqual(bodies.map(([name, , value]) => [name, value]));
    const deadLetters = fixture.client.createReceiver("orders", { subQueueType: "deadLetter" });
    expect(await deadLetters.peekMessages(1)).toEqual([]);
  });
});

describe("a message that waybill sends without a body", () => {
  it("is a message without bytes and without a content type for the official SDK", async () => {
    await using fixture = await openLossyFixture();
    const client = new WaybillClient(fixture.transport, { serializer: json() });
    await client.createSender("orders").sendMessages({ body: undefined, subject: "ping" });
    const [message] = await fixture.client
      .createReceiver("orders")
      .receiveMessages(1, { maxWaitTimeInMs: 5_000 });
    expect(message?.subject).toBe("ping");
    expect(message?.contentType).toBeUndefined();
    expect(message?.body).toEqual(Buffer.alloc(0));
    await client.close();
  });
});

describe("a string that the official SDK sends as bytes, with its content type", () => {
  it("is read by text()", async () => {
    await using fixture = await openLossyFixture();
    const body = Buffer.from("Zoë wrote 42");
    await fixture.client
      .createSender("orders")
      .sendMessages({ body, contentType: "text/plain; charset=utf-8" });
    const client = new WaybillClient(fixture.transport, {
      serializer: json(),
      additionalDeserializers: [text()],
    });
    const receiver = client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 5_000 });
    expect(message).toMatchObject({ body: "Zoë wrote 42", deserialization: { serializer: "text" } });
    await client.close();
  });
});
