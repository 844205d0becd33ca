import type { DeliveredMessage, MessageId } from "@waybill/core/transport";
import { propertiesFields } from "./sent-properties.js";

const descriptorBytes = 3;
const timestampBytes = 9;

/** The positions of the expiry and creation times in the properties section, which the SDK hides. */
const expiryPositions: ReadonlySet<number> = new Set([8, 9]);

/**
 * The size of a message's properties and body in AMQP's most compact encoding (part 1.6), in bytes, because the SDK reports no size. The
 * stored size is a few bytes larger if the sender encoded less compactly or sent properties that the SDK hides.
 */
export function sizeOfMessage(message: DeliveredMessage): number {
  const { body, applicationProperties } = message;
  const names = Object.keys(applicationProperties);
  const properties = sizeOfProperties(message);
  return (
    (properties === 0 ? 0 : descriptorBytes + sizeOfCompound(properties)) +
    (names.length === 0 ? 0 : descriptorBytes + sizeOfValue(applicationProperties)) +
    (descriptorBytes + sizeOfValue(body instanceof Uint8Array ? body : body.value))
  );
}

/** Fields in order (3.2.4); a field without a value takes one byte if another follows. */
function sizeOfProperties(message: DeliveredMessage): number {
  const time = message.timeToLive === undefined ? undefined : timestampBytes;
  let total = 0;
  let gap = 0;
  for (const [position, name] of propertiesFields.entries()) {
    const size = expiryPositions.has(position) ? time : sizeOfOptional(name && message[name]);
    if (size === undefined) gap++;
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
  if (value instanceof Date) return timestampBytes;
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

/** The size of a list or map with its constructor, size and count. */
function sizeOfCompound(members: number): number {
  return members < 255 ? 3 + members : 9 + members;
}
