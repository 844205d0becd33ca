import { describe, expect, it } from "vitest";
import { openFixture, registerSdk } from "./fixture.test-support.js";
import { openTelemetry } from "./index.js";

describe("metrics", () => {
  it("count bodies by message type, serializer, position and outcome", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry() });
    const sender = fixture.client.createSender("orders");
    await sender.sendMessages([
      { body: {}, subject: "order" },
      { body: {}, subject: "order" },
      { body: {}, subject: "refund" },
    ]);
    await sender.sendEncodedMessages({ body: Uint8Array.of(0xff), contentType: "application/json" });
    await fixture.client.createReceiver("orders").receiveMessages(9);
    const attributes = {
      "messaging.system": "servicebus",
      "messaging.operation.name": "deserialize",
      "messaging.destination.name": "orders",
      "waybill.serializer": "json",
      "waybill.serializer.position": 0,
      "waybill.outcome": "decoded",
    };
    expect(sparse(await sdk.points("waybill.deserialization.messages"))).toEqual([
      { attributes: { ...attributes, "waybill.message.type": "order" }, value: 2 },
      { attributes: { ...attributes, "waybill.message.type": "refund" }, value: 1 },
      {
        attributes: {
          "messaging.system": "servicebus",
          "messaging.operation.name": "deserialize",
          "messaging.destination.name": "orders",
          "waybill.serializer.position": -1,
          "waybill.outcome": "undeserializable",
          "waybill.reason": "utf8-invalid",
        },
        value: 1,
      },
    ]);
    expect(await sdk.points("waybill.deserialization.duration")).toHaveLength(3);
    const [unread] = await sdk.points("waybill.undeserializable.messages");
    expect(unread).toMatchObject({ attributes: { "waybill.disposition": "deadLettered" }, value: 1 });
  });

  it("count stalled links", async () => {
    await using sdk = registerSdk();
    const { onEvent } = openTelemetry();
    const stall = { sessionId: undefined, credit: 1, silenceInMs: 30_000, evidence: "backlog" } as const;
    onEvent?.({ type: "linkStalled", entityPath: "orders", ...stall });
    expect(sparse(await sdk.points("waybill.link.stalls"))).toEqual([
      {
        attributes: {
          "messaging.system": "servicebus",
          "messaging.operation.name": "receive",
          "messaging.operation.type": "receive",
          "messaging.destination.name": "orders",
          "waybill.stall.evidence": "backlog",
        },
        value: 1,
      },
    ]);
  });

  it("count sent and consumed messages, and measure the duration of operations", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry() });
    await fixture.client.createSender("orders").sendMessages([{ body: {} }, { body: {} }]);
    await fixture.client
      .createSender("nowhere")
      .sendMessages({ body: {} })
      .catch(() => {});
    const receiver = fixture.client.createReceiver("orders");
    await receiver.peekMessages(2);
    for (const message of await receiver.receiveMessages(2)) await receiver.completeMessage(message);
    const sent = await sdk.points("messaging.client.sent.messages");
    expect(sent.map(({ attributes, value }) => [attributes["error.type"], value])).toEqual([
      [undefined, 2],
      ["entity-not-found", 1],
    ]);
    const consumed = await sdk.points("messaging.client.consumed.messages");
    expect(consumed.map(({ value }) => value)).toEqual([2]);
    const durations = await sdk.points("messaging.client.operation.duration");
    const counted = durations.map(({ attributes, value }) => [
      attributes["messaging.operation.name"],
      attributes["messaging.operation.type"],
      (value as { count: number }).count,
    ]);
    expect(counted).toEqual([
      ["send", "send", 1],
      ["send", "send", 1],
      ["peek", "receive", 1],
      ["receive", "receive", 1],
      ["complete", "settle", 2],
    ]);
  });

  it("distinguish a limited number of message types", async () => {
    await using sdk = registerSdk();
    await using fixture = await openFixture({ diagnostics: openTelemetry({ maxMessageTypes: 2 }) });
    const sender = fixture.client.createSender("orders");
    for (const subject of ["a", "b", "c", "d", "a"]) await sender.sendMessages({ body: {}, subject });
    const sent = await sdk.points("messaging.client.sent.messages");
    expect(sent.map(({ attributes, value }) => [attributes["waybill.message.type"], value])).toEqual([
      ["a", 2],
      ["b", 1],
      ["_other", 2],
    ]);
  });
});

describe("openTelemetry", () => {
  it("checks its options", () => {
    expect(() => openTelemetry({ processSpans: "parent" as "child" })).toThrow(TypeError);
    expect(() => openTelemetry({ maxMessageTypes: -1 })).toThrow(TypeError);
    expect(() => openTelemetry({ maxMessageType: 1 } as object)).toThrow(
      new TypeError('openTelemetry: there is no option "maxMessageType"; did you mean "maxMessageTypes"?'),
    );
  });
});

/** Without the attributes that are undefined. */
function sparse<T extends { attributes: object }>(points: readonly T[]): T[] {
  return points.map((point) => ({ ...point, attributes: JSON.parse(JSON.stringify(point.attributes)) }));
}
