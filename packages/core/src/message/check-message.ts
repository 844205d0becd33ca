import { isObject } from "@waybill/foundation";
import { type ErrorDetails, WaybillError } from "../errors/error.js";
import {
  applicationPropertyLimits,
  type BrokerProperty,
  brokerPropertyEntries,
} from "./broker-properties.js";
import type { WritableProperties } from "./message.js";

/**
 * Checks an outgoing message's properties against the broker-property table. Throws `operation-invalid` naming the message, the entity,
 * the property and its limit; a `TypeError` when the message is not an object.
 */
export function checkMessage(message: WritableProperties, entityPath: string): void {
  if (!isObject(message)) {
    throw new TypeError(`A message must be an object with a body; got ${typeName(message)}.`);
  }
  requireOwnShape(message);
  const fault = findFault(message);
  if (fault === undefined) return;
  throw new WaybillError("operation-invalid", fault, {
    entityPath,
    messageId: nameableId(message.messageId),
  });
}

/** Refuses types of the official SDK whose properties are in other fields, and would be lost silently. */
function requireOwnShape(message: object): void {
  if ("tryAddMessage" in message) {
    throw new TypeError(
      "A batch of another client cannot be sent; make one with createMessageBatch of this sender.",
    );
  }
  // Fields of an `AmqpAnnotatedMessage` of `@azure/service-bus`; a plain message has none of them.
  const isAnnotated =
    "bodyType" in message ||
    "messageAnnotations" in message ||
    "deliveryAnnotations" in message ||
    "header" in message ||
    "footer" in message ||
    "properties" in message;
  if (!isAnnotated) return;
  throw new TypeError(
    "An AmqpAnnotatedMessage cannot be sent: its properties stand elsewhere. Give a message with body, messageId, " +
      "applicationProperties and so on; sendEncodedMessages takes AMQP values and sequences.",
  );
}

/** Checks properties that are added while settling, as {@link checkMessage} checks those of a message. */
export function checkApplicationProperties(applicationProperties: unknown, details: ErrorDetails): void {
  const fault = applicationPropertiesFault(applicationProperties);
  if (fault !== undefined) throw new WaybillError("operation-invalid", fault, details);
}

/** The size of an application property's value as the limits count it, in bytes; undefined for a type that AMQP does not allow there. */
export function applicationPropertySize(value: unknown): number | undefined {
  switch (typeof value) {
    case "string":
      return utf8Length(value);
    case "number":
      return 8;
    case "boolean":
      return 1;
    case "bigint":
      return value >= -(2n ** 63n) && value < 2n ** 63n ? 8 : undefined;
    default:
      if (value === null) return 1;
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : 8;
      return value instanceof Uint8Array ? value.length : undefined;
  }
}

/** The number of bytes a string takes in UTF-8; a lone surrogate counts as its replacement does. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes++;
    else if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return bytes;
}

const writableProperties: ReadonlyMap<string, BrokerProperty> = new Map(
  brokerPropertyEntries.filter(([, property]) => property.access === "writable"),
);
const writableNames: readonly string[] = Object.freeze([...writableProperties.keys()]);

function findFault(message: WritableProperties): string | undefined {
  // Most messages are literals of a few properties. Those of a class may inherit any of them.
  const isLiteral = Object.getPrototypeOf(message) === Object.prototype;
  for (const name of isLiteral ? Object.getOwnPropertyNames(message) : writableNames) {
    const property = writableProperties.get(name);
    const value = property && message[name as keyof WritableProperties];
    if (property === undefined || value === undefined) continue;
    const fault = propertyFault(property, value);
    if (fault !== undefined) return `${name} ${fault}`;
  }
  const { sessionId, partitionKey, applicationProperties } = message;
  if (sessionId !== undefined && partitionKey !== undefined && sessionId !== partitionKey) {
    return "partitionKey must equal sessionId where both are set.";
  }
  return applicationProperties === undefined ? undefined : applicationPropertiesFault(applicationProperties);
}

function propertyFault(property: BrokerProperty, value: unknown): string | undefined {
  const { max = Number.POSITIVE_INFINITY } = property;
  switch (property.type) {
    case "string":
      return typeof value === "string"
        ? textFault(property, value)
        : `must be a string; got ${typeName(value)}.`;
    case "message-id":
      return idFault(property, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : `must be a boolean; got ${typeName(value)}.`;
    case "instant":
      return value instanceof Date && !Number.isNaN(value.getTime())
        ? undefined
        : `must be a valid Date; got ${typeName(value)}.`;
    case "duration":
      return Number.isInteger(value) && (value as number) > 0 && (value as number) <= max
        ? undefined
        : `must be an integer of milliseconds from 1 to ${max}; got ${typeName(value)}.`;
    default:
      throw new TypeError(`No check for outgoing properties of type ${property.type}.`);
  }
}

function idFault(property: BrokerProperty, value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return textFault(property, value);
    case "number":
      return Number.isSafeInteger(value) && value >= 0
        ? undefined
        : "must be an integer from 0 to 2^53 - 1 if it is a number; use bigint beyond.";
    case "bigint":
      return value >= 0n && value < 2n ** 64n ? undefined : "must be from 0 to 2^64 - 1 if it is a bigint.";
    default:
      if (!(value instanceof Uint8Array)) {
        return `must be a string, number, bigint or Uint8Array; got ${typeName(value)}.`;
      }
      return lengthFault(property, value.length, "bytes");
  }
}

function textFault(property: BrokerProperty, value: string): string | undefined {
  const fault = lengthFault(property, value.length, "characters");
  if (fault !== undefined) return fault;
  const { maxBytes } = applicationPropertyLimits;
  // A string takes at most three bytes per code unit, so most need no count.
  if (value.length * 3 <= maxBytes || utf8Length(value) <= maxBytes) return undefined;
  return `must take at most ${maxBytes} bytes; got ${utf8Length(value)}.`;
}

function lengthFault(property: BrokerProperty, length: number, unit: string): string | undefined {
  if (property.maxLength === undefined || length <= property.maxLength) return undefined;
  return `must have at most ${property.maxLength} ${unit}; got ${length}.`;
}

function applicationPropertiesFault(applicationProperties: unknown): string | undefined {
  if (
    typeof applicationProperties !== "object" ||
    applicationProperties === null ||
    Array.isArray(applicationProperties)
  ) {
    return `applicationProperties must be an object; got ${typeName(applicationProperties)}.`;
  }
  const { maxBytes, maxTotalBytes } = applicationPropertyLimits;
  let totalBytes = 0;
  for (const key of Object.keys(applicationProperties)) {
    const value = (applicationProperties as Record<string, unknown>)[key];
    const valueBytes = applicationPropertySize(value);
    if (valueBytes === undefined) {
      return `application property ${quoted(key)} must be a string, number, bigint of 64 bits, boolean, valid Date, Uint8Array or null; got ${typeName(value)}.`;
    }
    const bytes = utf8Length(key) + valueBytes;
    if (bytes > maxBytes) {
      return `application property ${quoted(key)} must take at most ${maxBytes} bytes with its name; got ${bytes}.`;
    }
    totalBytes += bytes;
  }
  if (totalBytes <= maxTotalBytes) return undefined;
  return `applicationProperties must take at most ${maxTotalBytes} bytes together; got ${totalBytes}.`;
}

function nameableId(id: unknown): unknown {
  return typeof id === "string" || typeof id === "number" || typeof id === "bigint" ? id : undefined;
}

function quoted(key: string): string {
  return JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number") return `the number ${value}`;
  if (value instanceof Date) return "an invalid Date";
  return Array.isArray(value) ? "an array" : typeof value;
}
