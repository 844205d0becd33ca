import { AmqpMap, type AmqpValue, int, type MessageParts, type MessageProperties, uint } from "@waybill/amqp";
import type { ApplicationProperties, ApplicationPropertyValue, EncodedMessage } from "@waybill/core";
import { type PropertiesName, sentProperties } from "./sent-properties.js";

/** Below this, rhea, the AMQP library of the SDK, writes integers as long. */
const minInt = -(2 ** 31) + 1;

/** A message of a kind that is encoded here. */
export type PlainMessage = EncodedMessage & { readonly body: Uint8Array };

/**
 * Whether a message is a common one that need not be encoded by the SDK: all its properties are strings in the properties section, or application
 * properties that are strings, booleans, 32-bit integers or fractions.
 */
export function isPlain(message: EncodedMessage): message is PlainMessage {
  for (const name in message) {
    const value = message[name as keyof EncodedMessage];
    if (value !== undefined && !isPlainProperty(name, value)) return false;
  }
  return true;
}

function isPlainProperty(name: string, value: unknown): boolean {
  if (name === "body") return value instanceof Uint8Array;
  switch (sentProperties[name as keyof typeof sentProperties]?.section) {
    case "properties":
      return typeof value === "string";
    case "applicationProperties":
      return Object.values(value as ApplicationProperties).every(isPlainValue);
    default:
      return false;
  }
}

function isPlainValue(value: ApplicationPropertyValue): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value !== "number" || Object.is(value, -0) || Number.isNaN(value)) return false;
  return !Number.isInteger(value) || (value > minInt && value < 2 ** 32);
}

/** The message as it is encoded for AMQP: its values get the types that the SDK gives them, because receivers cast to known types. */
export function toMessageParts(message: PlainMessage): MessageParts {
  const { applicationProperties } = message;
  return {
    properties: propertiesOf(message),
    applicationProperties: applicationProperties && toMap(applicationProperties),
    body: { kind: "data", sections: [message.body] },
  };
}

/** The properties that lie in the properties section, by the names of their fields there. */
type Fields = {
  readonly [Name in PropertiesName as (typeof sentProperties)[Name]["field"]]: PlainMessage[Name];
};

/** Written out, because copying them by name takes as long as encoding them. */
function propertiesOf(message: PlainMessage): Partial<MessageProperties> {
  const properties: Fields = {
    messageId: message.messageId,
    to: message.to,
    subject: message.subject,
    replyTo: message.replyTo,
    correlationId: message.correlationId,
    contentType: message.contentType,
    contentEncoding: message.contentEncoding,
    groupId: message.sessionId,
    replyToGroupId: message.replyToSessionId,
  };
  // All that a plain message has of them are strings.
  return properties as Partial<MessageProperties>;
}

function toMap(properties: ApplicationProperties): AmqpMap {
  return new AmqpMap(Object.entries(properties).map(([name, value]) => [name, toValue(value)] as const));
}

function toValue(value: ApplicationPropertyValue): AmqpValue {
  if (typeof value !== "number" || !Number.isInteger(value)) return value as AmqpValue;
  return value > 0 ? uint(value) : int(value);
}
