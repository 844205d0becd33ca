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

const idLimits = Object.freeze({ maxLength: 128 });
const notInHttp = Object.freeze({ http: undefined });

/**
 * Every broker property, with its AMQP section and field, its key in the HTTP `BrokerProperties` header, who may set it and its limits.
 * Checks and mappings use this table. Source: Azure's "Messages, payloads, and serialization", "AMQP 1.0 in Azure Service Bus" and
 * "Service Bus quotas"; AMQP 1.0, 3.2.
 */
export const brokerProperties = Object.freeze({
  messageId: writable("MessageId", "message-id", properties("message-id", "string"), idLimits),
  contentType: writable("ContentType", "string", properties("content-type", "symbol"), notInHttp),
  contentEncoding: writable("ContentEncoding", "string", properties("content-encoding", "symbol"), notInHttp),
  correlationId: writable("CorrelationId", "message-id", properties("correlation-id", "string")),
  subject: writable("Subject", "string", properties("subject", "string"), { http: "Label" }),
  to: writable("To", "string", properties("to", "string")),
  replyTo: writable("ReplyTo", "string", properties("reply-to", "string")),
  replyToSessionId: writable(
    "ReplyToSessionId",
    "string",
    properties("reply-to-group-id", "string"),
    idLimits,
  ),
  sessionId: writable("SessionId", "string", properties("group-id", "string"), idLimits),
  partitionKey: writable("PartitionKey", "string", annotation("x-opt-partition-key", "string"), idLimits),
  viaPartitionKey: writable(
    "ViaPartitionKey",
    "string",
    annotation("x-opt-via-partition-key", "string"),
    idLimits,
  ),
  timeToLive: writable("TimeToLive", "duration", header("ttl", "uint"), { max: maxTimeToLiveMs }),
  scheduledEnqueueTimeUtc: writable(
    "ScheduledEnqueueTimeUtc",
    "instant",
    annotation("x-opt-scheduled-enqueue-time", "timestamp"),
  ),
  forcePersistence: writable("ForcePersistence", "boolean", header("durable", "boolean")),
  deadLetterReason: readOnly(
    "DeadLetterReason",
    "string",
    { section: "application-properties", field: "DeadLetterReason", type: "string" },
    { ...notInHttp, maxLength: maxDeadLetterTextLength },
  ),
  deadLetterErrorDescription: readOnly(
    "DeadLetterErrorDescription",
    "string",
    { section: "application-properties", field: "DeadLetterErrorDescription", type: "string" },
    { ...notInHttp, maxLength: maxDeadLetterTextLength },
  ),
  deadLetterSource: readOnly(
    "DeadLetterSource",
    "string",
    annotation("x-opt-deadletter-source", "string"),
    notInHttp,
  ),
  deliveryCount: readOnly("DeliveryCount", "count", header("delivery-count", "uint")),
  enqueuedTimeUtc: readOnly("EnqueuedTimeUtc", "instant", annotation("x-opt-enqueued-time", "timestamp")),
  expiresAtUtc: readOnly(
    "ExpiresAtUtc",
    "instant",
    properties("absolute-expiry-time", "timestamp"),
    notInHttp,
  ),
  lockedUntilUtc: readOnly("LockedUntilUtc", "instant", annotation("x-opt-locked-until", "timestamp")),
  lockToken: readOnly("LockToken", "string", { section: "delivery", field: "delivery-tag", type: "binary" }),
  sequenceNumber: readOnly("SequenceNumber", "sequence-number", annotation("x-opt-sequence-number", "long")),
  enqueuedSequenceNumber: readOnly(
    "EnqueuedSequenceNumber",
    "sequence-number",
    annotation("x-opt-enqueue-sequence-number", "long"),
  ),
  state: readOnly("State", "state", annotation("x-opt-message-state", "int")),
  size: readOnly("Size", "count", undefined, notInHttp),
} satisfies Record<BrokerPropertyName, BrokerProperty>);

/** The table as a list. */
export const brokerPropertyEntries: readonly (readonly [BrokerPropertyName, BrokerProperty])[] =
  Object.freeze(Object.entries(brokerProperties) as [BrokerPropertyName, BrokerProperty][]);

/** Its limits, and its key in HTTP if that is not `azureName`. */
type Rest = Partial<Pick<BrokerProperty, "http" | "maxLength" | "max">>;

function writable(
  azureName: string,
  type: BrokerPropertyType,
  amqp: BrokerProperty["amqp"],
  rest: Rest = {},
): BrokerProperty {
  return Object.freeze({ azureName, access: "writable", type, amqp, http: azureName, ...rest });
}

function readOnly(...[azureName, type, amqp, rest]: Parameters<typeof writable>): BrokerProperty {
  return Object.freeze({ ...writable(azureName, type, amqp, rest), access: "read-only" });
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
