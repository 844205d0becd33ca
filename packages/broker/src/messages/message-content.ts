import { Buffer } from "node:buffer";
import { deserialize, serialize } from "node:v8";
import { BrokerError } from "../broker-error.js";
import type { Storage } from "../storage/storage.js";
import type {
  ApplicationProperties,
  BrokerMessage,
  MessageBody,
  MessageId,
  SendableProperties,
  WireDecoder,
} from "./message.js";

/** How a stored body is to be read: `value` and `sequence` bodies are kept in the structured-clone format. */
export type BodySection = MessageBody["section"];

/**
 * What stays the same through a message's whole life, shared by all copies of it. All fields are always present, so
 * that every content has one shape.
 */
export interface MessageContent {
  readonly messageId: MessageId | undefined;
  readonly contentType: string | undefined;
  readonly subject: string | undefined;
  readonly sessionId: string | undefined;
  readonly partitionKey: string | undefined;
  /** `undefined` is unlimited. */
  readonly timeToLiveMs: number | undefined;
  readonly scheduledEnqueueTimeMs: number | undefined;
  /** Absent in a message that has none of them. */
  readonly rare: RareProperties | undefined;
  /** As sent; undefined when the message has none or they lie in `wire`, undecoded. */
  readonly applicationProperties: ApplicationProperties | undefined;
  readonly section: BodySection | undefined;
  /** Where the stored body lies, see `Storage.putBody`. */
  readonly bodyId: number;
  /** Whether the stored bytes are the front end's `wire` rather than the body alone. */
  readonly isWire: boolean;
  /** Where the data section lies inside the stored bytes. */
  readonly dataOffset: number;
  readonly dataLength: number;
  readonly sizeInBytes: number;
  /** Whether a rule's action changed broker properties, so that `wire` no longer tells them right. */
  readonly hasChangedProperties: boolean;
}

/** Broker properties that few messages have, kept apart so that the others do not pay for them. */
export interface RareProperties {
  readonly correlationId: MessageId | undefined;
  readonly to: string | undefined;
  readonly replyTo: string | undefined;
  readonly replyToSessionId: string | undefined;
  readonly viaPartitionKey: string | undefined;
  readonly forcePersistence: boolean;
}

/** What a message without rare properties has. */
export const NO_RARE_PROPERTIES: RareProperties = Object.freeze({
  correlationId: undefined,
  to: undefined,
  replyTo: undefined,
  replyToSessionId: undefined,
  viaPartitionKey: undefined,
  forcePersistence: false,
});

/** A message that passed all checks and is not taken in yet. */
export interface Admitted {
  readonly message: BrokerMessage;
  readonly bytes: Uint8Array;
  readonly sizeInBytes: number;
}

/** Bytes that a broker property costs besides its value. */
const PROPERTY_OVERHEAD = 4;
/** Bytes of the sections' frames in an encoded message. */
const MESSAGE_OVERHEAD = 32;
const KEY_LIMIT = 128;
const APPLICATION_PROPERTIES_LIMIT = 64 * 1024;

/** Checks a message's properties against the service's limits; throws `argument-error`. */
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
  checkText(message.subject, "subject", entity);
  checkText(message.to, "to", entity);
  checkText(message.replyTo, "replyTo", entity);
  checkId(message.messageId, "messageId", entity);
  checkId(message.correlationId, "correlationId", entity);
  const { scheduledEnqueueTime } = message;
  if (scheduledEnqueueTime !== undefined && Number.isNaN(scheduledEnqueueTime.getTime())) {
    throw argumentError(entity, "scheduledEnqueueTime is no valid date");
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
    throw argumentError(entity, "partitionKey differs from sessionId, which overrides it");
  }
}

/**
 * Checks application properties: values that can be copied, within the service's 64 KB for all together. Throws
 * `argument-error` or `message-size-exceeded`.
 */
export function checkApplicationProperties(properties: ApplicationProperties, entity: string): void {
  for (const name in properties) {
    const value = properties[name];
    const isBad =
      typeof value === "function" ||
      typeof value === "symbol" ||
      (typeof value === "object" && value !== null && !isCopyable(value));
    if (isBad)
      throw argumentError(
        entity,
        `application property '${name.slice(0, KEY_LIMIT)}' has a value that cannot be copied`,
      );
  }
  const bytes = sizeOfApplicationProperties(properties);
  if (bytes <= APPLICATION_PROPERTIES_LIMIT) return;
  throw new BrokerError(
    "message-size-exceeded",
    `The application properties of a message of '${entity}' have ${bytes} bytes, at most ${APPLICATION_PROPERTIES_LIMIT} are taken.`,
    { entity },
  );
}

