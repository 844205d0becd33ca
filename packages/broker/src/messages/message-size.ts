import { Buffer } from "node:buffer";
import type { ApplicationProperties, BrokerMessage, MessageId, SendableProperties } from "./message.js";

/** Bytes that a broker property costs besides its value. */
const PROPERTY_OVERHEAD = 4;
/** Bytes of the sections' frames in an encoded message. */
const MESSAGE_OVERHEAD = 32;

/** The size that a message counts with against limits and quotas, in bytes. */
export function sizeOf(message: BrokerMessage, bytes: Uint8Array): number {
  if (message.wire !== undefined) return bytes.byteLength;
  const { applicationProperties } = message;
  const applicationBytes =
    typeof applicationProperties === "object" ? sizeOfApplicationProperties(applicationProperties) : 0;
  return bytes.byteLength + sizeOfProperties(message) + applicationBytes;
}

/** The bytes of application properties with their names. */
export function sizeOfApplicationProperties(properties: ApplicationProperties): number {
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
