import type { EncodedMessage } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { openLossyFixture } from "../lossy-fixture.test-support.js";

/** The larger encodings of the SDK, and the id that the broker generates for a message without one. */
const slackBytes = 40;

const long = "x".repeat(3_000);
const messages: readonly (readonly [string, Omit<EncodedMessage, "body">])[] = [
  ["only a body", {}],
  ["a few properties", { messageId: "abc", subject: "placed", contentType: "application/json" }],
  ["ids of every kind", { messageId: 2n ** 60n, correlationId: new Uint8Array(20) }],
  ["sessions and a time to live", { sessionId: "s", replyToSessionId: "r", timeToLive: 60_000 }],
  ["long properties", { to: long, replyTo: long, subject: "ä".repeat(500) }],
  [
    "application properties",
    {
      applicationProperties: {
        a: 1,
        b: "x",
        c: true,
        d: 2.5,
        e: 2n ** 60n,
        f: new Date(),
        g: 1e5,
        h: null,
        long,
      },
    },
  ],
];

describe("the size of a received message", () => {
  it.each(messages)("is the size that the broker counts, for a message with %s", async (_, properties) => {
    await using fixture = await openLossyFixture({ maxMessageSizeInKilobytes: 1024 });
    const sender = fixture.transport.createSender("orders");
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    for (const body of [
      new Uint8Array(),
      new Uint8Array(300_000),
      { section: "value", value: { lines: [1, "two", null], at: new Date() } } as const,
    ]) {
      await sender.send([{ ...properties, body }]);
      const [counted] = await fixture.broker.receiver("orders").peek();
      const [peeked] = await receiver.peek({ maxMessages: 1 });
      const [received] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
      if (received?.settlement === undefined) throw new Error("nothing was received");
      await receiver.complete(received.settlement);
      expect(Math.abs((received.size ?? 0) - (counted?.sizeInBytes ?? 0))).toBeLessThan(slackBytes);
      expect(peeked?.size).toBe(received.size);
    }
  });
});
