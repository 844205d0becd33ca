import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHttpMessage, toHttpMessage } from "./http-message.js";

const body = new TextEncoder().encode('{"id":1}');

describe("a message over HTTP", () => {
  it("has its broker properties in one header, and each application property in a separate header", () => {
    const { headers } = toHttpMessage({
      body,
      messageId: "m-1",
      subject: "order-placed",
      contentType: "application/json",
      timeToLive: 1_500,
      scheduledEnqueueTimeUtc: new Date(Date.UTC(1994, 10, 6, 8, 49, 37)),
      applicationProperties: { Text: "é", Count: 5, Flag: true, "not a header": 1 },
    });
    expect(headers).toEqual({
      BrokerProperties:
        '{"MessageId":"m-1","Label":"order-placed","TimeToLive":1.5,"ScheduledEnqueueTimeUtc":"Sun, 06 Nov 1994 08:49:37 GMT"}',
      "Content-Type": "application/json",
      Text: '"\\u00e9"',
      Count: "5",
      Flag: "true",
      UserProperties: '{"not a header":1}',
    });
  });

  it("is read with the broker's properties, with any other headers", () => {
    const headers = {
      brokerproperties:
        '{"DeliveryCount":2,"LockToken":"t","SequenceNumber":7,"State":"Active","EnqueuedTimeUtc":"Sun, 06 Nov 1994 08:49:37 GMT","Other":1}',
      "content-type": "text/plain",
      date: "Sun, 06 Nov 1994 08:49:37 GMT",
      priority: '"High"',
    };
    expect(fromHttpMessage({ headers, body })).toEqual({
      body,
      contentType: "text/plain",
      deliveryCount: 1,
      lockToken: "t",
      sequenceNumber: 7n,
      state: "active",
      enqueuedTimeUtc: new Date(Date.UTC(1994, 10, 6, 8, 49, 37)),
      applicationProperties: { priority: "High" },
    });
  });

  it.each([
    "{",
    "[]",
    '{"State":"gone"}',
    '{"SequenceNumber":"x"}',
    '{"TimeToLive":-1}',
    '{"EnqueuedTimeUtc":"x"}',
  ])("is refused with the broker properties %s", (BrokerProperties) => {
    expect(() => fromHttpMessage({ headers: { BrokerProperties }, body })).toThrow("malformed");
  });

  it("has a body of bytes", () => {
    expect(() => toHttpMessage({ body: { section: "value", value: 1 } as never })).toThrow(
      "bodies of bytes only",
    );
  });

  it("is the same after a round trip", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 20 });
    const value = fc.oneof(
      text,
      fc.integer(),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
      fc.uint8Array({ maxLength: 20 }),
    );
    const message = fc.record(
      {
        body: fc.uint8Array({ maxLength: 20 }),
        messageId: text,
        correlationId: fc.oneof(text, fc.uint8Array({ minLength: 1, maxLength: 16 })),
        subject: text,
        contentType: fc.constantFrom("application/json", "a/b; c=d"),
        sessionId: text,
        timeToLive: fc.integer({ min: 1 }),
        scheduledEnqueueTimeUtc: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
        forcePersistence: fc.boolean(),
        applicationProperties: fc.dictionary(text, value, { minKeys: 1, maxKeys: 4 }),
      },
      { requiredKeys: ["body"] },
    );
    fc.assert(
      fc.property(message, (sent) => {
        const received = fromHttpMessage(toHttpMessage(sent));
        const { applicationProperties = {}, ...rest } = received;
        expect({ ...rest, applicationProperties: { ...applicationProperties } }).toEqual({
          ...sent,
          applicationProperties: { ...sent.applicationProperties },
        });
      }),
      { numRuns: 2_000 },
    );
  });
});
