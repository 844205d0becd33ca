import type { BrokerReceivedMessage, MessageBody } from "@waybill/broker";
import type { SendableProperties } from "@waybill/broker/front-end";
import type { ApplicationProperties } from "@waybill/core";
import type { DeliveredMessage, EncodedBody, EveryProperty } from "@waybill/core/transport";
import type { InClientTerms } from "./broker-terms.js";

/** Converts a message of the broker for the client. The broker's message is the settlement handle of a locked one. */
export function fromBrokerMessage(message: BrokerReceivedMessage): DeliveredMessage {
  const { lockToken, timeToLiveMs } = message;
  // Every property is always present, so that all messages have one hidden class.
  return {
    body: fromBrokerBody(message.body),
    messageId: message.messageId,
    contentType: message.contentType,
    contentEncoding: message.contentEncoding,
    correlationId: message.correlationId,
    subject: message.subject,
    to: message.to,
    replyTo: message.replyTo,
    replyToSessionId: message.replyToSessionId,
    sessionId: message.sessionId,
    partitionKey: message.partitionKey,
    viaPartitionKey: message.viaPartitionKey,
    timeToLive: timeToLiveMs === Number.POSITIVE_INFINITY ? undefined : timeToLiveMs,
    scheduledEnqueueTimeUtc: message.scheduledEnqueueTime,
    forcePersistence: message.forcePersistence || undefined,
    applicationProperties: fromBrokerProperties(message.applicationProperties),
    deadLetterReason: message.deadLetterReason,
    deadLetterErrorDescription: message.deadLetterErrorDescription,
    deadLetterSource: message.deadLetterSource,
    deliveryCount: message.deliveryCount,
    enqueuedTimeUtc: message.enqueuedTime,
    expiresAtUtc: message.expiresAt,
    lockedUntilUtc: lockToken === undefined ? undefined : message.lockedUntil,
    lockToken,
    sequenceNumber: message.sequenceNumber,
    enqueuedSequenceNumber: message.enqueuedSequenceNumber,
    state: message.state,
    size: message.sizeInBytes,
    settlement: lockToken === undefined ? undefined : message,
  } satisfies EveryProperty<DeliveredMessage> & InClientTerms<SendableProperties>;
}

/** Values of AMQP types without a counterpart, which only messages sent over AMQP have, become what they are over the official SDK. */
function fromBrokerProperties(
  properties: BrokerReceivedMessage["applicationProperties"],
): ApplicationProperties {
  for (const name in properties) {
    if (!isTyped(properties[name])) continue;
    const plain = Object.entries(properties).map(([key, value]) => [key, plainProperty(value)]);
    return Object.fromEntries(plain) as ApplicationProperties;
  }
  return properties as ApplicationProperties;
}

interface Typed {
  readonly type: string;
  readonly value?: unknown;
  readonly ticks?: bigint;
}

function isTyped(value: unknown): value is Typed {
  return typeof value === "object" && value !== null && typeof (value as Partial<Typed>).type === "string";
}

function plainProperty(value: unknown): unknown {
  if (!isTyped(value)) return value;
  if (value.ticks !== undefined)
    return Number.isSafeInteger(Number(value.ticks)) ? Number(value.ticks) : value.ticks;
  if (value.type === "char" && typeof value.value === "number")
    return value.value <= 0x10ffff ? String.fromCodePoint(value.value) : "\ufffd";
  return plainProperty(value.value);
}

/** A plain `Uint8Array` even if the broker has a `Buffer`, whose `slice` and JSON form differ. */
function fromBrokerBody(body: MessageBody): EncodedBody {
  if (body.section !== "data") return body;
  const { buffer, byteOffset, byteLength } = body.bytes;
  return new Uint8Array(buffer, byteOffset, byteLength);
}
