import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import {
  type AmqpMap,
  type AmqpValue,
  encodeMessage,
  isTyped,
  type MessageHeader,
  type MessageProperties,
  type MessageSections,
  scanMessage,
  uuidText,
} from "@waybill/amqp";
import type { BrokerMessage, MessageId } from "@waybill/broker";
import { fromAmqpProperties, keyText, textOf } from "./application-properties.js";

const SCHEDULED_TIME = "x-opt-scheduled-enqueue-time";
const PARTITION_KEY = "x-opt-partition-key";
const VIA_PARTITION_KEY = "x-opt-via-partition-key";

/** Annotations that the broker keeps as properties of its own or writes itself, so that they need not be stored. */
const KNOWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  SCHEDULED_TIME,
  PARTITION_KEY,
  VIA_PARTITION_KEY,
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
 * Reads a message that a client sent. The broker stores its bytes as they are; in front of the bare message only what the broker
 * does not know itself. Application properties and bodies other than data stay undecoded. Throws `AmqpDecodeError`.
 */
export function toBrokerMessage(encoded: Uint8Array): BrokerMessage {
  const sent = scanMessage(encoded);
  const header = sent.decodeHeader();
  const annotations = sent.decodeMessageAnnotations();
  const properties = sent.decodeProperties();
  const kept = keptBytes(sent, header, annotations);
  const sections = hasId(properties) ? kept : withMessageId(kept, properties);
  const named = hasId(properties) ? properties : sections.decodeProperties();
  const due = annotations?.get(SCHEDULED_TIME);
  // One literal with every name, so that all messages have one shape.
  return {
    messageId: toId(named?.messageId),
    correlationId: toId(named?.correlationId),
    contentType: named?.contentType,
    subject: named?.subject,
    to: textOf(named?.to),
    replyTo: textOf(named?.replyTo),
    sessionId: named?.groupId,
    replyToSessionId: named?.replyToGroupId,
    partitionKey: textOf(annotations?.get(PARTITION_KEY)),
    viaPartitionKey: textOf(annotations?.get(VIA_PARTITION_KEY)),
    scheduledEnqueueTime: isTyped(due) && due.type === "timestamp" ? new Date(Number(due.value)) : undefined,
    timeToLiveMs: header?.ttl === undefined || header.ttl === 0 ? undefined : header.ttl,
    wire: sections.bytes,
    body: dataOf(sections),
    applicationProperties: () => fromAmqpProperties(sections.decodeApplicationProperties()),
  };
}

/** A body of one data section, which is nearly every body. The others are read only if somebody asks. */
function dataOf(sections: MessageSections): BrokerMessage["body"] {
  if (sections.bodyKind !== "data" || sections.body.length !== 1) return undefined;
  const [bytes] = sections.decodeBody();
  return bytes instanceof Uint8Array ? { section: "data", bytes } : undefined;
}

function keptBytes(
  sent: MessageSections,
  header: MessageHeader | undefined,
  annotations: AmqpMap | undefined,
): MessageSections {
  const isBare = sent.bareStart === 0;
  const needsFront =
    sent.deliveryAnnotations !== undefined ||
    header?.durable !== undefined ||
    header?.priority !== undefined ||
    annotations?.entries.some(([key]) => !KNOWN_ANNOTATIONS.has(keyText(key) ?? ""));
  return isBare || needsFront === true ? sent : scanMessage(sent.bytes.subarray(sent.bareStart));
}

function hasId(properties: MessageProperties | undefined): properties is MessageProperties {
  return properties?.messageId !== undefined && properties.messageId !== null;
}

/** SDKs settle and renew by message id, so a message without one gets one. */
function withMessageId(
  sections: MessageSections,
  properties: MessageProperties | undefined,
): MessageSections {
  const named = encodeMessage({
    properties: { ...properties, messageId: randomBytes(16).toString("hex") },
    body: { kind: "data", sections: [] },
  });
  const { bytes, bareStart } = sections;
  const rest = bytes.subarray(sections.properties?.end ?? bareStart);
  return scanMessage(Buffer.concat([bytes.subarray(0, bareStart), named, rest]));
}

/** An id in the types the broker compares; a uuid is its text there, while the message keeps its type. */
function toId(id: AmqpValue | undefined): MessageId | undefined {
  if (typeof id === "string" || id instanceof Uint8Array) return id;
  if (!isTyped(id)) return undefined;
  if (id.type === "ulong") return id.value;
  return id.type === "uuid" ? uuidText(id) : undefined;
}
