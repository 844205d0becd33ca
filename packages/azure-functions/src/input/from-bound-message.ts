import {
  fromServiceBusMessage,
  type ReceivedServiceBusMessage,
  toLong,
} from "@waybill/transport-azure/internal";
import type { BoundMessage } from "../message/bound-message.js";
import type { UnhandledDelivery } from "../message/host-message.js";

/** The body section types of AMQP as rhea names them. Source: AMQP 1.0, 3.2.6 and 3.2.7. */
const sections = { data: 0x75, sequence: 0x76 } as const;

/** Converts a message of the SDK binding, from its AMQP message: by the same mapping as one that the transport received. */
export function fromBoundMessage({ lockToken, _rawAmqpMessage: raw }: BoundMessage): UnhandledDelivery {
  const { header = {}, properties = {}, messageAnnotations = {}, applicationProperties = {} } = raw;
  const { bodyType, body } = sectionOf(raw.body);
  const sequenceNumber = integerOf(messageAnnotations["x-opt-sequence-number"]);
  const received = {
    body,
    messageId: properties.messageId,
    correlationId: properties.correlationId,
    contentType: properties.contentType,
    subject: properties.subject,
    to: properties.to,
    replyTo: properties.replyTo,
    replyToSessionId: properties.replyToGroupId,
    sessionId: properties.groupId,
    partitionKey: messageAnnotations["x-opt-partition-key"],
    timeToLive: header.timeToLive,
    scheduledEnqueueTimeUtc: dateOf(messageAnnotations["x-opt-scheduled-enqueue-time"]),
    applicationProperties,
    deadLetterReason: applicationProperties.DeadLetterReason,
    deadLetterErrorDescription: applicationProperties.DeadLetterErrorDescription,
    deadLetterSource: messageAnnotations["x-opt-deadletter-source"],
    deliveryCount: header.deliveryCount,
    enqueuedTimeUtc: dateOf(messageAnnotations["x-opt-enqueued-time"]),
    lockedUntilUtc: dateOf(messageAnnotations["x-opt-locked-until"]),
    lockToken,
    sequenceNumber: sequenceNumber === undefined ? undefined : toLong(sequenceNumber),
    enqueuedSequenceNumber: integerOf(messageAnnotations["x-opt-enqueue-sequence-number"]),
    state: "active",
    _rawAmqpMessage: { bodyType, header, properties, messageAnnotations },
  } satisfies Record<keyof ReceivedServiceBusMessage, unknown>;
  // The values are those of rhea, as in a message of the SDK, whose types say no more.
  return fromServiceBusMessage(withoutAbsent(received) as unknown as ReceivedServiceBusMessage);
}

/** The body as a message of the SDK has it. */
function sectionOf(section: unknown): {
  readonly bodyType: "data" | "value" | "sequence";
  readonly body: unknown;
} {
  if (section === undefined) return { bodyType: "data", body: undefined };
  const { typecode, content } = (section ?? {}) as {
    readonly typecode?: unknown;
    readonly content?: unknown;
  };
  if (typecode === sections.data) return { bodyType: "data", body: content };
  if (typecode === sections.sequence) return { bodyType: "sequence", body: content };
  return { bodyType: "value", body: section };
}

/** rhea reads a 64-bit integer beyond 2^53 as its eight bytes. */
function integerOf(value: unknown): bigint | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  return value instanceof Uint8Array && value.length === 8
    ? new DataView(value.buffer, value.byteOffset).getBigInt64(0)
    : undefined;
}

function dateOf(value: unknown): Date | undefined {
  return typeof value === "number" ? new Date(value) : value instanceof Date ? value : undefined;
}

function withoutAbsent(values: object): object {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null),
  );
}
