import assert from "node:assert/strict";
import type { ApplicationPropertyValue, EncodedMessage } from "@waybill/core";
import type { EncodedBody, MessageId } from "@waybill/core/transport";
import { required } from "@waybill/foundation";
import type { Case } from "../../case.js";
import { rejectsWith } from "../../outcome.js";
import { assertSameValue } from "../../same-value.js";
import { message, type TransportHarness, texts, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);

const bodies: Readonly<Record<string, EncodedBody>> = {
  "every byte": everyByte,
  "no bytes": new Uint8Array(),
  "bytes that are JSON text": new TextEncoder().encode('{"a":1}'),
  "one byte that is a JSON number": Uint8Array.of(0x37),
  "200,000 bytes": Uint8Array.from({ length: 200_000 }, (_, index) => (index * 31) & 0xff),
  "an AMQP value of text": { section: "value", value: "lamp" },
  "an AMQP value of a number": { section: "value", value: 42 },
  "an AMQP value of a boolean": { section: "value", value: true },
  "an AMQP value of bytes": { section: "value", value: everyByte },
  "an AMQP value of a map": { section: "value", value: { sku: "lamp", quantity: 2, tags: ["a", "b"] } },
  "an AMQP sequence": { section: "sequence", value: [1, "two", true] },
};

const applicationProperties: Readonly<Record<string, ApplicationPropertyValue>> = {
  text: "Zoë, 日本, \u{1f600}",
  "the empty text": "",
  "a long text": "lamp ".repeat(1000),
  "a small integer": 7,
  "a negative integer": -129,
  "a 32-bit integer": 2 ** 31 - 1,
  "an integer beyond 32 bits": 2 ** 40 + 1,
  "the largest safe integer": Number.MAX_SAFE_INTEGER,
  "an integer beyond 2^53": 2n ** 53n + 1n,
  "the largest 64-bit integer": 2n ** 63n - 1n,
  "the smallest 64-bit integer": -(2n ** 63n),
  "a fraction": 129.95,
  true: true,
  false: false,
  "a date": new Date("2026-11-05T12:34:56.789Z"),
  "a date before 1970": new Date("1969-07-20T20:17:40.000Z"),
  bytes: everyByte,
  null: null,
};

/** All but those of which other cases show that they arrive: the session, the schedule and the application properties. */
const brokerProperties: Required<
  Omit<EncodedMessage, "body" | "sessionId" | "scheduledEnqueueTimeUtc" | "applicationProperties">
> = {
  messageId: "A-1042",
  contentType: "application/json; charset=utf-8",
  contentEncoding: "gzip",
  correlationId: "B-7",
  subject: "order",
  to: "warehouse",
  replyTo: "orders",
  replyToSessionId: "customer 3",
  partitionKey: "customer 5",
  viaPartitionKey: "customer 6",
  timeToLive: 3_600_000,
  forcePersistence: true,
};

/** The broker may set these itself: an id of its own, and the default time to live of the entity. */
const assignedByBroker: ReadonlySet<string> = new Set(["messageId", "timeToLive"]);

const ids: Readonly<Record<string, MessageId>> = {
  text: "a message id",
  "a number": 42,
  "a 64-bit integer": 2n ** 60n + 1n,
  bytes: everyByte.subarray(0, 16),
};

