import type { CallOptions, EntityAddress } from "./transport.js";

/** The queues, topics and subscriptions of a namespace, with what the broker tells about each. */
export interface EntityCatalog {
  /** Lists every entity. Rejects with a `WaybillError` when the broker cannot be asked. */
  listEntities(options?: CallOptions): Promise<readonly CatalogEntity[]>;
}

/** An entity of a namespace. Counts are absent where the catalog does not know them. */
export interface CatalogEntity {
  readonly entity: EntityName;
  readonly requiresSession?: boolean | undefined;
  /** How long a message lives that does not say so itself, in milliseconds; `Infinity` when it never expires. */
  readonly defaultMessageTimeToLiveInMs?: number | undefined;
  /** The entity to which every message is forwarded. */
  readonly forwardTo?: string | undefined;
  /** The entity to which dead-lettered messages are forwarded. */
  readonly forwardDeadLetteredMessagesTo?: string | undefined;
  readonly counts?: EntityCounts | undefined;
}

/** Names a queue, a topic or a subscription. */
export type EntityName = EntityAddress | { readonly topic: string; readonly subscription?: undefined };

/** How many messages an entity holds, as the broker counts them. Of a topic, only `scheduled` and the two of transfer can differ from 0. */
export interface EntityCounts {
  /** Active and deferred messages, locked ones included. */
  readonly active: number;
  /** Those of them that are deferred; absent where the broker does not count them. */
  readonly deferred?: number | undefined;
  readonly scheduled: number;
  readonly deadLetter: number;
  /** On the way to another entity. */
  readonly transfer: number;
  readonly transferDeadLetter: number;
}
