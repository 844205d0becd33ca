import { expect, it } from "vitest";
import type { DeliveredMessage } from "../../contracts/transport.js";
import type { DeliveredProperties } from "../../message/message.js";
import type { Decoded } from "../../message/outcome.js";
import { receivedMessage, undecodedMessage } from "./received-message.js";

// `Required`: a new property that is missing here does not compile.
const properties: Required<DeliveredProperties> = {
  messageId: "m-1",
  contentType: "application/json",
  contentEncoding: "gzip",
  correlationId: "c-1",
  subject: "order-placed",
  to: "billing",
  replyTo: "replies",
  replyToSessionId: "r-1",
  sessionId: "s-1",
  partitionKey: "p-1",
  viaPartitionKey: "v-1",
  timeToLive: 60_000,
  scheduledEnqueueTimeUtc: new Date(1),
  forcePersistence: true,
  applicationProperties: { tenant: "contoso" },
  deadLetterReason: "Late",
  deadLetterErrorDescription: "It came too late.",
  deadLetterSource: "orders",
  deliveryCount: 3,
  enqueuedTimeUtc: new Date(2),
  expiresAtUtc: new Date(3),
  lockedUntilUtc: new Date(4),
  lockToken: "5d0d2ba0-0000-4000-8000-000000000000",
  sequenceNumber: 5n,
  enqueuedSequenceNumber: 6n,
  state: "active",
  size: 7,
};
const delivered: DeliveredMessage = { ...properties, body: Uint8Array.of(123, 125), settlement: undefined };
const report = { attempts: [] } as unknown as Decoded["report"];

it("a received message has every broker property, and the body beside its bytes", () => {
  const outcome: Decoded = { status: "decoded", body: { id: 1 }, report };
  expect({ ...receivedMessage(delivered, outcome, undefined) }).toEqual({
    ...properties,
    body: { id: 1 },
    rawBody: delivered.body,
    deserialization: report,
    settlement: undefined,
  });
});

it("a message that was not read has every broker property, and why", () => {
  const outcome = { status: "undeserializable", report } as never;
  expect({ ...undecodedMessage(delivered, outcome, undefined) }).toEqual({
    ...properties,
    body: undefined,
    rawBody: delivered.body,
    deserialization: report,
    settlement: undefined,
    failure: outcome,
  });
});
