import { Buffer } from "node:buffer";
import {
  AmqpMap,
  type AmqpValue,
  encodeMessage,
  int,
  long,
  type MessageHeader,
  type MessageParts,
  type MessageProperties,
  type MessageSections,
  scanMessage,
  short,
  spliceMessage,
  symbol,
  timestamp,
  ulong,
  uuid,
} from "@waybill/amqp";
import { stampProperties } from "@waybill/amqp/server";
import type { BrokerReceivedMessage, MessageBody, MessageId } from "@waybill/broker";
import { keyText, toAmqpProperties, toAmqpValue } from "./application-properties.js";
import { encodePlainFront, isPlain } from "./front-template.js";
import { expiryOf, ttlOf } from "./time-to-live.js";
import { annotationFields, propertiesFields } from "./wire-places.js";

const messageStates = { active: 0, deferred: 1, scheduled: 2 } as const;
const noBody = { kind: "data", sections: [] } as const;

/** How a message is sent to the client. */
export interface Delivery {
  /** Peeked messages carry their state instead of a lock. */
  readonly isPeeked?: boolean;
  /** Omits the body and adds its size as a delivery annotation. */
  readonly omitsBody?: boolean;
}

const pushed: Delivery = Object.freeze({});

/**
 * Encodes a message for a client, in parts to send one after the other. A message received over AMQP is sent byte for byte, except header,
 * annotations, expiry times, and changes by settlements and rule actions.
 */
export function fromBrokerMessage(message: BrokerReceivedMessage, delivery: Delivery = pushed): Uint8Array[] {
  if (delivery.omitsBody === true) return withoutBody(message, delivery);
  const { wire } = message;
  if (wire === undefined) return [encodeMessage(toParts(message, delivery))];
  if (isBare(wire) && !isChanged(message)) {
    return [encodeBareFront(message, delivery), ...stamped(wire, message)];
  }
  const sections = scanMessage(wire);
  return [encodeFront(message, delivery, sections), ...bareParts(message, sections)];
}

/** The message without its body. */
function withoutBody(message: BrokerReceivedMessage, delivery: Delivery): Uint8Array[] {
  const whole = scanMessage(Buffer.concat(fromBrokerMessage(message, { ...delivery, omitsBody: false })));
  const { body, end } = whole;
  const bodyStart = body[0]?.start ?? end;
  const size = (body.at(-1)?.end ?? end) - bodyStart;
  return spliceMessage(scanMessage(whole.bytes.subarray(0, bodyStart)), {
    deliveryAnnotations: new AmqpMap([
      ...(whole.decodeDeliveryAnnotations()?.entries ?? []),
      [symbol("omitted-message-body-size"), long(BigInt(size))],
    ]),
  });
}

/** Whether an encoded message consists of the bare message only: its first section is properties or later. */
function isBare(wire: Uint8Array): boolean {
  return wire[0] === 0x00 && wire[1] === 0x53 && (wire[2] ?? 0) >= 0x73;
}

function isChanged(message: BrokerReceivedMessage): boolean {
  return message.hasChangedBrokerProperties || message.propertyChanges !== undefined;
}

function encodeBareFront(message: BrokerReceivedMessage, delivery: Delivery): Uint8Array {
  if (delivery === pushed && isPlain(message)) return encodePlainFront(message);
  return encodeFront(message, delivery, undefined);
}

function encodeFront(
  message: BrokerReceivedMessage,
  delivery: Delivery,
  sections: MessageSections | undefined,
): Uint8Array {
  return encodeMessage({ ...frontOf(message, delivery, sections), body: noBody });
}

function frontOf(
  message: BrokerReceivedMessage,
  { isPeeked = false }: Delivery,
  sections: MessageSections | undefined,
): Pick<MessageParts, "header" | "deliveryAnnotations" | "messageAnnotations"> {
  const sentHeader = sections?.decodeHeader();
  const token = isPeeked ? undefined : message.lockToken;
  const deliveryAnnotations = [
    ...(sections?.decodeDeliveryAnnotations()?.entries ?? []),
    ...(token === undefined ? [] : [[symbol("x-opt-lock-token"), uuid(token)] as const]),
  ];
  return {
    header: {
      durable: durableOf(message, sentHeader),
      priority: sentHeader?.priority,
      ttl: ttlOf(message),
      firstAcquirer: sentHeader?.firstAcquirer,
      // Written even if 0: SDKs treat a missing field as undefined.
      deliveryCount: message.deliveryCount,
    },
    deliveryAnnotations: deliveryAnnotations.length > 0 ? new AmqpMap(deliveryAnnotations) : null,
    messageAnnotations: annotationsOf(message, isPeeked, sections?.decodeMessageAnnotations()),
  };
}

/** As set by the sender, unless a rule's action changed it. */
function durableOf(
  { forcePersistence, hasChangedBrokerProperties }: BrokerReceivedMessage,
  sent: MessageHeader | undefined,
): boolean | undefined {
  if (forcePersistence) return true;
  return hasChangedBrokerProperties ? undefined : sent?.durable;
}

