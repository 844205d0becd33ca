import type { MessageId } from "./message.js";

/** What can happen to a message, a session or an entity. */
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
  | "purged"
  | "scheduled"
  | "session-accepted"
  | "session-released";

/** One thing that happened, in the order in which it happened. Never holds payload or application properties. */
export interface BrokerEvent {
  readonly type: BrokerEventType;
  /** Path of the entity or sub-queue. */
  readonly entity: string;
  readonly at: Date;
  readonly sequenceNumber: bigint | undefined;
  readonly messageId: MessageId | undefined;
  readonly sessionId: string | undefined;
  /** A reason or a target path, depending on the type. */
  readonly detail: string | undefined;
}

/** Receives events synchronously, while the broker acts: it must not call the broker back. */
export type BrokerEventListener = (event: BrokerEvent) => void;
