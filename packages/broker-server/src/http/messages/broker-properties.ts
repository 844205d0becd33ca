import { Buffer } from "node:buffer";
import type { BrokerReceivedMessage, MessageId } from "@waybill/broker";
import type { EveryProperty, SendableProperties } from "@waybill/broker/front-end";
import { asciiJson } from "@waybill/foundation";
import { HttpRefusal } from "../http-refusal.js";
import { fromInstantText, toInstantText } from "./property-text.js";

/** .NET's `TimeSpan.MaxValue` in seconds, which means unlimited. */
const maxSeconds = 922_337_203_685.4775;
const timeSpan = /^(?:(\d{1,8})\.)?(\d{1,2}):(\d{1,2})(?::(\d{1,2}(?:\.\d{1,7})?))?$/;
const states = { active: "Active", deferred: "Deferred", scheduled: "Scheduled" } as const;

/** What a sender may set in HTTP; AMQP's content encoding has no place there. */
type HttpProperties = Omit<SendableProperties, "contentEncoding">;

/** The key of each property that a sender may set. */
const keys = {
  contentType: "ContentType",
  correlationId: "CorrelationId",
  forcePersistence: "ForcePersistence",
  messageId: "MessageId",
  partitionKey: "PartitionKey",
  replyTo: "ReplyTo",
  replyToSessionId: "ReplyToSessionId",
  scheduledEnqueueTime: "ScheduledEnqueueTimeUtc",
  sessionId: "SessionId",
  subject: "Label",
  timeToLiveMs: "TimeToLive",
  to: "To",
  viaPartitionKey: "ViaPartitionKey",
} as const satisfies Record<keyof HttpProperties, string>;

/** Those whose values are strings on both sides. */
const textNames = [
  "subject",
  "partitionKey",
  "replyTo",
  "replyToSessionId",
  "sessionId",
  "to",
  "viaPartitionKey",
] as const satisfies readonly (keyof HttpProperties)[];
type TextName = (typeof textNames)[number];

/** What the header has of the properties that a sender may set: all but the content type, which is a header itself. */
type WrittenProperties = Record<(typeof keys)[Exclude<keyof HttpProperties, "contentType">], unknown>;

/** The header `BrokerProperties` of a received message: JSON in ASCII. Source: "Message headers and properties". */
export function toBrokerProperties(message: BrokerReceivedMessage): string {
  const { messageId, correlationId, deadLetterSource, lockToken, lockedUntil, scheduledEnqueueTime } =
    message;
  const texts = Object.fromEntries(textNames.map((name) => [keys[name], message[name]]));
  const sent = {
    ...(texts as Record<(typeof keys)[TextName], string | undefined>),
    CorrelationId: toIdJson(correlationId),
    ForcePersistence: message.forcePersistence || undefined,
    MessageId: toIdJson(messageId),
    ScheduledEnqueueTimeUtc: scheduledEnqueueTime && toInstantText(scheduledEnqueueTime),
    TimeToLive: Math.min(message.timeToLiveMs / 1000, maxSeconds),
  } satisfies WrittenProperties;
  const properties = {
    ...sent,
    DeadLetterSource: deadLetterSource,
    // The service includes the current delivery.
    DeliveryCount: message.deliveryCount + 1,
    EnqueuedSequenceNumber: Number(message.enqueuedSequenceNumber),
    EnqueuedTimeUtc: message.enqueuedTime.toUTCString(),
    LockToken: lockToken,
    LockedUntilUtc: lockedUntil?.toUTCString(),
    SequenceNumber: Number(message.sequenceNumber),
    State: states[message.state],
  };
  const sorted = Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
  return asciiJson(JSON.stringify(Object.fromEntries(sorted)));
}

/** A binary id is sent in base 64; AMQP's other non-string ids are numbers. */
function toIdJson(id: MessageId | undefined): unknown {
  if (id instanceof Uint8Array) return { $binary: Buffer.from(id).toString("base64") };
  return typeof id === "bigint" ? Number(id) : id;
}

/** Reads the properties that a sender may set from the JSON of `BrokerProperties`; unknown keys are ignored. Throws an `HttpRefusal`. */
export function fromBrokerProperties(json: unknown): HttpProperties {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw badProperty("BrokerProperties must be a JSON object");
  const given = new Map(Object.entries(json).map(([key, value]) => [key.toLowerCase(), value]));
  const read = <Value>(key: string, toValue: (value: unknown, key: string) => Value): Value | undefined => {
    const value = given.get(key.toLowerCase());
    return value === undefined || value === null ? undefined : toValue(value, key);
  };
  const texts = Object.fromEntries(textNames.map((name) => [name, read(keys[name], toText)]));
  return {
    ...(texts as Record<TextName, string | undefined>),
    messageId: read(keys.messageId, toId),
    correlationId: read(keys.correlationId, toId),
    contentType: read(keys.contentType, toText),
    forcePersistence: read(keys.forcePersistence, toBoolean),
    scheduledEnqueueTime: read(keys.scheduledEnqueueTime, toInstant),
    timeToLiveMs: read(keys.timeToLiveMs, toLifeMs) ?? read("TimeToLiveTimeSpan", toSpanMs),
  } satisfies EveryProperty<HttpProperties>;
}

function toText(value: unknown, key: string): string {
  if (typeof value === "string") return value;
  throw badProperty(`${key} must be text`);
}

function toId(value: unknown, key: string): MessageId {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  const binary = typeof value === "object" && (value as { readonly $binary?: unknown }).$binary;
  return typeof binary === "string" ? Uint8Array.from(Buffer.from(binary, "base64")) : toText(value, key);
}

function toBoolean(value: unknown, key: string): boolean {
  if (typeof value === "boolean") return value;
  if (value === "true" || value === "false") return value === "true";
  throw badProperty(`${key} must be true or false`);
}

function toInstant(value: unknown, key: string): Date {
  const instant = typeof value === "string" ? fromInstantText(value) : undefined;
  if (instant !== undefined) return instant;
  throw badProperty(`${key} must be a time such as Sun, 06 Nov 1994 08:49:37 GMT`);
}

/** Accepts seconds, or a time span in quotes. */
function toLifeMs(value: unknown, key: string): number {
  if (typeof value === "string" && value.includes(":")) return toSpanMs(value, key);
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof seconds !== "number" || !(seconds > 0))
    throw badProperty(`${key} must be a number of seconds above 0`);
  return seconds >= maxSeconds ? Number.POSITIVE_INFINITY : Math.max(1, Math.round(seconds * 1000));
}

function toSpanMs(value: unknown, key: string): number {
  const match = typeof value === "string" ? timeSpan.exec(value.trim()) : null;
  if (match === null) throw badProperty(`${key} must be a time span such as 1.02:03:04`);
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = match;
  const ms = Number(days) * 86_400_000 + Number(hours) * 3_600_000 + Number(minutes) * 60_000;
  const total = ms + Math.round(Number(seconds) * 1000);
  if (total <= 0) throw badProperty(`${key} must be a time span above 0`);
  return total >= maxSeconds * 1000 - 1000 ? Number.POSITIVE_INFINITY : total;
}

function badProperty(text: string): HttpRefusal {
  return new HttpRefusal(400, `SubCode=40000. ${text}.`);
}
