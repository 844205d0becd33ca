import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { EncodedMessage } from "../message/message.js";
import { createPipeline } from "../pipeline/pipeline.js";
import { plainJson } from "../plain-json.test-support.js";
import { defineMessage } from "./define-message.js";
import { type MessageTypeResolver, propertyResolver } from "./message-type-resolver.js";

const orderPlaced = defineMessage("order-placed", {
  version: 2,
  schemas: { 1: z.object({ total: z.string() }), 2: z.object({ cents: z.number() }) },
  upcasters: { 1: ({ total }) => ({ cents: Math.round(Number(total) * 100) }) },
  aliases: ["OrderPlaced"],
});

function pipelineWith(messageTypeResolver?: MessageTypeResolver) {
  return createPipeline({
    serializer: plainJson,
    messageTypes: [orderPlaced],
    ...(messageTypeResolver && { messageTypeResolver }),
  });
}

/** A message from a sender without waybill. */
function fromSdk(properties: Partial<EncodedMessage>): EncodedMessage {
  return { body: new TextEncoder().encode('{"total":"9.90"}'), ...properties };
}

function read(properties: Partial<EncodedMessage>) {
  return pipelineWith().deserialize(fromSdk(properties));
}

const current = { status: "decoded", body: { cents: 990 }, report: { messageType: "order-placed" } };

describe("a received message of a sender without waybill", () => {
  it.each<[string, Partial<EncodedMessage>]>([
    ["by the subject", { subject: "order-placed" }],
    ["by an application property type", { applicationProperties: { type: "order-placed" } }],
    [
      "by the application property type, although the subject is something else",
      { subject: "eu", applicationProperties: { type: "OrderPlaced" } },
    ],
    [
      "by the subject, although the property type is something else",
      { subject: "order-placed", applicationProperties: { type: "gold" } },
    ],
  ])("finds its message type %s", (_, properties) => {
    expect(read(properties)).toMatchObject(current);
  });

  it("stays untyped if the property type is something else", () => {
    expect(read({ applicationProperties: { type: "gold" } })).toMatchObject({ body: { total: "9.90" } });
    expect(read({ applicationProperties: { type: 7 } })).toMatchObject({ body: { total: "9.90" } });
  });

  it("is refused for a subject that is not a message type", () => {
    expect(read({ subject: "eu", applicationProperties: { type: "gold" } })).toMatchObject({
      reason: "UnknownMessageType",
    });
  });
});

describe("a message to send with its type in an application property", () => {
  const message = {
    body: { cents: 990 },
    subject: "eu",
    applicationProperties: { type: "order-placed", tenant: "t1" },
  };

  it("is checked and gets its version, and keeps its subject and its properties", () => {
    expect(pipelineWith().serialize(message)).toMatchObject({
      subject: "eu",
      applicationProperties: { type: "order-placed", tenant: "t1", messageVersion: 2 },
    });
    expect(() => pipelineWith().serialize({ ...message, body: {} })).toThrow("order-placed");
  });

  it("is read with the type with which it was sent", () => {
    const pipeline = pipelineWith();
    expect(pipeline.deserialize(pipeline.serialize(message) as EncodedMessage)).toMatchObject(current);
  });

  it("gets the type as its subject if it has none", () => {
    const { subject: _, ...without } = message;
    expect(pipelineWith().serialize(without)).toMatchObject({ subject: "order-placed" });
  });

  it("can have it in the property that the resolver uses", () => {
    const pipeline = pipelineWith(propertyResolver({ typeProperty: "kind" }));
    expect(pipeline.serialize({ ...message, applicationProperties: { kind: "OrderPlaced" } })).toMatchObject({
      subject: "eu",
      applicationProperties: { kind: "order-placed", messageVersion: 2 },
    });
  });
});

it("keeps its application properties with any resolver", () => {
  const forgetful: MessageTypeResolver = {
    identify: ({ subject }) => ({ messageType: String(subject), version: 2 }),
    stamp: ({ version }) => ({ applicationProperties: { v: version ?? 0 } }),
  };
  const message = orderPlaced.message({ cents: 1 }, { applicationProperties: { tenant: "t1" } });
  expect(pipelineWith(forgetful).serialize(message)).toMatchObject({
    applicationProperties: { tenant: "t1", v: 2 },
  });
});
