import type { BrokerAssignedProperties, WritableProperties } from "./message.js";

/** The section of an AMQP message that contains a property. */
export type AmqpSection =
  | "header"
  | "properties"
  | "message-annotations"
  | "application-properties"
  | "delivery";

/** The kind of a property's value, by which outgoing messages are checked. */
export type BrokerPropertyType =
  | "message-id"
  | "string"
  | "boolean"
  | "count"
  | "duration"
  | "instant"
  | "sequence-number"
  | "state";

/** One property of a Service Bus message: its names, who sets it, its type and limits. */
export interface BrokerProperty {
  /** The name in Azure's documentation and in .NET. */
  readonly azureName: string;
  readonly access: "writable" | "read-only";
  readonly type: BrokerPropertyType;
  /** Its section and field in AMQP; undefined if AMQP does not carry it. */
  readonly amqp: { readonly section: AmqpSection; readonly field: string; readonly type: string } | undefined;
  /** Its key in the HTTP `BrokerProperties` header; undefined if it is not there. */
  readonly http: string | undefined;
  /** Maximum length, in UTF-16 code units (bytes for a binary id). */
  readonly maxLength?: number;
  /** Maximum number, in the property's unit. */
  readonly max?: number;
}

/** The names of all broker properties on a message. */
export type BrokerPropertyName =
  | Exclude<keyof WritableProperties, "applicationProperties">
  | keyof BrokerAssignedProperties;

/** The maximum time to live: .NET's `TimeSpan.MaxValue` in milliseconds, which the service treats as "never". */
const maxTimeToLiveMs = 922_337_203_685_477;

/** Limits on application properties, in bytes of UTF-8. Source: Service Bus quotas. */
export const applicationPropertyLimits = Object.freeze({ maxBytes: 32_768, maxTotalBytes: 65_536 });

/** Maximum length of a dead-letter reason and description, in characters. */
export const maxDeadLetterTextLength = 4_096;

/**
 * Every broker property, with its AMQP section and field, its key in the HTTP `BrokerProperties` header, who may set it and its limits.
 * Checks and mappings use this table. Source: Azure's "Messages, payloads, and serialization", "AMQP 1.0 in Azure Service Bus" and
 * "Service Bus quotas"; AMQP 1.0, 3.2.
 */
export const brokerProperties = Object.freeze({
  messageId: writable("MessageId", "message-id", properties("message-id", "string"), "MessageId", {
    maxLength: 128,
  }),
  contentType: writable("ContentType", "string", properties("content-type", "symbol"), undefined),
  correlationId: writable(
    "CorrelationId",
    "message-id",
    properties("correlation-id", "string"),
    "CorrelationId",
  ),
  subject: writable("Subject", "string", properties("subject", "string"), "Label"),
  to: writable("To", "string", properties("to", "string"), "To"),
  replyTo: writable("ReplyTo", "string", properties("reply-to", "string"), "ReplyTo"),
  replyToSessionId: writable(
    "ReplyToSessionId",
    "string",
    properties("reply-to-group-id", "string"),
    "ReplyToSessionId",
    { maxLength: 128 },
  ),
  sessionId: writable("SessionId", "string", properties("group-id", "string"), "SessionId", {
    maxLength: 128,
  }),
  partitionKey: writable(
    "PartitionKey",
    "string",
    annotation("x-opt-partition-key", "string"),
    "PartitionKey",
    { maxLength: 128 },
  ),
  viaPartitionKey: writable(
    "ViaPartitionKey",
    "string",
    annotation("x-opt-via-partition-key", "string"),
    "ViaPartitionKey",
    { maxLength: 128 },
  ),
  timeToLive: writable("TimeToLive", "duration", header("ttl", "uint"), "TimeToLive", {
    max: maxTimeToLiveMs,
  }),
  scheduledEnqueueTimeUtc: writable(
    "ScheduledEnqueueTimeUtc",
    "instant",
    annotation("x-opt-scheduled-enqueue-time", "timestamp"),
    "ScheduledEnqueueTimeUtc",
  ),
  forcePersistence: writable("ForcePersistence", "boolean", header("durable", "boolean"), "ForcePersistence"),
  deadLetterReason: readOnly(
    "DeadLetterReason",
    "string",
    { section: "application-properties", field: "DeadLetterReason", type: "string" },
    undefined,
    { maxLength: maxDeadLetterTextLength },
  ),
  deadLetterErrorDescription: readOnly(
    "DeadLetterErrorDescription",
    "string",
    { section: "application-properties", field: "DeadLetterErrorDescription", type: "string" },
    undefined,
    { maxLength: maxDeadLetterTextLength },
  ),
  deadLetterSource: readOnly(
    "DeadLetterSource",
    "string",
    annotation("x-opt-deadletter-source", "string"),
    undefined,
  ),
  deliveryCount: readOnly("DeliveryCount", "count", header("delivery-count", "uint"), "DeliveryCount"),
  enqueuedTimeUtc: readOnly(
    "EnqueuedTimeUtc",
    "instant",
    annotation("x-opt-enqueued-time", "timestamp"),
    "EnqueuedTimeUtc",
  ),
  expiresAtUtc: readOnly(
    "ExpiresAtUtc",
    "instant",
    properties("absolute-expiry-time", "timestamp"),
    undefined,
  ),
  lockedUntilUtc: readOnly(
    "LockedUntilUtc",
    "instant",
    annotation("x-opt-locked-until", "timestamp"),
    "LockedUntilUtc",
  ),
  lockToken: readOnly(
    "LockToken",
    "string",
    { section: "delivery", field: "delivery-tag", type: "binary" },
    "LockToken",
  ),
  sequenceNumber: readOnly(
    "SequenceNumber",
    "sequence-number",
    annotation("x-opt-sequence-number", "long"),
    "SequenceNumber",
  ),
  enqueuedSequenceNumber: readOnly(
    "EnqueuedSequenceNumber",
    "sequence-number",
    annotation("x-opt-enqueue-sequence-number", "long"),
    "EnqueuedSequenceNumber",
  ),
  state: readOnly("State", "state", annotation("x-opt-message-state", "int"), "State"),
  size: readOnly("Size", "count", undefined, undefined),
} satisfies Record<BrokerPropertyName, BrokerProperty>);

type Limits = Pick<BrokerProperty, "maxLength" | "max">;

function writable(
  azureName: string,
  type: BrokerPropertyType,
  amqp: BrokerProperty["amqp"],
  http: string | undefined,
  limits: Limits = {},
): BrokerProperty {
  return Object.freeze({ azureName, access: "writable", type, amqp, http, ...limits });
}

function readOnly(
  azureName: string,
  type: BrokerPropertyType,
  amqp: BrokerProperty["amqp"],
  http: string | undefined,
  limits: Limits = {},
): BrokerProperty {
  return Object.freeze({ azureName, access: "read-only", type, amqp, http, ...limits });
}

function header(field: string, type: string): BrokerProperty["amqp"] {
  return { section: "header", field, type };
}

function properties(field: string, type: string): BrokerProperty["amqp"] {
  return { section: "properties", field, type };
}

function annotation(field: string, type: string): BrokerProperty["amqp"] {
  return { section: "message-annotations", field, type };
}
