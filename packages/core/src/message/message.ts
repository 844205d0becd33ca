import type { EncodedBody } from "./body.js";
import type { Unavailable, Undeserializable } from "./outcome.js";
import type { DeserializationReport } from "./report.js";

/** What AMQP allows as a message id or correlation id. Most senders use strings; other stacks may send the other types. */
export type MessageId = string | number | bigint | Uint8Array;

/** A value of an application property: a simple AMQP value. `Uint8Array` is binary; integers beyond 2^53 are `bigint`. */
export type ApplicationPropertyValue = string | number | bigint | boolean | Date | Uint8Array | null;

/** Application (user) properties: string keys, simple values. */
export type ApplicationProperties = Readonly<Record<string, ApplicationPropertyValue>>;

/**
 * `Properties` with every name present; what may be absent is written as undefined. Code that copies or maps messages says that it makes
 * this type: where a new property is missing, it does not compile.
 */
export type EveryProperty<Properties> = { [Name in keyof Required<Properties>]: Properties[Name] };

/** The properties a sender may set, named as in `@azure/service-bus`; see `brokerProperties` for their limits. */
export interface WritableProperties {
  /** The id set by the application, used for duplicate detection. Up to 128 characters. The broker assigns one when absent. */
  readonly messageId?: MessageId | undefined;
  /** The media type of the body, RFC 2045. The pipeline sets it; set it yourself to choose one of the configured serializers. */
  readonly contentType?: string | undefined;
  /**
   * AMQP's property of that name, which other senders use: the compression of the body, where no application property `Content-Encoding` has
   * it. The pipeline compresses a body to send as it says, and writes the application property instead.
   */
  readonly contentEncoding?: string | undefined;
  /** Correlates with another message: a reply carries the request's `messageId` here. */
  readonly correlationId?: MessageId | undefined;
  /**
   * What the message is about, formerly Label. For a message type, waybill writes its name here, unless the resolver writes it elsewhere,
   * as with `typeProperty`.
   */
  readonly subject?: string | undefined;
  /** An address for routing by the application; the broker ignores it. */
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
  /** How long after it was enqueued the message expires, in milliseconds; the entity's default time to live is the maximum. */
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

/** A message with an encoded body: what `serialize` returns and `deserialize` takes. */
export type EncodedMessage = Message<EncodedBody>;

/** The state of a message on the broker. */
export type MessageState = "active" | "deferred" | "scheduled";

/** The properties that only the broker sets. */
export interface BrokerAssignedProperties {
  /** Why the message was dead-lettered; present in a dead-letter queue. */
  readonly deadLetterReason?: string | undefined;
  /** The explanation of `deadLetterReason`. */
  readonly deadLetterErrorDescription?: string | undefined;
  /** The entity in which the message was dead-lettered, if it was then forwarded. */
  readonly deadLetterSource?: string | undefined;
  /** How often the message was delivered before and not settled. */
  readonly deliveryCount: number;
  /** When the broker accepted the message. */
  readonly enqueuedTimeUtc?: Date | undefined;
  /** When the message expires: enqueued time plus time to live. */
  readonly expiresAtUtc?: Date | undefined;
  /** When the lock expires; absent in receive-and-delete mode and when peeked. */
  readonly lockedUntilUtc?: Date | undefined;
  /** Identifies the lock; absent in receive-and-delete mode and when peeked. */
  readonly lockToken?: string | undefined;
  /** The broker's 64-bit number of the message in its entity: in order of arrival, and used to receive deferred messages. */
  readonly sequenceNumber: bigint;
  /** The number the message had where it was first enqueued, before any forwarding. */
  readonly enqueuedSequenceNumber?: bigint | undefined;
  readonly state: MessageState;
  /** The size in bytes as the broker counts it; absent if the transport does not know it. */
  readonly size?: number | undefined;
}

/** The properties of a message as the broker delivered it. */
export interface DeliveredProperties extends WritableProperties, BrokerAssignedProperties {
  readonly applicationProperties: ApplicationProperties;
}

/** What a received message has in addition to its properties and body. */
interface ReceivedParts extends DeliveredProperties {
  /** The encoded body as received, still compressed or encrypted if it was. */
  readonly rawBody: EncodedBody;
  /** How the body was read: by which serializer and after which failed attempts. */
  readonly deserialization: DeserializationReport;
  /** Identifies the delivery to the receiver that settles it. Opaque; absent when peeked or received in receive-and-delete mode. */
  readonly settlement?: object | undefined;
}

/** A received message with a decoded body. */
export interface ReceivedMessage<Body = unknown> extends ReceivedParts {
  readonly body: Body;
  /** Never set: distinguishes a decoded message from an {@link UndecodedMessage}. */
  readonly failure?: undefined;
}

/**
 * A message whose body could not be read, handed over with its raw body: when it was peeked, when it is in a dead-letter queue, and
 * wherever else it could not be dead-lettered.
 */
export interface UndecodedMessage extends ReceivedParts {
  readonly body: undefined;
  /** Why: no deserializer could read it (`undeserializable`), or a dependency was unavailable (`unavailable`). */
  readonly failure: Undeserializable | Unavailable;
}

/** A message read without locking it; its body may be undeserializable. */
export type PeekedMessage<Body = unknown> = ReceivedMessage<Body> | UndecodedMessage;
