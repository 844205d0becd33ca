import type { EncodedBody } from "./body.js";
import type { Unavailable, Undeserializable } from "./outcome.js";
import type { DeserializationReport } from "./report.js";

/** What AMQP allows as a message id or correlation id. Strings are the rule; the others come from foreign senders. */
export type MessageId = string | number | bigint | Uint8Array;

/** A simple AMQP value, as application properties may hold it. `Uint8Array` is binary; integers beyond 2^53 are `bigint`. */
export type ApplicationPropertyValue = string | number | bigint | boolean | Date | Uint8Array | null;

/** Application (user) properties: string keys, simple values. */
export type ApplicationProperties = Readonly<Record<string, ApplicationPropertyValue>>;

/** The properties a sender may set, by the names of `@azure/service-bus`; their limits stand in the broker-property table. */
export interface WritableProperties {
  /** Application-defined identity; duplicate detection goes by it. Up to 128 characters. The broker assigns one when absent. */
  readonly messageId?: MessageId | undefined;
  /** The media type of the body, RFC 2045. The pipeline writes it; set it to choose among the configured serializers. */
  readonly contentType?: string | undefined;
  /** Correlates with another message: a reply carries the request's `messageId` here. */
  readonly correlationId?: MessageId | undefined;
  /** What the message is about, formerly Label. waybill puts the message type here. */
  readonly subject?: string | undefined;
  /** An address the application routes by; the broker does not look at it. */
  readonly to?: string | undefined;
  /** The queue or topic to which the receiver should reply. */
  readonly replyTo?: string | undefined;
  /** The session to which a reply belongs. Up to 128 characters. */
  readonly replyToSessionId?: string | undefined;
  /** The session this message belongs to. Up to 128 characters. */
  readonly sessionId?: string | undefined;
  /** Chooses the partition of a partitioned entity; equal to `sessionId` where both are set. Up to 128 characters. */
  readonly partitionKey?: string | undefined;
  /** Chooses the partition of the transfer queue in a send-via transaction. Up to 128 characters. */
  readonly viaPartitionKey?: string | undefined;
  /** How long the message is worth delivering after it was enqueued, in milliseconds; the entity's own limit caps it. */
  readonly timeToLive?: number | undefined;
  /** When the message becomes visible. */
  readonly scheduledEnqueueTimeUtc?: Date | undefined;
  /** Asks an express entity to persist the message before acknowledging it. */
  readonly forcePersistence?: boolean | undefined;
  /** User properties. */
  readonly applicationProperties?: ApplicationProperties | undefined;
}

/** A message to send. `body` is any value the chosen serializer can write. */
export interface Message<Body = unknown> extends WritableProperties {
  readonly body: Body;
}

/** A message whose body is in wire form: what `serialize` returns and `deserialize` takes. */
export type EncodedMessage = Message<EncodedBody>;

/** Where a message is in its life on the broker. */
export type MessageState = "active" | "deferred" | "scheduled";

/** The properties only the broker sets. */
export interface BrokerAssignedProperties {
  /** Why the message was dead-lettered; present in a dead-letter queue. */
  readonly deadLetterReason?: string | undefined;
  /** The longer explanation that goes with `deadLetterReason`. */
  readonly deadLetterErrorDescription?: string | undefined;
  /** The entity in which the message was dead-lettered, when it was forwarded from there. */
  readonly deadLetterSource?: string | undefined;
  /** How often the message was delivered before and not settled. */
  readonly deliveryCount: number;
  /** When the broker accepted the message. */
  readonly enqueuedTimeUtc?: Date | undefined;
  /** When the message expires: enqueued time plus time to live. */
  readonly expiresAtUtc?: Date | undefined;
  /** Until when the lock holds; absent in receive-and-delete mode and when peeked. */
  readonly lockedUntilUtc?: Date | undefined;
  /** Names the lock; absent in receive-and-delete mode and when peeked. */
  readonly lockToken?: string | undefined;
  /** The broker's 64-bit number of the message in its entity: order of arrival, and the handle of deferred messages. */
  readonly sequenceNumber: bigint;
  /** The number the message had where it was first enqueued, before any forwarding. */
  readonly enqueuedSequenceNumber?: bigint | undefined;
  /** Active, deferred or scheduled. */
  readonly state: MessageState;
  /** The size in bytes as the broker counts it, where the transport tells. */
  readonly size?: number | undefined;
}

/** A message as the broker delivered it, its body untouched. */
export interface DeliveredProperties extends WritableProperties, BrokerAssignedProperties {
  readonly applicationProperties: ApplicationProperties;
}

/** What a received message carries beside its properties and its body. */
interface ReceivedParts extends DeliveredProperties {
  /** The body as it travelled, byte for byte, still compressed if it was. */
  readonly rawBody: EncodedBody;
  /** How the body was read: by which serializer, at which position, after which failed attempts. */
  readonly deserialization: DeserializationReport;
  /** Names the delivery to the receiver that settles it. Opaque; absent when peeked or received in receive-and-delete mode. */
  readonly settlement?: object | undefined;
}

/** A received message with a decoded body. */
export interface ReceivedMessage<Body = unknown> extends ReceivedParts {
  readonly body: Body;
  /** Never set: tells a decoded message from an {@link UndecodedMessage}. */
  readonly failure?: undefined;
}

/**
 * A message whose body could not be read, handed over raw and marked: when it was peeked, when it lies in a dead-letter queue already,
 * and wherever else settling it would lose it.
 */
export interface UndecodedMessage extends ReceivedParts {
  readonly body: undefined;
  /** Why: nobody could read it (`undeserializable`), or something needed was out of reach (`unavailable`). */
  readonly failure: Undeserializable | Unavailable;
}

/** A message read without locking it; its body may be one that nobody can read. */
export type PeekedMessage<Body = unknown> = ReceivedMessage<Body> | UndecodedMessage;
