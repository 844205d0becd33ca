import { gzipSync } from "node:zlib";
import { ServiceBusClient, type ServiceBusMessage } from "@azure/service-bus";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { defineMessage, sdkBodies, WaybillClient, type WaybillClientOptions } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { azureTransport } from "./azure-transport.js";

const bytes = (text: string) => Buffer.from(text, "utf8");

type Sent = Pick<ServiceBusMessage, "body" | "contentType" | "applicationProperties">;

/** What the SDK's sender makes of these, and bytes as any other sender leaves them. */
const kinds: readonly (readonly [kind: string, sent: Sent | object])[] = [
  ["an object", { body: { id: 1, lines: [{ sku: "a" }] } }],
  ["an empty object", { body: {} }],
  ["a list", { body: [1, "two", null] }],
  ["an empty list", { body: [] }],
  ["a string", { body: "hello" }],
  ["a string under text/plain", { body: "hello", contentType: "text/plain" }],
  ["a string under application/json", { body: "hello", contentType: "application/json" }],
  ["an empty string", { body: "" }],
  ["a number", { body: 7 }],
  ["a fraction", { body: 1.5 }],
  ["true", { body: true }],
  ["false", { body: false }],
  ["null", { body: null }],
  ["undefined", { body: undefined }],
  ["a date, which becomes a string", { body: new Date(0) }],
  ["an object with __proto__", { body: bytes('{"__proto__":{"a":1}}') }],
  ["an integer above 2^53", { body: bytes("9007199254740993") }],
  [
    "JSON under application/octet-stream",
    { body: bytes('{"a":1}'), contentType: "application/octet-stream" },
  ],
  ["JSON under application/xml", { body: bytes('{"a":1}'), contentType: "application/xml" }],
  ["JSON under a content type that is none", { body: bytes('{"a":1}'), contentType: "json!" }],
  ["JSON with white space around it", { body: bytes(' \n{"a":1}\n') }],
  ["JSON after a byte order mark", { body: bytes('\ufeff{"a":1}') }],
  ["two values of JSON", { body: bytes('{"a":1}{"b":2}') }],
  ["text that is not JSON", { body: bytes("hello there") }],
  ["text under text/plain", { body: bytes("hello there"), contentType: "text/plain; charset=utf-8" }],
  ["text that is JSON by chance", { body: bytes("12"), contentType: "text/plain" }],
  ["XML", { body: bytes("<a>1</a>"), contentType: "application/xml" }],
  ["bytes", { body: Buffer.from([0xff, 0, 0x80]) }],
  ["a Uint8Array", { body: Uint8Array.of(1, 2, 3) }],
  ["an empty Buffer", { body: Buffer.alloc(0) }],
  ["an empty Buffer under application/json", { body: Buffer.alloc(0), contentType: "application/json" }],
  ["a string in JSON with bytes that are not UTF-8", { body: Buffer.from([0x22, 0xc3, 0x28, 0x22]) }],
  [
    "gzip, as the application property says",
    { body: gzipSync("[1]"), applicationProperties: { "Content-Encoding": "gzip" } },
  ],
  ["an AMQP value that is a string of JSON", { bodyType: "value", body: '{"a":1}' }],
  [
    "the same under application/json",
    { bodyType: "value", body: '{"a":1}', properties: { contentType: "application/json" } },
  ],
  ["an AMQP value that is a number", { bodyType: "value", body: 7 }],
  ["an AMQP value that is a map", { bodyType: "value", body: { a: 1, b: ["c"] } }],
  ["an AMQP value that is binary", { bodyType: "value", body: Buffer.from("[1]") }],
  ["an AMQP sequence", { bodyType: "sequence", body: [1, "two"] }],
];

/** A broker server with two queues, the SDK's client and ours. */
async function open(options: WaybillClientOptions = { ...sdkBodies() }) {
  const broker = createBroker();
  for (const queue of ["sdk", "waybill"]) await broker.createQueue(queue);
  const server = await serve(broker, { port: 0 });
  const sdk = new ServiceBusClient(server.connectionString);
  const client = new WaybillClient(azureTransport(sdk), options);
  return {
    sdk,
    client,
    /** Sends the same with the SDK to both queues. */
    async send(message: object): Promise<void> {
      for (const queue of ["sdk", "waybill"]) {
        const sender = sdk.createSender(queue);
        await sender.sendMessages(message as ServiceBusMessage);
        await sender.close();
      }
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await sdk.close();
      await server.close();
      await broker.close();
    },
  };
}

