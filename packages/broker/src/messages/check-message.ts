import { type BrokerError, refusal } from "../errors/broker-error.js";
import type { ApplicationProperties, BrokerMessage } from "./message.js";
import { sizeOfApplicationProperties } from "./message-size.js";
import { isStorable } from "./storable-value.js";

const keyLimit = 128;
const idRange = 2n ** 64n;
/** Maximum size of application properties in bytes: one with its name, and all of a message together. Source: Service Bus quotas. */
export const propertyLimits = Object.freeze({ propertyBytes: 32 * 1024, totalBytes: 64 * 1024 });
const { totalBytes: applicationPropertiesLimit } = propertyLimits;

/**
 * Checks a message's properties against the service's limits; throws `argument-error`, or `not-allowed` for a partition key that differs
 * from the session id. Source: "Partitioned queues and topics", using a partition key.
 */
export function checkProperties(message: BrokerMessage, entity: string): void {
  if (typeof message.applicationProperties === "object") {
    checkApplicationProperties(message.applicationProperties, entity);
  }
  checkKey(message.sessionId, "sessionId", entity);
  checkKey(message.partitionKey, "partitionKey", entity);
  checkKey(message.viaPartitionKey, "viaPartitionKey", entity);
  checkKey(message.replyToSessionId, "replyToSessionId", entity);
  if (typeof message.messageId === "string") checkKey(message.messageId, "messageId", entity);
  checkText(message.contentType, "contentType", entity);
  checkText(message.contentEncoding, "contentEncoding", entity);
  checkText(message.subject, "subject", entity);
  checkText(message.to, "to", entity);
  checkText(message.replyTo, "replyTo", entity);
  checkId(message.messageId, "messageId", entity);
  checkId(message.correlationId, "correlationId", entity);
  const { scheduledEnqueueTime } = message;
  if (scheduledEnqueueTime !== undefined && Number.isNaN(scheduledEnqueueTime.getTime())) {
    throw argumentError(entity, "scheduledEnqueueTime is not a valid date");
  }
  const ttl = message.timeToLiveMs;
  if (ttl !== undefined && !(typeof ttl === "number" && ttl > 0)) {
    throw argumentError(entity, `timeToLiveMs ${ttl} is not a positive number of milliseconds`);
  }
  if (
    message.sessionId !== undefined &&
    message.partitionKey !== undefined &&
    message.sessionId !== message.partitionKey
  ) {
    throw otherPartition(entity);
  }
}

function otherPartition(entity: string): BrokerError {
  const text = `Cannot send to '${entity}': partitionKey differs from sessionId, which overrides it.`;
  return refusal(entity, "not-allowed", text);
}

/**
 * Checks application properties: values must be cloneable, at most 64 KB together as in the service. Throws `argument-error` or
 * `message-size-exceeded`.
 */
export function checkApplicationProperties(properties: ApplicationProperties, entity: string): void {
  for (const name in properties) {
    const value = properties[name];
    const isBad =
      typeof value === "function" ||
      typeof value === "symbol" ||
      (typeof value === "object" && value !== null && !isCopyable(value));
    if (!isBad) continue;
    const shortName = name.slice(0, keyLimit);
    throw argumentError(entity, `application property '${shortName}' has a value that cannot be copied`);
  }
  const bytes = sizeOfApplicationProperties(properties);
  if (bytes <= applicationPropertiesLimit) return;
  const text = `The application properties of a message of '${entity}' have ${bytes} bytes, at most ${applicationPropertiesLimit} are taken.`;
  throw refusal(entity, "message-size-exceeded", text);
}

function isCopyable(value: object): boolean {
  return value instanceof Uint8Array || value instanceof Date || isStorable(value);
}

function checkKey(key: string | undefined, name: string, entity: string): void {
  checkText(key, name, entity);
  if (key !== undefined && key.length > keyLimit) {
    throw argumentError(entity, `${name} is longer than ${keyLimit} characters`);
  }
}

function checkText(text: unknown, name: string, entity: string): void {
  if (text !== undefined && typeof text !== "string") throw argumentError(entity, `${name} is not a string`);
}

function checkId(id: unknown, name: string, entity: string): void {
  if (id === undefined || typeof id === "string" || id instanceof Uint8Array) return;
  if (typeof id !== "bigint" && typeof id !== "number") {
    throw argumentError(entity, `${name} is not a string, number, bigint or Uint8Array`);
  }
  if (id < 0 || id >= idRange || (typeof id === "number" && !Number.isInteger(id))) {
    throw argumentError(entity, `${name} is a number but no unsigned integer of 64 bits`);
  }
}

/** The error for a message that violates a rule. */
export function argumentError(entity: string, reason: string): BrokerError {
  return refusal(entity, "argument-error", `Cannot send to '${entity}': ${reason}.`);
}
