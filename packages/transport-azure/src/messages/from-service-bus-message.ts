import type { ApplicationProperties } from "@waybill/core";
import type {
  DeliveredMessage,
  EncodedBody,
  EveryProperty,
  MessageId,
  SettlementHandle,
} from "@waybill/core/transport";
import type Long from "long";
import type { ReceivedServiceBusMessage } from "../sdk/service-bus-client.js";
import { fromAmqpBody, fromAmqpMap, fromAmqpValue, isValueSection, plainBytes } from "./from-amqp-value.js";
import { sizeOfMessage } from "./size-of-message.js";

/** Converts a message of the SDK for the client. `settlement` is present when the message is locked. */
export function fromServiceBusMessage(
  message: ReceivedServiceBusMessage,
  settlement?: SettlementHandle,
): DeliveredMessage {
  const { applicationProperties, timeToLive, enqueuedTimeUtc, lockToken, _rawAmqpMessage: raw } = message;
  // Every property is always present, so that all messages have one hidden class.
  const delivered = {
    body: fromBody(message),
    messageId: fromAmqpValue(message.messageId) as MessageId | undefined,
    contentType: message.contentType,
    contentEncoding: raw.properties?.contentEncoding ?? undefined,
    correlationId: fromAmqpValue(message.correlationId) as MessageId | undefined,
    subject: message.subject,
    to: message.to,
    replyTo: message.replyTo,
    replyToSessionId: message.replyToSessionId,
    sessionId: message.sessionId,
    partitionKey: message.partitionKey,
    viaPartitionKey: (raw.messageAnnotations?.["x-opt-via-partition-key"] ?? undefined) as string | undefined,
    timeToLive,
    scheduledEnqueueTimeUtc: message.scheduledEnqueueTimeUtc,
    forcePersistence: raw.header?.durable || undefined,
    applicationProperties: (applicationProperties === undefined
      ? {}
      : fromAmqpMap(applicationProperties)) as ApplicationProperties,
    deadLetterReason: message.deadLetterReason ?? undefined,
    deadLetterErrorDescription: message.deadLetterErrorDescription ?? undefined,
    deadLetterSource: message.deadLetterSource,
    deliveryCount: message.deliveryCount ?? 0,
    enqueuedTimeUtc,
    // For messages without a time to live, the SDK reports an expiry in the year 31197.
    expiresAtUtc:
      timeToLive === undefined || enqueuedTimeUtc === undefined
        ? undefined
        : new Date(enqueuedTimeUtc.getTime() + timeToLive),
    lockedUntilUtc: lockToken === undefined ? undefined : message.lockedUntilUtc,
    lockToken,
    sequenceNumber: message.sequenceNumber === undefined ? 0n : fromLong(message.sequenceNumber),
    enqueuedSequenceNumber: fromInteger(message.enqueuedSequenceNumber),
    state: message.state,
    size: undefined as number | undefined,
    settlement,
  } satisfies EveryProperty<DeliveredMessage>;
  delivered.size = sizeOfMessage(delivered);
  return delivered;
}

/** Converts a 64-bit integer of the SDK to `bigint`. */
export function fromLong({ high, low }: Pick<Long, "high" | "low">): bigint {
  const number = high * 0x1_0000_0000 + (low >>> 0);
  return Number.isSafeInteger(number) ? BigInt(number) : (BigInt(high) << 32n) | BigInt(low >>> 0);
}

function fromInteger(value: unknown): bigint | undefined {
  const integer = fromAmqpValue(value);
  return typeof integer === "number" || typeof integer === "bigint" ? BigInt(integer) : undefined;
}

function fromBody({ body, _rawAmqpMessage: { bodyType } }: ReceivedServiceBusMessage): EncodedBody {
  if (bodyType === "sequence") return { section: "sequence", value: fromAmqpBody(body) as unknown[] };
  // A message without a body section has an empty body.
  if (body === undefined) return new Uint8Array();
  if (bodyType === "value") return { section: "value", value: fromAmqpBody(body) };
  // A body may consist of several data sections.
  if (Array.isArray(body)) return plainBytes(Buffer.concat(body));
  const bytes = body as Uint8Array;
  return isValueSection(bytes) ? { section: "value", value: fromAmqpBody(bytes) } : plainBytes(bytes);
}
