import { Buffer } from "node:buffer";
import {
  type AmqpMap,
  type AmqpValue,
  isTyped,
  type MessageHeader,
  type MessageSections,
  scanMessage,
} from "@waybill/amqp";
import { stampProperties, uuidText } from "@waybill/amqp/server";
import type { ApplicationProperties, BrokerMessage, MessageId } from "@waybill/broker";
import type { EveryProperty } from "@waybill/broker/front-end";
import { fromAmqpProperties, keyText, textOf } from "./application-properties.js";
import { checkProperties } from "./check-properties.js";
import { sentLifeMs } from "./time-to-live.js";
import { annotationFields, wirePlaces } from "./wire-places.js";

/** Annotations that the broker keeps as its own properties or writes itself, so that they need not be stored. */
const knownAnnotations: ReadonlySet<string> = new Set([
  ...annotationFields.map(([, field]) => field),
  "x-opt-enqueued-time",
  "x-opt-sequence-number",
  "x-opt-enqueue-sequence-number",
  "x-opt-locked-until",
  "x-opt-partition-id",
  "x-opt-deadletter-source",
  "x-opt-message-state",
  "x-opt-lock-token",
]);

/**
 * Reads a message sent by a client. The broker stores its bytes unchanged, with only those sections before the bare message that it cannot
 * recreate. Application properties and bodies other than data stay encoded but are checked, because later readers could not refuse them any
 * more. Throws `AmqpDecodeError`, and `BrokerError` for application properties that the service refuses.
 */
export function toBrokerMessage(received: MessageSections): BrokerMessage {
  const sent = received.inOrder();
  const header = sent.decodeHeader();
  const annotations = sent.decodeMessageAnnotations();
  const properties = sent.decodeProperties();
  const timeToLiveMs = sentLifeMs(header, properties);
  if (timeToLiveMs === undefined && properties?.absoluteExpiryTime !== undefined) {
    return toBrokerMessage(withoutExpiry(sent));
  }
  sent.checkKept();
  checkProperties(sent);
  const { bytes, end } = sent;
  const start = needsFront(sent, header, annotations) ? sent.start : sent.bareStart;
  const due = annotations?.get(wirePlaces.scheduledEnqueueTime.field);
  // One literal with every name, so that all messages have one hidden class.
  return {
    messageId: toId(properties?.messageId),
    correlationId: toId(properties?.correlationId),
    contentType: properties?.contentType,
    contentEncoding: properties?.contentEncoding,
    subject: properties?.subject,
    to: textOf(properties?.to),
    replyTo: textOf(properties?.replyTo),
    sessionId: properties?.groupId,
    replyToSessionId: properties?.replyToGroupId,
    partitionKey: textOf(annotations?.get(wirePlaces.partitionKey.field)),
    viaPartitionKey: textOf(annotations?.get(wirePlaces.viaPartitionKey.field)),
    scheduledEnqueueTime: isTyped(due) && due.type === "timestamp" ? new Date(Number(due.value)) : undefined,
    timeToLiveMs,
    forcePersistence: header?.durable === true ? true : undefined,
    wire: start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end),
    body: dataOf(sent),
    applicationProperties:
      sent.applicationProperties === undefined
        ? noProperties
        : () => fromAmqpProperties(sent.decodeApplicationProperties()),
  } satisfies EveryProperty<BrokerMessage>;
}

/** A message that never expires, without the expiry time in its properties, which readers would use. */
function withoutExpiry({ bytes, bareStart, start, end }: MessageSections): MessageSections {
  const bare = stampProperties(bytes.subarray(bareStart, end), { absoluteExpiryTime: null });
  return scanMessage(Buffer.concat([bytes.subarray(start, bareStart), ...bare]));
}

const noProperties = (): ApplicationProperties => ({});

/** A body of one data section, the most common kind, as a view. Others are decoded only on demand. */
function dataOf({ data, bytes }: MessageSections): BrokerMessage["body"] {
  return data && { section: "data", bytes: bytes.subarray(data.start, data.end) };
}

/** Whether there are sections before the bare message that the broker cannot recreate. */
function needsFront(
  sent: MessageSections,
  header: MessageHeader | undefined,
  annotations: AmqpMap | undefined,
): boolean {
  return (
    sent.deliveryAnnotations !== undefined ||
    header?.durable !== undefined ||
    header?.priority !== undefined ||
    header?.firstAcquirer !== undefined ||
    annotations?.entries.some(([key]) => !knownAnnotations.has(keyText(key) ?? "")) === true
  );
}

/** Converts an id for the broker; a uuid becomes text there, while the message keeps its type. */
function toId(id: AmqpValue | undefined): MessageId | undefined {
  if (typeof id === "string" || id instanceof Uint8Array) return id;
  if (!isTyped(id)) return undefined;
  if (id.type === "ulong") return id.value;
  return id.type === "uuid" ? uuidText(id) : undefined;
}
