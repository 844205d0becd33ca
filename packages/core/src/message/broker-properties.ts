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
const deadLetterText = Object.freeze({ ...notInHttp, maxLength: maxDeadLetterTextLength });

/** What a row says: `http` only if the key is not the property's name in Azure's documentation. */
type Row = Omit<BrokerProperty, "http"> & Partial<Pick<BrokerProperty, "http">>;

const rows = {
  messageId: writable("message-id", properties("message-id"), idLimits),
  contentType: writable("string", properties("content-type", "symbol"), notInHttp),
  contentEncoding: writable("string", properties("content-encoding", "symbol"), notInHttp),
  correlationId: writable("message-id", properties("correlation-id")),
  subject: writable("string", properties("subject"), { http: "Label" }),
  to: writable("string", properties("to")),
  replyTo: writable("string", properties("reply-to")),
  replyToSessionId: writable("string", properties("reply-to-group-id"), idLimits),
  sessionId: writable("string", properties("group-id"), idLimits),
  partitionKey: writable("string", annotation("x-opt-partition-key"), idLimits),
  viaPartitionKey: writable("string", annotation("x-opt-via-partition-key"), idLimits),
  timeToLive: writable("duration", header("ttl", "uint"), { max: maxTimeToLiveMs }),
  scheduledEnqueueTimeUtc: writable("instant", annotation("x-opt-scheduled-enqueue-time", "timestamp")),
  forcePersistence: writable("boolean", header("durable", "boolean")),
  deadLetterReason: readOnly("string", applicationProperty("DeadLetterReason"), deadLetterText),
  deadLetterErrorDescription: readOnly(
    "string",
    applicationProperty("DeadLetterErrorDescription"),
    deadLetterText,
  ),
  deadLetterSource: readOnly("string", annotation("x-opt-deadletter-source"), notInHttp),
  deliveryCount: readOnly("count", header("delivery-count", "uint")),
  enqueuedTimeUtc: readOnly("instant", annotation("x-opt-enqueued-time", "timestamp")),
  expiresAtUtc: readOnly("instant", properties("absolute-expiry-time", "timestamp"), notInHttp),
  lockedUntilUtc: readOnly("instant", annotation("x-opt-locked-until", "timestamp")),
  lockToken: readOnly("string", { section: "delivery", field: "delivery-tag", type: "binary" }),
  sequenceNumber: readOnly("sequence-number", annotation("x-opt-sequence-number", "long")),
  enqueuedSequenceNumber: readOnly("sequence-number", annotation("x-opt-enqueue-sequence-number", "long")),
  state: readOnly("state", annotation("x-opt-message-state", "int")),
  size: readOnly("count", undefined, notInHttp),
} satisfies Record<BrokerPropertyName, Row>;

/**
 * Every broker property, with its AMQP section and field, its key in the HTTP `BrokerProperties` header, who may set it and its limits.
 * Checks and mappings use this table. Source: Azure's "Messages, payloads, and serialization", "AMQP 1.0 in Azure Service Bus" and
 * "Service Bus quotas"; AMQP 1.0, 3.2.
 */
export const brokerProperties: Readonly<Record<BrokerPropertyName, BrokerProperty>> = Object.freeze(
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, Object.freeze({ http: capitalised(name), ...row })]),
  ) as Record<BrokerPropertyName, BrokerProperty>,
);

/** The table as a list. */
export const brokerPropertyEntries: readonly (readonly [BrokerPropertyName, BrokerProperty])[] =
  Object.freeze(Object.entries(brokerProperties) as [BrokerPropertyName, BrokerProperty][]);

/** The name of a property in Azure's documentation and in .NET, and the key in HTTP. */
export function capitalised(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function writable(type: BrokerPropertyType, amqp: BrokerProperty["amqp"], rest?: Partial<Row>): Row {
  return { access: "writable", type, amqp, ...rest };
}

function readOnly(...row: Parameters<typeof writable>): Row {
  return { ...writable(...row), access: "read-only" };
}

function header(field: string, type: string): BrokerProperty["amqp"] {
  return { section: "header", field, type };
}

function properties(field: string, type = "string"): BrokerProperty["amqp"] {
  return { section: "properties", field, type };
}

function annotation(field: string, type = "string"): BrokerProperty["amqp"] {
  return { section: "message-annotations", field, type };
}

function applicationProperty(field: string): BrokerProperty["amqp"] {
  return { section: "application-properties", field, type: "string" };
}
