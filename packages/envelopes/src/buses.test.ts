import { describe, expect, it } from "vitest";
import { massTransit } from "./masstransit.js";
import { asPlaced, content, order, read, sent, unknownType, write } from "./messages.test-support.js";
import { nserviceBus } from "./nservicebus.js";
import { wolverine } from "./wolverine.js";

const types = { "Shop.Contracts.OrderPlaced": "order-placed", "Shop.Contracts.OrderPaid": "order-paid" };

describe("nserviceBus", () => {
  const bus = nserviceBus({ types, endpoint: "Shop" });
  const request = {
    "NServiceBus.MessageId": "0f6c1b5e-0000-4000-8000-000000000001",
    "NServiceBus.EnclosedMessageTypes":
      "Shop.Contracts.OrderPlaced, Shop.Contracts, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null",
    "NServiceBus.CorrelationId": "c-1",
    "NServiceBus.ConversationId": "v-1",
    "NServiceBus.ReplyToAddress": "Billing",
    "NServiceBus.TimeSent": "2026-11-05 12:34:56:789000 Z",
  };
  const enclosing = (list: string) => ({
    applicationProperties: { ...request, "NServiceBus.EnclosedMessageTypes": list },
    contentType: "application/json",
  });

  it("reads the type without its assembly", async () => {
    expect(await read(bus, sent(order, { applicationProperties: request }))).toMatchObject(asPlaced);
  });

  it("reads the first known type of several, the most derived first", async () => {
    const list =
      "Shop.Internal.RushOrderPlaced, Shop;Shop.Contracts.OrderPlaced, Shop;Shop.Contracts.OrderPaid, Shop";
    expect(await read(bus, sent(order, enclosing(list)))).toMatchObject(asPlaced);
  });

  it.each([
    "Shop.Contracts.OrderShipped, Shop",
    "Shop.Contracts.OrderPlaced2, Shop;Other.OrderPlaced, Other",
    "System.Collections.Generic.List`1[[Shop.Contracts.OrderPlaced, Shop]], mscorlib",
  ])("does not confuse %s with another type", async (list) => {
    expect(await read(bus, sent(order, enclosing(list)))).toMatchObject(unknownType);
  });

  it("returns the bus's message id, which is not the native one", () => {
    expect(bus.facts({ messageId: "native", replyTo: "native", applicationProperties: request })).toEqual({
      messageId: request["NServiceBus.MessageId"],
      types: [request["NServiceBus.EnclosedMessageTypes"]],
      correlationId: "c-1",
      conversationId: "v-1",
      replyTo: "Billing",
      sentAt: new Date("2026-11-05T12:34:56.789Z"),
    });
  });

  it("writes what it reads, with every header as a string", async () => {
    const message = await write(bus, { subject: "order-placed", body: order, replyTo: "replies" });
    const { applicationProperties = {} } = message;
    expect(Object.values(applicationProperties).filter((value) => typeof value !== "string")).toEqual([]);
    expect(applicationProperties).toMatchObject({
      "NServiceBus.EnclosedMessageTypes": "Shop.Contracts.OrderPlaced",
      "NServiceBus.MessageId": message.messageId,
      "NServiceBus.ContentType": "application/json",
      "NServiceBus.ReplyToAddress": "replies",
      "NServiceBus.OriginatingEndpoint": "Shop",
    });
    expect(await read(bus, message)).toMatchObject(asPlaced);
  });

  it("replies like NServiceBus", async () => {
    const properties = bus.replyProperties({ messageId: "native", applicationProperties: request });
    const reply = await write(bus, { subject: "order-paid", body: order, ...properties });
    expect(reply).toMatchObject({
      correlationId: "c-1",
      applicationProperties: {
        "NServiceBus.MessageIntent": "Reply",
        "NServiceBus.RelatedTo": request["NServiceBus.MessageId"],
        "NServiceBus.CorrelationId": "c-1",
        "NServiceBus.ConversationId": "v-1",
      },
    });
  });
});

