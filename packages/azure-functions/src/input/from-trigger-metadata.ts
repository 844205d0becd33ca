import type { ApplicationProperties } from "@waybill/core";
import type { EveryProperty } from "@waybill/core/transport";
import type { UnhandledDelivery } from "../message/host-message.js";

/** What the host says about the messages of an invocation without the SDK binding. */
export type TriggerMetadata = Readonly<Record<string, unknown>>;

/**
 * The message of an invocation without the SDK binding, from the trigger's metadata; `index` is its place in a batch. The host has changed
 * some of it: see the docs. Source: `ServiceBusTriggerBindingStrategy` of the host's extension.
 */
export function fromTriggerMetadata(
  body: Uint8Array,
  metadata: TriggerMetadata,
  index: number | undefined,
  lockedUntilUtc: Date | undefined,
): UnhandledDelivery {
  const value = (name: string): unknown => {
    if (index === undefined) return metadata[name] ?? undefined;
    const values = metadata[`${name}Array`];
    return (Array.isArray(values) ? values[index] : undefined) ?? undefined;
  };
  const text = (name: string) => textOf(value(name));
  const date = (...names: readonly string[]) => dateOf(names.map(value).find((one) => one !== undefined));
  return {
    body,
    messageId: text("messageId"),
    contentType: text("contentType"),
    correlationId: text("correlationId"),
    contentEncoding: undefined,
    subject: text("subject") ?? text("label"),
    to: text("to"),
    replyTo: text("replyTo"),
    replyToSessionId: text("replyToSessionId"),
    sessionId: text("sessionId"),
    partitionKey: text("partitionKey"),
    viaPartitionKey: text("transactionPartitionKey"),
    timeToLive: undefined,
    scheduledEnqueueTimeUtc: undefined,
    forcePersistence: undefined,
    applicationProperties: propertiesOf(value("applicationProperties") ?? value("userProperties")),
    deadLetterReason: undefined,
    deadLetterErrorDescription: undefined,
    deadLetterSource: text("deadLetterSource"),
    // The host's SDK counts this delivery too.
    deliveryCount: Math.max(0, Number(value("deliveryCount") ?? 1) - 1),
    enqueuedTimeUtc: date("enqueuedTimeUtc", "enqueuedTime"),
    expiresAtUtc: date("expiresAtUtc", "expiresAt"),
    lockedUntilUtc,
    lockToken: text("lockToken"),
    sequenceNumber: sequenceNumberOf(value("sequenceNumber")),
    enqueuedSequenceNumber: undefined,
    state: "active",
    size: undefined,
  } satisfies EveryProperty<UnhandledDelivery>;
}

/** `@azure/functions` parses texts that happen to be JSON, so the id `"42"` arrives as a number. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function dateOf(value: unknown): Date | undefined {
  const date = value instanceof Date ? value : typeof value === "string" ? new Date(value) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

/** 0 where it is unknown: `@azure/functions` rounds the large numbers of partitioned entities. */
function sequenceNumberOf(value: unknown): bigint {
  if (typeof value === "string" && /^\d{1,19}$/.test(value)) return BigInt(value);
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : 0n;
}

function propertiesOf(value: unknown): ApplicationProperties {
  return typeof value === "object" && value !== null ? (value as ApplicationProperties) : {};
}
