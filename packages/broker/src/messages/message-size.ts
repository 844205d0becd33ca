import { Buffer } from "node:buffer";
import { brokerLimits } from "../errors/limits.js";
import type { ApplicationProperties, BrokerMessage, MessageId, SendableProperties } from "./message.js";

/** Encoding overhead of a property, or of a value in a list or map, in bytes. */
const propertyOverhead = 4;
/** Encoding overhead of a message's sections, in bytes. */
const messageOverhead = 32;

/** The bytes of a message that count towards quotas: its size, its changed properties, and the broker's own memory for it. */
export function quotaCostOf(sizeInBytes: number, changeBytes = 0): number {
  return brokerLimits.messageCost + sizeInBytes + changeBytes;
}

/** The size of a message that counts towards limits, in bytes. */
export function sizeOf(message: BrokerMessage, bytes: Uint8Array): number {
  if (message.wire !== undefined) return bytes.length;
  const { applicationProperties } = message;
  const applicationBytes =
    typeof applicationProperties === "object" ? sizeOfApplicationProperties(applicationProperties) : 0;
  return bytes.length + sizeOfProperties(message) + applicationBytes;
}

/** The size of application properties with their names, in bytes; lists and maps count with their content. */
export function sizeOfApplicationProperties(properties: ApplicationProperties): number {
  let bytes = 0;
  for (const name in properties) {
    const value = properties[name];
    bytes += sizeOfText(name);
    bytes += isNested(value) ? sizeOfNested(value) : propertyOverhead + sizeOfSimple(value);
  }
  return bytes;
}

/** Text counts in UTF-8, and binary values by length. */
function sizeOfSimple(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  return 8;
}

export function isNested(value: unknown): value is object {
  if (typeof value !== "object" || value === null || value instanceof Date) return false;
  return !ArrayBuffer.isView(value) && !(value instanceof ArrayBuffer);
}

/** Not recursive, and each object counts once: values may nest deeply, repeat an object, or be cyclic. */
function sizeOfNested(root: object): number {
  const seen = new Set([root]);
  let bytes = 0;
  // Grows while it is iterated.
  for (const value of seen) {
    bytes += propertyOverhead;
    for (const member of membersOf(value)) {
      if (isNested(member)) seen.add(member);
      else bytes += propertyOverhead + sizeOfSimple(member);
    }
  }
  return bytes;
}

/** The keys and values of maps and objects, the elements of lists and sets; holes in a list are skipped. */
export function membersOf(value: object): Iterable<unknown> {
  if (value instanceof Set) return value;
  if (value instanceof Map) return [...value].flat();
  return Array.isArray(value) ? Object.values(value) : Object.entries(value).flat();
}

/** The properties that count; those of fixed size are part of the overhead. */
type CountedName = Exclude<
  keyof SendableProperties,
  "timeToLiveMs" | "scheduledEnqueueTime" | "forcePersistence"
>;

function sizeOfProperties(message: SendableProperties): number {
  // Written out, because looking them up by name takes longer than all other checks of a message together.
  const sizes: Record<CountedName, number> = {
    messageId: sizeOfId(message.messageId),
    correlationId: sizeOfId(message.correlationId),
    contentType: sizeOfText(message.contentType),
    contentEncoding: sizeOfText(message.contentEncoding),
    subject: sizeOfText(message.subject),
    to: sizeOfText(message.to),
    replyTo: sizeOfText(message.replyTo),
    replyToSessionId: sizeOfText(message.replyToSessionId),
    sessionId: sizeOfText(message.sessionId),
    partitionKey: sizeOfText(message.partitionKey),
    viaPartitionKey: sizeOfText(message.viaPartitionKey),
  };
  // Added up by name, too: a loop over the names would keep V8 from doing without the object.
  const ids = sizes.messageId + sizes.correlationId;
  const texts = sizes.contentType + sizes.contentEncoding + sizes.subject + sizes.to + sizes.replyTo;
  const keys = sizes.sessionId + sizes.replyToSessionId + sizes.partitionKey + sizes.viaPartitionKey;
  return messageOverhead + ids + texts + keys;
}

function sizeOfText(text: string | undefined): number {
  return text === undefined ? 0 : propertyOverhead + Buffer.byteLength(text);
}

function sizeOfId(id: MessageId | undefined): number {
  if (id === undefined) return 0;
  if (typeof id === "string") return sizeOfText(id);
  return propertyOverhead + (id instanceof Uint8Array ? id.byteLength : 8);
}