describe("massTransit", () => {
  const bus = massTransit({ types });
  const contentType = "application/vnd.masstransit+json";
  /** From the example in MassTransit's documentation, Serialization. */
  const envelope = {
    messageId: "181c0000-6393-3630-36a4-08daf4e7c6da",
    requestId: "ef375b18-69ee-4a9e-b5ec-44ee1177a27e",
    correlationId: null,
    conversationId: "7ee60000-6393-3630-6d8f-08daf4e7c6da",
    sourceAddress: "rabbitmq://localhost/source",
    destinationAddress: "rabbitmq://localhost/destination",
    responseAddress: "sb://shop.servicebus.windows.net/response",
    messageType: ["urn:message:Shop.Contracts:OrderPlaced"],
    message: order,
    expirationTime: null,
    sentTime: "2026-11-05T12:34:56.789Z",
    headers: {},
    host: { machineName: "MyComputer" },
  };

  it("opens its envelope, and finds the first known type", async () => {
    expect(await read(bus, sent(envelope, { contentType }))).toMatchObject(asPlaced);
    const derived = { ...envelope, messageType: ["urn:message:Shop.Internal:Rush", ...envelope.messageType] };
    expect(await read(bus, sent(derived, { contentType }))).toMatchObject(asPlaced);
  });

  it("reads the raw form", async () => {
    const applicationProperties = {
      "MT-MessageType": "urn:message:Shop.Contracts:OrderPlaced;urn:message:Shop:IOrder",
    };
    expect(
      await read(bus, sent(order, { contentType: "application/json", applicationProperties })),
    ).toMatchObject(asPlaced);
  });

  it("does not confuse an unknown type with another", async () => {
    const unknown = { ...envelope, messageType: ["urn:message:Shop.Contracts:OrderPlaced2"] };
    expect(await read(bus, sent(unknown, { contentType }))).toMatchObject(unknownType);
    const applicationProperties = { "MT-MessageType": "urn:message:Shop.Contracts:OrderPlaced2" };
    expect(await read(bus, sent(order, { applicationProperties }))).toMatchObject(unknownType);
  });

  it.each([
    { messageType: envelope.messageType },
    { message: order },
    { message: order, messageType: "x" },
    [],
  ])("refuses a body that is not an envelope but has its content type: %j", async (body) => {
    expect((await read(bus, sent(body, { contentType }))).status).toBe("undeserializable");
  });

  it("writes the envelope, and the raw form", async () => {
    const message = await write(bus, { subject: "order-placed", body: order, messageId: "m-1" });
    expect(message).toMatchObject({ contentType, messageId: "m-1" });
    expect(content(message)).toMatchObject({
      messageId: "m-1",
      messageType: envelope.messageType,
      message: order,
    });
    expect(await read(bus, message)).toMatchObject(asPlaced);
    const raw = massTransit({ types, writes: "raw" });
    const rawMessage = await write(raw, { subject: "order-placed", body: order });
    expect(content(rawMessage)).toEqual(order);
    expect(rawMessage.applicationProperties).toMatchObject({ "MT-MessageType": envelope.messageType[0] });
    expect(await read(raw, rawMessage)).toMatchObject(asPlaced);
  });

  it("returns the reply address, and replies to the request", async () => {
    const { body: rawBody } = sent(envelope);
    const request = { contentType, rawBody, messageId: "native", applicationProperties: {} };
    expect(bus.facts(request)).toMatchObject({
      messageId: envelope.messageId,
      replyTo: envelope.responseAddress,
    });
    const reply = await write(bus, { subject: "order-paid", body: order, ...bus.replyProperties(request) });
    expect(content(reply)).toMatchObject({
      requestId: envelope.requestId,
      conversationId: envelope.conversationId,
    });
  });
});

describe("wolverine", () => {
  const bus = wolverine({ types });
  const applicationProperties = {
    "accepted-content-types": "application/json",
    "sent-at": "2026-11-05T12:34:56.789Z",
    "conversation-id": "v-1",
    "reply-uri": "asb://queue/replies",
    attempts: "0",
  };

  it("reads the type from the subject", async () => {
    const message = sent(order, { subject: "Shop.Contracts.OrderPlaced", applicationProperties });
    expect(await read(bus, message)).toMatchObject(asPlaced);
    expect(await read(bus, { ...message, subject: "Shop.Contracts.Other" })).toMatchObject(unknownType);
    expect(bus.facts(message)).toMatchObject({ replyTo: "replies", conversationId: "v-1" });
  });

  it("writes what it reads, and replies to the request's id", async () => {
    const message = await write(bus, { subject: "order-placed", body: order, replyTo: "replies" });
    expect(message).toMatchObject({
      subject: "Shop.Contracts.OrderPlaced",
      applicationProperties: {
        "reply-uri": "asb://queue/replies",
        "accepted-content-types": "application/json",
      },
    });
    expect(bus.recognises(message)).toBe(true);
    expect(await read(bus, message)).toMatchObject(asPlaced);
    const properties = bus.replyProperties({ messageId: "m-1", applicationProperties });
    const reply = await write(bus, { subject: "order-paid", body: order, ...properties });
    expect(reply.applicationProperties).toMatchObject({ "conversation-id": "m-1" });
  });
});
