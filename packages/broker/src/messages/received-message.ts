import { required } from "@waybill/foundation";
import { partitionOf } from "../entities/numbering.js";
import type {
  ApplicationProperties,
  EveryProperty,
  MessageBody,
  MessageId,
  MessageState,
  SendableProperties,
} from "./message.js";
import {
  copyApplicationProperties,
  plainView,
  readApplicationProperties,
  readBody,
} from "./message-content.js";
import type { MessageLock } from "./message-lock.js";
import type { StoredMessage } from "./stored-message.js";

/** What the broker adds to a message, as plain numbers: for front ends that write many messages. Times are in ms since the epoch. */
export interface MessageStamps {
  readonly sequenceNumber: number;
  readonly enqueuedSequenceNumber: number;
  readonly enqueuedTime: number;
  /** `undefined` for a message received without a lock. */
  readonly lockedUntil: number | undefined;
}

/** The stamps of a received message. */
export let stampsOf: (message: BrokerReceivedMessage) => MessageStamps;

/**
 * A received or peeked message: a snapshot that later changes in the broker do not affect. Body and application properties are copied when
 * first read and then belong to the reader.
 */
export class BrokerReceivedMessage implements EveryProperty<SendableProperties> {
  /** Failed deliveries before this one. */
  readonly deliveryCount: number;
  /** Like in the service, an activated scheduled message that is received still reports `scheduled`; peek returns its current state. */
  readonly state: MessageState;
  readonly #stored: StoredMessage;
  readonly #bytes: Uint8Array;
  readonly #lock: MessageLock | undefined;
  readonly #lockedUntilMs: number | undefined;
  readonly #propertyChanges: ApplicationProperties | undefined;
  #body: MessageBody | undefined = undefined;
  #applicationProperties: ApplicationProperties | undefined = undefined;

  /** Created by the broker only. */
  constructor(stored: StoredMessage, isPeeked = false) {
    this.deliveryCount = stored.deliveryCount;
    this.state = stateOf(stored, isPeeked);
    this.#stored = stored;
    this.#bytes = stored.store.engine.storage.readBody(stored.content.bodyId);
    this.#lock = isPeeked ? undefined : stored.lock;
    this.#lockedUntilMs = stored.lockedUntilMs;
    this.#propertyChanges = stored.propertyChanges;
  }

  static {
    stampsOf = (message) => ({
      sequenceNumber: message.#stored.sequence,
      enqueuedSequenceNumber: message.#stored.enqueuedSequence,
      enqueuedTime: message.#stored.enqueuedAtMs,
      lockedUntil: message.#lockEndMs(),
    });
  }

  /** Path of the entity or sub-queue that it was received from. */
  get entityPath(): string {
    return this.#stored.store.path;
  }

