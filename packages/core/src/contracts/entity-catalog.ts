import type { CallOptions, EntityAddress } from "./transport.js";

/** The queues, topics and subscriptions of a namespace, with what the broker reports about each. */
export interface EntityCatalog {
  /** Lists every entity. Rejects with a `WaybillError` when the broker cannot be reached. */
  listEntities(options?: CallOptions): Promise<readonly CatalogEntity[]>;
}

/** An entity of a namespace. Counts are absent where the catalog does not know them. */
export interface CatalogEntity {
  readonly entity: EntityName;
  readonly requiresSession?: boolean | undefined;
  /** Whether a queue or topic drops messages whose `messageId` it has received within its history window. */
  readonly requiresDuplicateDetection?: boolean | undefined;
  /** The time to live of messages that have none of their own, in milliseconds; `Infinity` when they never expire. */
  readonly defaultMessageTimeToLiveInMs?: number | undefined;
  /** The entity to which every message is forwarded. */
  readonly forwardTo?: string | undefined;
  /** The entity to which dead-lettered messages are forwarded. */
  readonly forwardDeadLetteredMessagesTo?: string | undefined;
  readonly counts?: EntityCounts | undefined;
}

/** Names a queue, a topic or a subscription. */
export type EntityName = EntityAddress | { readonly topic: string; readonly subscription?: undefined };

/** How many messages an entity holds, as the broker counts them. For a topic, only `scheduled` and the transfer counts can exceed 0. */
export interface EntityCounts {
  /** Active and deferred messages, locked ones included; the `activeMessageCount` of `@waybill/broker` leaves out deferred ones. */
  readonly active: number;
  /** The deferred ones among `active`; absent where the broker does not count them. */
  readonly deferred?: number | undefined;
  readonly scheduled: number;
  readonly deadLetter: number;
  /** Being transferred to another entity. */
  readonly transfer: number;
  readonly transferDeadLetter: number;
  /**
   * How many messages have become active since some moment in the past, so that the difference of two looks is what arrived between them; absent
   * where the broker does not count them, as Azure does not.
   */
  readonly arrived?: number | undefined;
}
