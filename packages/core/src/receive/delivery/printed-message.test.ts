import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { DeliveredMessage, TransportReceiver } from "../../contracts/transport.js";
import type { DeserializationReport } from "../../message/report.js";
import { Delivery } from "./delivery.js";
import { receivedMessage, undecodedMessage } from "./received-message.js";
import type { ReceiverContext } from "./receiver-context.js";

const report = {
  serializer: "json",
  position: 0,
  attempts: [],
  bytes: 9,
} as unknown as DeserializationReport;
const delivered = {
  body: Uint8Array.of(1, 2, 255),
  messageId: "m1",
  applicationProperties: { seen: 5n },
  enqueuedTimeUtc: new Date(0),
  deliveryCount: 0,
  sequenceNumber: 9_007_199_254_740_993n,
  state: "active",
} as DeliveredMessage;
const receiver = { entityPath: "orders", connection: { key: "secret" } } as unknown as TransportReceiver;
const delivery = () => new Delivery({ receiver } as ReceiverContext, delivered, {} as never, () => {});

function received(body: unknown) {
  return receivedMessage(delivered, { status: "decoded", body, report }, delivery());
}

describe("a received message in a log", () => {
  it("is printed without settlement, raw body and unset properties", () => {
    expect(inspect(received({ id: 7 }))).toBe(
      inspect({
        body: { id: 7 },
        deserialization: report,
        messageId: "m1",
        applicationProperties: { seen: 5n },
        deliveryCount: 0,
        enqueuedTimeUtc: new Date(0),
        sequenceNumber: 9_007_199_254_740_993n,
        state: "active",
      }),
    );
  });

  it("is JSON, with integers of 64 bits as their digits and bytes as base64", () => {
    const body = { id: 7n, lines: [{ sku: new Uint8Array([255]) }], at: new Date(0), none: undefined };
    expect(JSON.parse(JSON.stringify(received(body)))).toEqual({
      body: { id: "7", lines: [{ sku: "/w==" }], at: "1970-01-01T00:00:00.000Z" },
      deserialization: { serializer: "json", position: 0, attempts: [], bytes: 9 },
      messageId: "m1",
      applicationProperties: { seen: "5" },
      deliveryCount: 0,
      enqueuedTimeUtc: "1970-01-01T00:00:00.000Z",
      sequenceNumber: "9007199254740993",
      state: "active",
    });
  });

  it("shows its bytes and the reason, once, if it is undeserializable", () => {
    const outcome = {
      status: "undeserializable",
      reason: "NoDeserializer",
      description: "json: …",
      report,
    } as const;
    const message = undecodedMessage(delivered, outcome, delivery());
    expect(JSON.parse(JSON.stringify(message))).toMatchObject({
      rawBody: "AQL/",
      failure: { status: "undeserializable", reason: "NoDeserializer", description: "json: …" },
    });
    expect(JSON.parse(JSON.stringify(message)).failure).not.toHaveProperty("report");
    expect(inspect(message)).toContain("rawBody: Uint8Array(3) [ 1, 2, 255 ]");
  });

  it("shows no internals of the connection in a copy either", () => {
    const copy = { ...received("text") };
    expect(inspect(copy, { depth: 9 })).not.toContain("secret");
    expect(inspect(copy, { depth: 9 })).toContain("settlement: { state: 'open' }");
    expect(copy).toMatchObject({ messageId: "m1", rawBody: delivered.body });
  });

  it("lets JSON.stringify refuse a cyclic body", () => {
    const body: Record<string, unknown> = {};
    Object.assign(body, { self: body, again: body });
    expect(() => JSON.stringify(received(body))).toThrow(TypeError);
  });
});