/** The bytes that the storage will keep for a message: the front end's `wire`, else the body. */
export function bytesToStore(message: BrokerMessage, entity: string): Uint8Array {
  const { wire, body } = message;
  if (wire !== undefined) {
    if (body?.section === "data" && !isViewOn(wire, body.bytes)) {
      throw argumentError(entity, "a data body given together with wire has to be a view on it");
    }
    return wire;
  }
  switch (body?.section) {
    case "data":
      if (!(body.bytes instanceof Uint8Array))
        throw argumentError(entity, "a data body has to be a Uint8Array");
      return body.bytes;
    case "value":
    case "sequence":
      return encodeValue(body.value, entity);
    default:
      throw argumentError(entity, "a message needs a body or wire");
  }
}

/** The size that a message counts with against limits and quotas, in bytes. */
export function sizeOf(message: BrokerMessage, bytes: Uint8Array): number {
  if (message.wire !== undefined) return bytes.byteLength;
  return (
    bytes.byteLength + sizeOfProperties(message) + sizeOfApplicationProperties(message.applicationProperties)
  );
}

/** Takes a message in: copies its properties and stores its bytes once. */
export function takeIn(
  storage: Storage,
  messageId: MessageId | undefined,
  { message, bytes, sizeInBytes }: Admitted,
): MessageContent {
  const { wire, body, applicationProperties } = message;
  const isWire = wire !== undefined;
  return {
    messageId: isolateId(messageId),
    contentType: message.contentType,
    subject: message.subject,
    sessionId: message.sessionId,
    partitionKey: message.partitionKey,
    timeToLiveMs: message.timeToLiveMs === Number.POSITIVE_INFINITY ? undefined : message.timeToLiveMs,
    scheduledEnqueueTimeMs: message.scheduledEnqueueTime?.getTime(),
    rare: rareProperties(message),
    applicationProperties:
      typeof applicationProperties === "object"
        ? copyApplicationProperties(applicationProperties)
        : undefined,
    section: body?.section,
    bodyId: storage.putBody(bytes),
    isWire,
    dataOffset: isWire && body?.section === "data" ? body.bytes.byteOffset - wire.byteOffset : 0,
    dataLength: body?.section === "data" ? body.bytes.byteLength : 0,
    sizeInBytes,
    hasChangedProperties: false,
  };
}

/** The body out of a copy of the stored bytes; data bytes are a view on it. */
export function readBody(
  content: MessageContent,
  stored: Uint8Array,
  decode: WireDecoder | undefined,
): MessageBody {
  if (content.section === "data") {
    const { dataOffset, dataLength } = content;
    return { section: "data", bytes: plainView(stored, dataOffset, dataLength) };
  }
  if (content.isWire) return requireDecoder(decode)(stored).body;
  if (content.section === "sequence") return { section: "sequence", value: deserialize(stored) as unknown[] };
  return { section: "value", value: deserialize(stored) };
}

/** A view that is a plain `Uint8Array`, since the methods of `Buffer` differ. */
export function plainView(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + offset, length);
}

/** The application properties as sent with `changes` laid over them, as a copy that belongs to the reader. */
export function readApplicationProperties(
  content: MessageContent,
  changes: ApplicationProperties | undefined,
  stored: Uint8Array,
  decode: WireDecoder | undefined,
): ApplicationProperties {
  const sent =
    content.applicationProperties ??
    (content.isWire ? requireDecoder(decode)(stored).applicationProperties : {});
  if (changes === undefined) return copyApplicationProperties(sent);
  const merged: Record<string, unknown> = { ...sent, ...changes };
  for (const name in changes) if (changes[name] === undefined) delete merged[name];
  return copyApplicationProperties(merged as ApplicationProperties);
}

/** Copies application properties so that later changes to the caller's object or its bytes and dates have no effect. */
export function copyApplicationProperties(properties: ApplicationProperties): ApplicationProperties {
  // A spread defines own properties, so a key named __proto__ stays an ordinary key.
  const copy: Record<string, unknown> = { ...properties };
  for (const name in copy) {
    const value = copy[name];
    if (typeof value === "object" && value !== null)
      Object.defineProperty(copy, name, { value: isolate(value) });
  }
  return copy as ApplicationProperties;
}

