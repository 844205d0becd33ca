import { deserialize, serialize } from "node:v8";
import { BrokerError } from "../errors/broker-error.js";
import { argumentError } from "./check-message.js";
import type {
  ApplicationProperties,
  BrokerMessage,
  EveryProperty,
  MessageBody,
  MessageId,
  SendableProperties,
  WireDecoder,
} from "./message.js";
import { isShallow, maxNesting } from "./storable-value.js";

/** The section of a stored body; `value` and `sequence` bodies are stored in the structured-clone format. */
export type BodySection = MessageBody["section"];

/** Properties that contents keep in another form than they are sent in. */
type ConvertedName = "timeToLiveMs" | "scheduledEnqueueTime";

/**
 * The immutable part of a message, shared by all its copies. All fields are always present, so that all contents have one hidden class. It
 * has every property that a sender may set: those named here, `RareProperties`, and all others under their own names.
 */
export interface MessageContent
  extends Omit<EveryProperty<SendableProperties>, ConvertedName | keyof RareProperties> {
  /** In ms, as sent; `undefined` means unlimited. */
  readonly timeToLiveMs: number | undefined;
  /** In ms since the epoch; `undefined` if it was not scheduled. */
  readonly scheduledEnqueueTimeMs: number | undefined;
  /** Absent if the message has none of them. */
  readonly rare: RareProperties | undefined;
  /** As sent; undefined if the message has none, or if they are still encoded in `wire`. */
  readonly applicationProperties: ApplicationProperties | undefined;
  /** The section of the body; `undefined` if only `wire` was given, whose decoder finds it. */
  readonly section: BodySection | undefined;
  /** The stored body, see `Storage.putBody`. */
  readonly bodyId: number;
  /** Whether the stored bytes are the front end's `wire` instead of the body alone. */
  readonly isWire: boolean;
  /** Offset of the data section within the stored bytes; 0 without `wire`. */
  readonly dataOffset: number;
  /** Length of the data section, in bytes; 0 for other sections. */
  readonly dataLength: number;
  /** The size that counts towards limits and quotas, in bytes. */
  readonly sizeInBytes: number;
  /** Whether a rule's action changed broker properties, so that those in `wire` are outdated. */
  readonly hasChangedProperties: boolean;
}

/** Rarely used broker properties, kept separately to save memory. */
export interface RareProperties
  extends EveryProperty<
    Pick<
      SendableProperties,
      "contentEncoding" | "correlationId" | "to" | "replyTo" | "replyToSessionId" | "viaPartitionKey"
    >
  > {
  readonly forcePersistence: boolean;
}

export const noRareProperties: RareProperties = Object.freeze({
  contentEncoding: undefined,
  correlationId: undefined,
  to: undefined,
  replyTo: undefined,
  replyToSessionId: undefined,
  viaPartitionKey: undefined,
  forcePersistence: false,
});

/** A time to live above this, some 8,900 years, counts as unlimited: `Date` may not reach its end. */
const unlimitedMs = 2 ** 48;

/** A checked message that is not stored yet. */
export interface Admitted {
  readonly message: BrokerMessage;
  readonly bytes: Uint8Array;
  readonly sizeInBytes: number;
}

/** The bytes to store for a message: the front end's `wire`, else the body. */
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
    case "sequence":
      if (!Array.isArray(body.value)) throw argumentError(entity, "a sequence body has to be an array");
      return encodeValue(body.value, entity);
    case "value":
      return encodeValue(body.value, entity);
    default:
      throw argumentError(entity, "a message needs a body or wire");
  }
}

/** Creates the content of a message: copies its properties and stores its bytes once. */
export function takeIn(
  storage: { putBody(bytes: Uint8Array): number },
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
    timeToLiveMs: (message.timeToLiveMs ?? unlimitedMs) >= unlimitedMs ? undefined : message.timeToLiveMs,
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
    dataLength: body?.section === "data" ? body.bytes.length : 0,
    sizeInBytes,
    hasChangedProperties: false,
  };
}

/** Reads the body from a copy of the stored bytes; a data body is a view on it. */
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

/** A view as a plain `Uint8Array`, since the methods of `Buffer` differ. */
export function plainView(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + offset, length);
}

/** A copy of the application properties as sent, with `changes` applied. */
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

/** Copies application properties, so that later changes to the caller's object, bytes or dates have no effect. */
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
  const { contentEncoding, correlationId, to, replyTo, replyToSessionId, viaPartitionKey } = message;
  const forcePersistence = message.forcePersistence === true;
  const hasRare =
    contentEncoding !== undefined ||
    correlationId !== undefined ||
    to !== undefined ||
    replyTo !== undefined ||
    replyToSessionId !== undefined ||
    viaPartitionKey !== undefined ||
    forcePersistence;
  if (!hasRare) return undefined;
  return {
    contentEncoding,
    correlationId: isolateId(correlationId),
    to,
    replyTo,
    replyToSessionId,
    viaPartitionKey,
    forcePersistence,
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
  if (!isShallow(value)) {
    throw argumentError(entity, `the values in the body are nested deeper than ${maxNesting}`);
  }
  try {
    return serialize(value);
  } catch (cause) {
    const text = `Cannot send to '${entity}': the body holds a value that cannot be copied.`;
    throw new BrokerError("argument-error", text, { entity, cause });
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
  const text =
    "The message was stored in a front end's encoding and the broker has no wireDecoder to read it. For messages that came over AMQP that is decodeWire of @waybill/broker-server/stored-messages.";
  throw new BrokerError("not-allowed", text);
}
