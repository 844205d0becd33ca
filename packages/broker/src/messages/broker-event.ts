import type { MessageId } from "./message.js";
import type { BrokerReceivedMessage } from "./received-message.js";

/** The events of messages, sessions and entities. */
export type BrokerEventType =
  | "abandoned"
  | "activated"
  | "auto-deleted"
  | "cancelled"
  | "completed"
  | "dead-lettered"
  | "deferred"
  | "delivered"
  | "dropped-as-duplicate"
  | "enqueued"
  | "entity-created"
  | "entity-deleted"
  | "entity-updated"
  | "expired"
  | "forwarded"
  | "lock-expired"
  | "lock-renewed"
  | "matched-no-subscription"
  | "published"
  | "purged"
  | "scheduled"
  | "session-accepted"
  | "session-released";

/** An event, reported in order. Never contains payload or application properties. */
export interface BrokerEvent {
  readonly type: BrokerEventType;
  /** Path of the entity or sub-queue. */
  readonly entity: string;
  readonly at: Date;
  readonly sequenceNumber: bigint | undefined;
  readonly messageId: MessageId | undefined;
  readonly sessionId: string | undefined;
  /** A reason, a target path or, for `delivered`, the receive mode, depending on `type`. */
  readonly detail: string | undefined;
}

/**
 * Receives events synchronously; it must not call the broker. For an event of a message, `message` returns the message as it is at that moment,
 * and may be called during the event only: events themselves, which may be logged, have no content.
 */
export type BrokerEventListener = (event: BrokerEvent, message?: () => BrokerReceivedMessage) => void;