/** Messages arrive unchanged, complete and in order, and batches atomically. */
export function sendingCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "sending");
  return [
    ...Object.entries(bodies).map(([name, body]) =>
      testCase(`a body of ${name} arrives as it was sent`, async (harness) => {
        assertSameValue((await travel(harness, { body })).body, body, `the body of ${name}`);
      }),
    ),
    ...Object.entries(applicationProperties).map(([name, value]) =>
      testCase(`an application property of ${name} arrives as it was sent`, async (harness) => {
        const arrived = await travel(harness, message("lamp", { applicationProperties: { [name]: value } }));
        assertSameValue(arrived.applicationProperties, { [name]: value }, "the application properties");
      }),
    ),
    ...Object.entries(ids).map(([name, id]) =>
      testCase(`a message id and correlation id of ${name} arrive as they were sent`, async (harness) => {
        const arrived = await travel(harness, message("lamp", { messageId: id, correlationId: id }));
        assertSameValue(arrived.messageId, id, "the message id");
        assertSameValue(arrived.correlationId, id, "the correlation id");
      }),
    ),
    testCase("broker properties arrive as they were sent", async (harness) => {
      const arrived = await travel(harness, message("lamp", brokerProperties));
      for (const name of Object.keys(brokerProperties) as (keyof typeof brokerProperties)[])
        assertSameValue(arrived[name], brokerProperties[name], name);
    }),
    testCase("properties that were not set are absent", async (harness) => {
      const arrived = await travel(harness, message("lamp"));
      for (const name of Object.keys(brokerProperties) as (keyof typeof brokerProperties)[])
        if (!assignedByBroker.has(name)) assert.equal(arrived[name], undefined, name);
      assert.equal(arrived.sessionId, undefined);
      assert.equal(arrived.scheduledEnqueueTimeUtc, undefined);
      assert.deepEqual(Object.keys(arrived.applicationProperties), []);
    }),
    testCase("the broker's own properties are set", async (harness) => {
      const before = harness.now().getTime();
      const arrived = await travel(harness, message("lamp", { timeToLive: 3_600_000 }));
      assert.equal(typeof arrived.sequenceNumber, "bigint");
      assert.ok(arrived.sequenceNumber > 0n, "sequence numbers are positive");
      assert.equal(arrived.deliveryCount, 0);
      assert.equal(arrived.state, "active");
      const enqueuedMs = arrived.enqueuedTimeUtc?.getTime() ?? Number.NaN;
      assert.ok(Math.abs(enqueuedMs - before) < 60_000, "the enqueued time is the broker's time");
      assert.equal(
        arrived.expiresAtUtc?.getTime(),
        enqueuedMs + 3_600_000,
        "it expires after its time to live",
      );
    }),
    testCase(
      "a time to live of years is kept, although it exceeds the range of the AMQP header",
      async (harness) => {
        const timeToLive = 3 * 365 * 24 * 3_600_000;
        const arrived = await travel(harness, message("lamp", { timeToLive }));
        assert.equal(arrived.timeToLive, timeToLive);
        assert.equal(Number(arrived.expiresAtUtc), Number(arrived.enqueuedTimeUtc) + timeToLive);
      },
    ),
    testCase("a message without an id gets one", async (harness) => {
      const { messageId } = await travel(harness, message("lamp"));
      assert.ok(typeof messageId === "string" && messageId !== "", "the broker assigned a message id");
    }),
    testCase(
      "messages arrive in the order in which they were sent, with increasing sequence numbers",
      async (harness) => {
        const queue = await harness.createQueue();
        const sent = Array.from({ length: 30 }, (_, index) => `message ${index}`);
        await harness.send(queue, ...sent.slice(0, 20));
        for (const text of sent.slice(20)) await harness.send(queue, text);
        const arrived = await harness.receive(harness.receiver(queue), 30);
        assert.deepEqual(texts(arrived), sent);
        const numbers = arrived.map(({ sequenceNumber }) => sequenceNumber);
        for (const [index, number] of numbers.entries())
          assert.ok(index === 0 || number > required(numbers[index - 1]), "sequence numbers increase");
      },
    ),
    testCase("no message of a batch arrives if one is too large", async (harness) => {
      const queue = await harness.createQueue();
      const sender = harness.transport.createSender(queue);
      const tooLarge = { body: new Uint8Array(harness.maxMessageBytes + 1) };
      await rejectsWith("message-too-large", () => sender.send([message("lamp"), tooLarge, message("bulb")]));
      await harness.receiveNothing(harness.receiver(queue));
    }),
    testCase("a sent message does not change if the caller changes its message", async (harness) => {
      const queue = await harness.createQueue();
      const body = everyByte.slice();
      const properties = { note: "lamp" };
      await harness.send(queue, { body, applicationProperties: properties });
      body.fill(0xa5);
      properties.note = "changed";
      const arrived = await harness.receiveOne(harness.receiver(queue));
      assertSameValue(arrived.body, everyByte, "the body");
      assertSameValue(arrived.applicationProperties, { note: "lamp" }, "the application properties");
    }),
    testCase("sending does not change the caller's message", async (harness) => {
      const queue = await harness.createQueue();
      const sent = message("lamp", { ...brokerProperties, applicationProperties: { note: "lamp" } });
      const copy = structuredClone(sent);
      await harness.send(queue, sent);
      assertSameValue(sent, copy, "the caller's message");
    }),
    testCase(
      "a delivered message does not change if the handler changed an earlier delivery",
      async (harness) => {
        const { queue, receiver } = await harness.queueWithReceiver();
        await harness.send(queue, { body: everyByte });
        const first = await harness.receiveOne(receiver);
        (first.body as Uint8Array).fill(0xa5);
        await receiver.abandon(required(first.settlement));
        assertSameValue(
          (await harness.receiveOne(receiver)).body,
          everyByte,
          "the body of the next delivery",
        );
      },
    ),
  ];
}

async function travel(harness: TransportHarness, sent: EncodedMessage) {
  const queue = await harness.queueWith(sent);
  return harness.receiveOne(harness.receiver(queue));
}