function annotationsOf(
  message: BrokerReceivedMessage,
  isPeeked: boolean,
  sent: AmqpMap | undefined,
): AmqpMap {
  const { lockedUntil, deadLetterSource } = message;
  const stamps: [string, AmqpValue][] = [
    ["x-opt-sequence-number", long(message.sequenceNumber)],
    ["x-opt-enqueued-time", timestamp(message.enqueuedTime)],
    ["x-opt-enqueue-sequence-number", long(message.enqueuedSequenceNumber)],
  ];
  if (!isPeeked && lockedUntil !== undefined) stamps.push(["x-opt-locked-until", timestamp(lockedUntil)]);
  for (const [name, field] of annotationFields) {
    const value = message[name];
    if (value !== undefined) stamps.push([field, typeof value === "string" ? value : timestamp(value)]);
  }
  if (message.partitionId > 0) stamps.push(["x-opt-partition-id", short(message.partitionId)]);
  if (deadLetterSource !== undefined) stamps.push(["x-opt-deadletter-source", deadLetterSource]);
  if (isPeeked || message.state !== "active") {
    stamps.push(["x-opt-message-state", int(messageStates[message.state])]);
  }
  const stamped = new Set(["x-opt-locked-until", ...stamps.map(([name]) => name)]);
  const kept = sent?.entries.filter(([key]) => !stamped.has(keyText(key) ?? "")) ?? [];
  return new AmqpMap([...kept, ...stamps.map(([name, value]) => [symbol(name), value] as const)]);
}

/** The bare message, with sections that settlements and rule actions changed encoded again. */
function bareParts(message: BrokerReceivedMessage, sections: MessageSections): readonly Uint8Array[] {
  const { bytes, bareStart, properties, applicationProperties } = sections;
  const { propertyChanges, hasChangedBrokerProperties } = message;
  if (propertyChanges === undefined && !hasChangedBrokerProperties) {
    return stamped(bytes.subarray(bareStart), message);
  }
  const parts: Uint8Array[] = [];
  if (hasChangedBrokerProperties) {
    const { absoluteExpiryTime: _, ...sent } = sections.decodeProperties() ?? {};
    const changed = { ...sent, ...propertiesOf(message) };
    parts.push(encodeMessage({ properties: changed, body: noBody }));
  } else parts.push(...stamped(bytes.subarray(bareStart, properties?.end ?? bareStart), message));
  if (propertyChanges !== undefined) {
    const names = new Set(Object.keys(propertyChanges));
    const kept =
      sections.decodeApplicationProperties()?.entries.filter(([key]) => !names.has(keyText(key) ?? "")) ?? [];
    const present = Object.entries(propertyChanges).filter(([, value]) => value !== undefined);
    const changes = present.map(([name, value]) => [name, toAmqpValue(value)] as const);
    parts.push(encodeMessage({ applicationProperties: new AmqpMap([...kept, ...changes]), body: noBody }));
  } else if (applicationProperties !== undefined) {
    parts.push(bytes.subarray(applicationProperties.start, applicationProperties.end));
  }
  parts.push(bytes.subarray((applicationProperties ?? properties)?.end ?? bareStart));
  return parts;
}

/**
 * A bare message with properties set by the broker. SDKs settle and renew by message id, so a message sent without one gets the broker's;
 * and they prefer the expiry times to the header.
 */
function stamped(bare: Uint8Array, message: BrokerReceivedMessage): readonly Uint8Array[] {
  const messageId = typeof message.messageId === "string" ? message.messageId : undefined;
  return stampProperties(bare, { messageId, ...expiryOf(message) });
}

function toParts(message: BrokerReceivedMessage, delivery: Delivery): MessageParts {
  const applicationProperties = toAmqpProperties(message.applicationProperties);
  return {
    ...frontOf(message, delivery, undefined),
    properties: propertiesOf(message),
    ...(applicationProperties.size > 0 && { applicationProperties }),
    body: toAmqpBody(message.body),
  };
}

function propertiesOf(message: BrokerReceivedMessage): Partial<MessageProperties> {
  const expiry = expiryOf(message);
  const fields = propertiesFields.flatMap(([name, field]) => {
    const value = message[name];
    return value === undefined ? [] : [[field, toAmqpId(value)] as const];
  });
  return {
    ...Object.fromEntries(fields),
    ...(expiry !== undefined && {
      absoluteExpiryTime: new Date(expiry.absoluteExpiryTime),
      creationTime: new Date(expiry.creationTime),
    }),
  };
}

function toAmqpId(id: MessageId): AmqpValue {
  return typeof id === "number" || typeof id === "bigint" ? ulong(BigInt(id)) : id;
}

/** A body in the section that it was sent in. */
export function toAmqpBody(body: MessageBody): MessageParts["body"] {
  if (body.section === "data") return { kind: "data", sections: [body.bytes] };
  if (body.section === "value") return { kind: "value", value: toAmqpValue(body.value) };
  return { kind: "sequence", sections: [body.value.map(toAmqpValue)] };
}
