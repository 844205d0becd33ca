import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type EncodedMessage, WaybillClient } from "@waybill/core";
import type { DiagnosticEvent } from "@waybill/core/diagnostics";
import { describe, expect, it } from "vitest";
import { openExplorer, pipeline } from "./fixture.test-support.js";

const utf8 = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"));
/** What .NET's serializer wrote. */
const dotnet = (name: string) =>
  new Uint8Array(
    readFileSync(new URL(`../../serializer-dotnet/fixtures/legacy/${name}.bin`, import.meta.url)),
  );

const event = {
  specversion: "1.0",
  id: "1",
  source: "/shop",
  type: "shop.order.placed",
  datacontenttype: "application/json",
  data: { id: 7 },
};
const massTransit = {
  messageId: "0ee20000-5dd1-0015-5ff7-08db5e8a6a5f",
  conversationId: "0ee20000-5dd1-0015-6f2c-08db5e8a6a60",
  sourceAddress: "sb://shop.servicebus.windows.net/orders",
  destinationAddress: "sb://shop.servicebus.windows.net/billing",
  messageType: ["urn:message:Shop.Contracts:OrderPlaced"],
  message: { id: 7 },
  sentTime: "2026-11-05T12:34:56.789Z",
  headers: {},
  host: { machineName: "shop-1", processName: "dotnet", massTransitVersion: "8.2.0.0" },
};
const base64 = Buffer.from('{"Id":7}').toString("base64");
const nserviceBus = {
  MessageId: "1",
  Headers: {
    "NServiceBus.EnclosedMessageTypes": "Shop.Contracts.OrderPlaced, Shop.Contracts",
    "NServiceBus.ContentType": "application/json",
  },
  Body: base64,
};
const rebus = {
  Headers: {
    "rbs2-msg-id": "9d2d7e2a-47a1-4a3e-8a9e-5a0c1e0f3a11",
    "rbs2-msg-type": "Shop.Contracts.OrderPlaced, Shop.Contracts",
    "rbs2-content-type": "application/json;charset=utf-8",
  },
  Body: base64,
};

describe.each<[string, EncodedMessage, "decoded" | "undeserializable", string]>([
  [
    "a CloudEvent without its content type",
    { body: utf8(event) },
    "decoded",
    "It looks like a CloudEvent whose content type was lost: add messageTypeResolver: dapr(), with messageTypes (@waybill/envelopes). Let the sender set the content type application/cloudevents+json.",
  ],
  [
    "a CloudEvent of Dapr labelled as JSON",
    { body: utf8({ ...event, pubsubname: "pubsub", topic: "orders" }), contentType: "application/json" },
    "decoded",
    "It looks like a CloudEvent of Dapr: add messageTypeResolver: dapr(), with messageTypes (@waybill/envelopes).",
  ],
  [
    "an envelope of MassTransit labelled as JSON",
    { body: utf8(massTransit), contentType: "application/json" },
    "decoded",
    "It looks like an envelope of MassTransit whose content type was lost: add messageTypeResolver: massTransit(), with messageTypes (@waybill/envelopes). Let the sender set the content type application/vnd.masstransit+json.",
  ],
  [
    "an envelope of NServiceBus",
    { body: utf8(nserviceBus) },
    "decoded",
    "It looks like an envelope that NServiceBus wrote for another transport. Let the sender send through NServiceBus's transport for Azure Service Bus.",
  ],
  [
    "an envelope of Rebus",
    { body: utf8(rebus) },
    "decoded",
    "It looks like an envelope that Rebus wrote for another transport. Let the sender send through Rebus's transport for Azure Service Bus.",
  ],
  [
    "a legacy .NET string holding JSON",
    { body: dotnet("string-json") },
    "undeserializable",
    "It looks like a legacy .NET string holding JSON: add dotnetBinary({ json: true }) (@waybill/serializer-dotnet).",
  ],
  [
    "a legacy .NET object",
    { body: dotnet("poco-order") },
    "undeserializable",
    'It looks like a legacy .NET object "Order": add dotnetBinary() (@waybill/serializer-dotnet).',
  ],
  [
    "JSON that Rebus compressed",
    {
      body: new Uint8Array(gzipSync('{"Id":7}')),
      contentType: "application/json;charset=utf-8",
      applicationProperties: { "rbs2-msg-type": "Shop.OrderPlaced", "rbs2-content-encoding": "gzip" },
    },
    "undeserializable",
    "It looks like a message of Rebus, compressed. Let the sender set the application property Content-Encoding: gzip.",
  ],
  [
    "Avro with Confluent's schema id",
    { body: hex("00 00000007 0c412d31303432") },
    "undeserializable",
    "It looks like Avro with the id 7 in Confluent's framing: add registryAvro(avro, { source }) (@waybill/schema-registry).",
  ],
])("%s", (_, message, status, looksLike) => {
  it("is noticed in a rehearsal, in the event and on the page", async () => {
    const events: DiagnosticEvent[] = [];
    await using fixture = await openExplorer();
    const diagnostics = { onEvent: (each: DiagnosticEvent) => events.push(each) };
    await using client = new WaybillClient(fixture.transport, { pipeline, diagnostics });
    await fixture.send(message);

    const { groups } = await client.rehearse("orders");
    expect(groups).toMatchObject([{ outcome: status, looksLike }]);

    const answer = await fixture.get("/api/message?entity=orders&number=1");
    expect(answer.json<{ reading: object }>().reading).toMatchObject({ status, looksLike });

    await client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 0 });
    const [event] = events.filter(({ type }) => type === "deserialize");
    const [name] = looksLike.slice("It looks like ".length).split(/: add |\. Let /);
    expect(event).toMatchObject({ outcome: status, looksLike: { name: name?.replace(/\.$/, "") } });
  });
});