function rareProperties(message: BrokerMessage): RareProperties | undefined {
  const { correlationId, to, replyTo, replyToSessionId, viaPartitionKey, forcePersistence } = message;
  const isAbsent =
    correlationId === undefined &&
    to === undefined &&
    replyTo === undefined &&
    replyToSessionId === undefined &&
    viaPartitionKey === undefined &&
    forcePersistence !== true;
  if (isAbsent) return undefined;
  return {
    correlationId: isolateId(correlationId),
    to,
    replyTo,
    replyToSessionId,
    viaPartitionKey,
    forcePersistence: forcePersistence === true,
  };
}

function isolate(value: object): object {
  if (value instanceof Uint8Array) return Uint8Array.prototype.slice.call(value);
  if (value instanceof Date) return new Date(value);
  return structuredClone(value);
}

function isolateId(id: MessageId | undefined): MessageId | undefined {
  return id instanceof Uint8Array ? Uint8Array.prototype.slice.call(id) : id;
}

function encodeValue(value: unknown, entity: string): Uint8Array {
  try {
    return serialize(value);
  } catch (cause) {
    throw new BrokerError(
      "argument-error",
      `Cannot send to '${entity}': the body holds a value that cannot be copied.`,
      {
        entity,
        cause,
      },
    );
  }
}

function isViewOn(whole: Uint8Array, part: Uint8Array): boolean {
  return (
    whole.buffer === part.buffer &&
    part.byteOffset >= whole.byteOffset &&
    part.byteOffset + part.byteLength <= whole.byteOffset + whole.byteLength
  );
}

function requireDecoder(decode: WireDecoder | undefined): WireDecoder {
  if (decode !== undefined) return decode;
  throw new BrokerError(
    "not-allowed",
    "The message was stored in a front end's encoding and the broker has no wireDecoder to read it.",
  );
}

function sizeOfProperties(message: SendableProperties): number {
  return (
    MESSAGE_OVERHEAD +
    sizeOfId(message.messageId) +
    sizeOfId(message.correlationId) +
    sizeOfText(message.contentType) +
    sizeOfText(message.subject) +
    sizeOfText(message.to) +
    sizeOfText(message.replyTo) +
    sizeOfText(message.replyToSessionId) +
    sizeOfText(message.sessionId) +
    sizeOfText(message.partitionKey) +
    sizeOfText(message.viaPartitionKey)
  );
}

function sizeOfText(text: string | undefined): number {
  return text === undefined ? 0 : PROPERTY_OVERHEAD + Buffer.byteLength(text);
}

function sizeOfId(id: MessageId | undefined): number {
  if (id === undefined) return 0;
  if (typeof id === "string") return sizeOfText(id);
  return PROPERTY_OVERHEAD + (id instanceof Uint8Array ? id.byteLength : 8);
}

function sizeOfApplicationProperties(properties: BrokerMessage["applicationProperties"]): number {
  if (typeof properties !== "object") return 0;
  let bytes = 0;
  for (const name in properties) {
    const value = properties[name];
    bytes += sizeOfText(name) + PROPERTY_OVERHEAD;
    if (typeof value === "string") bytes += Buffer.byteLength(value);
    else if (value instanceof Uint8Array) bytes += value.byteLength;
    else bytes += 8;
  }
  return bytes;
}

function isCopyable(value: object): boolean {
  if (value instanceof Uint8Array || value instanceof Date) return true;
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

function checkKey(key: string | undefined, name: string, entity: string): void {
  checkText(key, name, entity);
  if (key !== undefined && key.length > KEY_LIMIT) {
    throw argumentError(entity, `${name} is longer than ${KEY_LIMIT} characters`);
  }
}

function checkText(text: unknown, name: string, entity: string): void {
  if (text !== undefined && typeof text !== "string") throw argumentError(entity, `${name} is no string`);
}

function checkId(id: unknown, name: string, entity: string): void {
  const isId =
    id === undefined ||
    typeof id === "string" ||
    typeof id === "bigint" ||
    typeof id === "number" ||
    id instanceof Uint8Array;
  if (!isId) throw argumentError(entity, `${name} is no string, number, bigint or Uint8Array`);
}

function argumentError(entity: string, reason: string): BrokerError {
  return new BrokerError("argument-error", `Cannot send to '${entity}': ${reason}.`, { entity });
}
