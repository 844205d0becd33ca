import type { ApplicationProperties } from "@waybill/core";
import type { EncodedBody, MessageId } from "@waybill/core/transport";

/** What of a message counts: all that its sender wrote. */
export interface SizedMessage {
  readonly body: EncodedBody;
  readonly messageId: MessageId | undefined;
  readonly to: string | undefined;
  readonly subject: string | undefined;
  readonly replyTo: string | undefined;
  readonly correlationId: MessageId | undefined;
  readonly contentType: string | undefined;
  readonly timeToLive: number | undefined;
  readonly sessionId: string | undefined;
  readonly replyToSessionId: string | undefined;
  readonly applicationProperties: ApplicationProperties;
}

const DESCRIPTOR_BYTES = 3;
const TIMESTAMP_BYTES = 9;

/**
 * The bytes of a message's properties and body in AMQP's shortest encoding (1.6), which is what the broker stores of it: the SDK has no
 * size. A sender that encodes less tightly, or sends properties that the SDK does not show, took some bytes more.
 */
export function sizeOfMessage(message: SizedMessage): number {
  const { body, applicationProperties } = message;
  const names = Object.keys(applicationProperties);
  const properties = sizeOfProperties(message);
  return (
    (properties === 0 ? 0 : DESCRIPTOR_BYTES + sizeOfCompound(properties)) +
    (names.length === 0 ? 0 : DESCRIPTOR_BYTES + sizeOfValue(applicationProperties)) +
    (DESCRIPTOR_BYTES + sizeOfValue(body instanceof Uint8Array ? body : body.value))
  );
}

/** In the order of their fields (3.2.4), where those without a value take a byte if another follows. */
function sizeOfProperties(message: SizedMessage): number {
  const time = message.timeToLive === undefined ? undefined : TIMESTAMP_BYTES;
  const sizes = [
    sizeOfOptional(message.messageId),
    undefined,
    sizeOfOptional(message.to),
    sizeOfOptional(message.subject),
    sizeOfOptional(message.replyTo),
    sizeOfOptional(message.correlationId),
    sizeOfOptional(message.contentType),
    undefined,
    time,
    time,
    sizeOfOptional(message.sessionId),
    undefined,
    sizeOfOptional(message.replyToSessionId),
  ];
  let total = 0;
  let gap = 0;
  for (const size of sizes) {
    if (size === undefined) gap += 1;
    else {
      total += gap + size;
      gap = 0;
    }
  }
  return total;
}

function sizeOfOptional(value: MessageId | undefined): number | undefined {
  return value === undefined ? undefined : sizeOfValue(value);
}

function sizeOfValue(value: unknown): number {
  switch (typeof value) {
    case "string":
      return sizeOfBytes(Buffer.byteLength(value));
    case "number":
      return sizeOfNumber(value);
    case "bigint":
      return value >= -128n && value < 128n ? 2 : 9;
    case "object":
      return value === null ? 1 : sizeOfObject(value);
    default:
      return 1;
  }
}

function sizeOfNumber(value: number): number {
  if (!Number.isInteger(value)) return 9;
  if (value >= -128 && value < 128) return 2;
  return value >= -(2 ** 31) && value < 2 ** 31 ? 5 : 9;
}

function sizeOfObject(value: object): number {
  if (value instanceof Uint8Array) return sizeOfBytes(value.length);
  if (value instanceof Date) return TIMESTAMP_BYTES;
  let members = 0;
  if (Array.isArray(value)) for (const item of value) members += sizeOfValue(item);
  else {
    const entries = value instanceof Map ? value : Object.entries(value);
    for (const [key, item] of entries) members += sizeOfValue(key) + sizeOfValue(item);
  }
  return sizeOfCompound(members);
}

function sizeOfBytes(length: number): number {
  return length < 256 ? 2 + length : 5 + length;
}

/** A list or map with its constructor, size and count. */
function sizeOfCompound(members: number): number {
  return members < 255 ? 3 + members : 9 + members;
}