  /** Unique in its entity; in a partitioned one, `partitionId` is its upper 16 bits. */
  get sequenceNumber(): bigint {
    return BigInt(this.#stored.sequence);
  }

  /** The sequence number assigned by the first entity the message was sent to. */
  get enqueuedSequenceNumber(): bigint {
    return BigInt(this.#stored.enqueuedSequence);
  }

  get enqueuedTime(): Date {
    return new Date(this.#stored.enqueuedAtMs);
  }

  /** Enqueued time plus time to live; `undefined` for a message that never expires. */
  get expiresAt(): Date | undefined {
    return dateOf(this.#stored.expiresAtMs);
  }

  /** `undefined` unless the message was received with a lock. */
  get lockToken(): string | undefined {
    return this.#lock && this.#stored.store.engine.lockTokens.format(this.#lock);
  }

  /** The 16 bytes of `lockToken`, in the order of its digits. */
  get lockTokenBytes(): Uint8Array | undefined {
    return this.#lock && this.#stored.store.engine.lockTokens.encode(this.#lock);
  }

  /** The lock, which can settle the message and keeps none of its memory; `undefined` unless the message was received with a lock. */
  get lock(): MessageLock | undefined {
    return this.#lock;
  }

  /** When the lock expires unless it is renewed; `undefined` for a message received without a lock. */
  get lockedUntil(): Date | undefined {
    return dateOf(this.#lockEndMs());
  }

  /** The upper 16 bits of the sequence number in a partitioned entity, else 0. */
  get partitionId(): number {
    return partitionOf(this.#stored.sequence);
  }

  /** The entity that dead-lettered the message, after it was forwarded from there. */
  get deadLetterSource(): string | undefined {
    return this.#stored.deadLetterSource;
  }

  /** The size that counts towards limits and quotas, in bytes. */
  get sizeInBytes(): number {
    return this.#stored.content.sizeInBytes;
  }

  get messageId(): MessageId | undefined {
    return this.#stored.content.messageId;
  }

  get correlationId(): MessageId | undefined {
    return this.#stored.content.rare?.correlationId;
  }

  get contentType(): string | undefined {
    return this.#stored.content.contentType;
  }

  get contentEncoding(): string | undefined {
    return this.#stored.content.rare?.contentEncoding;
  }

  get subject(): string | undefined {
    return this.#stored.content.subject;
  }

  get to(): string | undefined {
    return this.#stored.content.rare?.to;
  }

  get replyTo(): string | undefined {
    return this.#stored.content.rare?.replyTo;
  }

  get replyToSessionId(): string | undefined {
    return this.#stored.content.rare?.replyToSessionId;
  }

  get sessionId(): string | undefined {
    return this.#stored.content.sessionId;
  }

  get partitionKey(): string | undefined {
    return this.#stored.content.partitionKey;
  }

  get viaPartitionKey(): string | undefined {
    return this.#stored.content.rare?.viaPartitionKey;
  }

  /** In ms, capped by the entity; `Infinity` is unlimited. For a scheduled message it starts when the message becomes active. */
  get timeToLiveMs(): number {
    return this.#stored.lifeMs;
  }

  /** As sent; `undefined` if it was not scheduled. */
  get scheduledEnqueueTime(): Date | undefined {
    return dateOf(this.#stored.content.scheduledEnqueueTimeMs);
  }

  get forcePersistence(): boolean {
    return this.#stored.content.rare?.forcePersistence === true;
  }

  /** Why the message was dead-lettered: the application property `DeadLetterReason`. */
  get deadLetterReason(): string | undefined {
    return textOf(this.applicationProperties.DeadLetterReason);
  }

  /** The application property `DeadLetterErrorDescription`. */
  get deadLetterErrorDescription(): string | undefined {
    return textOf(this.applicationProperties.DeadLetterErrorDescription);
  }

  /** As sent, with the changes of settlements and rules. */
  get applicationProperties(): ApplicationProperties {
    this.#applicationProperties ??= readApplicationProperties(
      this.#stored.content,
      this.#propertyChanges,
      this.#bytes,
      this.#stored.store.engine.wireDecoder,
    );
    return this.#applicationProperties;
  }

  /** How `applicationProperties` differ from those in `wire`; `undefined` means removed. */
  get propertyChanges(): ApplicationProperties | undefined {
    return this.#propertyChanges && copyApplicationProperties(this.#propertyChanges);
  }

  /** Whether a rule's action changed broker properties, so that those in `wire` are outdated. */
  get hasChangedBrokerProperties(): boolean {
    return this.#stored.content.hasChangedProperties;
  }

  /** Decoded when first read; throws `not-allowed` if it is still in a front end's encoding and the broker has no `wireDecoder`. */
  get body(): MessageBody {
    this.#body ??= readBody(this.#stored.content, this.#bytes, this.#stored.store.engine.wireDecoder);
    return this.#body;
  }

  /** The front end's own encoding as it was sent; `undefined` for a message sent without. A data body is a view on it. */
  get wire(): Uint8Array | undefined {
    return this.#stored.content.isWire ? plainView(this.#bytes, 0, this.#bytes.byteLength) : undefined;
  }

  #lockEndMs(): number | undefined {
    if (this.#lock === undefined) return undefined;
    const heldUntilMs = this.#lock.isHeld ? this.#stored.lockedUntilMs : undefined;
    return heldUntilMs ?? required(this.#lockedUntilMs, "The end of a message's lock");
  }
}

/** A peeked message, without its lock. */
export function peekedMessage(stored: StoredMessage): BrokerReceivedMessage {
  return new BrokerReceivedMessage(stored, true);
}

export function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}

function stateOf({ state, wasScheduled }: StoredMessage, isPeeked: boolean): MessageState {
  if (state !== "active" && state !== "gone") return state;
  return wasScheduled && !isPeeked ? "scheduled" : "active";
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