describe("sdkBodies", () => {
  it("reads every kind of body exactly as the receiver of the SDK does", async () => {
    await using fixture = await open();
    for (const [, sent] of kinds) await fixture.send(sent);
    const theirs = await received(fixture.sdk.createReceiver("sdk"));
    const ours = await received(fixture.client.createReceiver("waybill"));
    const named = (bodies: readonly unknown[]) =>
      bodies.map((body, index) => [kinds[index]?.[0], kindOf(body), body]);
    expect(theirs).toHaveLength(kinds.length);
    expect(named(ours)).toEqual(named(theirs));
  });

  it("writes what the receiver of the SDK reads as it reads its own sender's", async () => {
    await using fixture = await open();
    const bodies = [{ a: 1 }, "hello", 7, null, [1], Buffer.from([1, 2]), Buffer.alloc(0), new Date(0)];
    const sender = fixture.client.createSender("waybill");
    for (const body of bodies) {
      await sender.sendMessages({ body });
      await fixture.sdk.createSender("sdk").sendMessages({ body });
    }
    const theirs = await received(fixture.sdk.createReceiver("sdk"), bodies.length);
    const ours = await received(fixture.sdk.createReceiver("waybill"), bodies.length);
    expect(ours.map((body) => [kindOf(body), body])).toEqual(theirs.map((body) => [kindOf(body), body]));
  });
});

describe("the client beside the SDK", () => {
  it("reads integers beyond 2^53 exactly, which the SDK rounds", async () => {
    await using fixture = await open({ serializer: json() });
    await fixture.send({ body: bytes("9007199254740993") });
    expect(await received(fixture.sdk.createReceiver("sdk"), 1)).toEqual([9007199254740992]);
    expect(await received(fixture.client.createReceiver("waybill"), 1)).toEqual([9007199254740993n]);
  });

  it("gives undefined for an empty Buffer, which the SDK leaves as it is", async () => {
    await using fixture = await open({ serializer: json() });
    await fixture.send({ body: Buffer.alloc(0) });
    expect(await received(fixture.sdk.createReceiver("sdk"), 1)).toEqual([Buffer.alloc(0)]);
    expect(await received(fixture.client.createReceiver("waybill"), 1)).toEqual([undefined]);
  });

  it("sets the subject of a message of a type, which the SDK sees", async () => {
    const orderPlaced = defineMessage("order-placed", { version: 1 });
    await using fixture = await open({ serializer: json(), messageTypes: [orderPlaced] });
    const message = orderPlaced.message({ id: 1 }, { subject: "mine" } as object);
    await fixture.client.createSender("sdk").sendMessages(message);
    const [there] = await fixture.sdk.createReceiver("sdk").receiveMessages(1);
    expect(there?.subject).toBe("order-placed");
  });

  it("replies to a request of the SDK in its format, not in that of the main serializer", async () => {
    const { identifies: _, ...plain } = json();
    const next = { ...plain, name: "next", mediaTypes: ["application/x-next"], detection: "label" as const };
    await using fixture = await open({
      serializer: { ...next, leadingBytes: [] },
      additionalDeserializers: [json()],
      contentTypePolicies: { missing: { assume: "json" } },
    });
    for (const contentType of [undefined, "application/json"]) {
      const request = { body: { id: 1 }, replyTo: "sdk", messageId: "request", contentType };
      await fixture.sdk.createSender("waybill").sendMessages(request as ServiceBusMessage);
      const receiver = fixture.client.createReceiver("waybill");
      const [received] = await receiver.receiveMessages(1);
      if (received === undefined) throw new Error("The request did not arrive.");
      await fixture.client.reply(received, { ok: true });
      await receiver.completeMessage(received);
      await receiver.close();
      const replies = fixture.sdk.createReceiver("sdk", { receiveMode: "receiveAndDelete" });
      const [reply] = await replies.receiveMessages(1);
      await replies.close();
      expect(reply).toMatchObject({
        body: { ok: true },
        contentType: "application/json",
        correlationId: "request",
      });
    }
  });
});

/** The bodies of all messages, in their order. */
async function received(
  receiver: { receiveMessages(count: number, options: object): Promise<readonly { body?: unknown }[]> },
  count = kinds.length,
): Promise<unknown[]> {
  const bodies: unknown[] = [];
  while (bodies.length < count) {
    const messages = await receiver.receiveMessages(count - bodies.length, { maxWaitTimeInMs: 60_000 });
    bodies.push(...messages.map(({ body }) => body));
  }
  return bodies;
}

function kindOf(body: unknown): string {
  return Buffer.isBuffer(body) ? "Buffer" : Object.prototype.toString.call(body);
}
