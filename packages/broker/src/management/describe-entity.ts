import type {
  ResolvedQueueOptions,
  ResolvedSubscriptionOptions,
  ResolvedTopicOptions,
} from "../entities/entity-options.js";
import type { Entity } from "../entities/entity-registry.js";
import { partitions } from "../entities/partitions.js";
import { storesOf } from "./purge.js";

/** How many messages an entity has. */
export interface MessageCounts {
  /** Active messages, including locked ones. */
  readonly activeMessageCount: number;
  readonly deferredMessageCount: number;
  readonly scheduledMessageCount: number;
  readonly deadLetterMessageCount: number;
  /** Messages being transferred to another entity; always 0, because that happens at once. */
  readonly transferMessageCount: number;
  readonly transferDeadLetterMessageCount: number;
  /**
   * How many messages have become active since the broker was opened, those that it found included: sent, forwarded or due. The difference of two
   * looks is what arrived between them, also of what has left since.
   */
  readonly arrivedMessageCount: number;
  /** In every state, with those in the entity's sub-queues. */
  readonly totalMessageCount: number;
}

interface Description extends MessageCounts {
  readonly path: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Time of the last send, receive, peek or update; kept in memory only. */
  readonly accessedAt: Date;
  readonly sizeInBytes: number;
}

/** A queue's properties and counts. */
export interface QueueDescription extends Description {
  readonly kind: "queue";
  readonly options: ResolvedQueueOptions;
}

/** A topic's properties and counts: of its own messages, not of those in its subscriptions. `sizeInBytes` includes both. */
export interface TopicDescription extends Description {
  readonly kind: "topic";
  readonly options: ResolvedTopicOptions;
  readonly subscriptionCount: number;
}

/** A subscription's properties and counts. */
export interface SubscriptionDescription extends Description {
  readonly kind: "subscription";
  readonly topic: string;
  readonly name: string;
  readonly options: ResolvedSubscriptionOptions;
}

/** The current state of an entity. */
export type EntityDescription = QueueDescription | TopicDescription | SubscriptionDescription;

/** Describes an entity. */
export function describeEntity(entity: Entity): EntityDescription {
  const { path, createdAtMs, updatedAtMs, accessedAtMs } = entity;
  const stores = storesOf(entity);
  const description = {
    path,
    createdAt: new Date(createdAtMs),
    updatedAt: new Date(updatedAtMs),
    accessedAt: new Date(accessedAtMs),
    sizeInBytes:
      entity.kind === "topic"
        ? entity.usage.sizeInBytes
        : stores.reduce((sum, store) => sum + store.sizeInBytes, 0),
    activeMessageCount: entity.main.activeCount,
    deferredMessageCount: entity.main.deferredCount,
    scheduledMessageCount: entity.main.scheduledCount,
    deadLetterMessageCount: entity.kind === "topic" ? 0 : entity.deadLetter.index.size,
    transferMessageCount: 0,
    arrivedMessageCount: entity.main.arrivedCount,
    transferDeadLetterMessageCount: entity.transferDeadLetter.index.size,
    totalMessageCount: stores.reduce((sum, store) => sum + store.index.size, 0),
  };
  switch (entity.kind) {
    case "queue":
      return { kind: "queue", ...description, options: sizeOfAll(entity.options) };
    case "topic":
      return {
        kind: "topic",
        ...description,
        options: sizeOfAll(entity.options),
        subscriptionCount: entity.subscriptions.size,
      };
    case "subscription":
      return {
        kind: "subscription",
        ...description,
        topic: entity.topic.path,
        name: entity.name,
        options: { ...entity.options },
      };
  }
}

/** Each partition has the quota that was asked for. */
function sizeOfAll<Options extends ResolvedQueueOptions | ResolvedTopicOptions>(options: Options): Options {
  const { enablePartitioning, maxSizeInMegabytes } = options;
  return { ...options, maxSizeInMegabytes: maxSizeInMegabytes * (enablePartitioning ? partitions : 1) };
}
