import type { DeadLetterReason } from "@waybill/core";
import type { EntityCounts, MessageState, SubQueue } from "@waybill/core/transport";

/** What waits in a namespace and who would read it: counts by place and kind, never payload. */
export interface Census {
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** The names of the chain's serializers, the main one first. */
  readonly serializers: readonly string[];
  /** The message types that the chain knows; undefined in a census of an earlier release. */
  readonly messageTypes?: readonly CensusMessageType[] | undefined;
  /** The share of the messages that were read; the others are counted as `"not-sampled"`. 1 unless asked for less. */
  readonly sampleRate: number;
  /** Every queue, subscription and sub-queue that was peeked. */
  readonly places: readonly CensusPlace[];
  /** The messages, grouped by everything but their content. */
  readonly groups: readonly CensusGroup[];
  /** What no receiver can peek. */
  readonly hidden: readonly HiddenMessages[];
}

/** A message type of the chain with which a census was taken. */
export interface CensusMessageType {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Every version that the chain reads, oldest first. */
  readonly versions: readonly number[];
}

/** A queue, a subscription or one of their sub-queues. */
export interface CensusPlace {
  /** `orders`, `events/Subscriptions/billing`. */
  readonly entityPath: string;
  readonly subQueue: SubQueue | undefined;
  /** How many messages were peeked. */
  readonly peeked: number;
  /** Whether peeking came to the end, stopped at the limit, or failed. */
  readonly end: "reached" | "limit" | "failed";
  /** Why it failed: the code of the `WaybillError`, and its text. */
  readonly error?: { readonly code: string; readonly text: string } | undefined;
  /** Undefined where the catalog does not say. */
  readonly requiresSession: boolean | undefined;
  /** What the broker counted for the entity before peeking began. */
  readonly counts: EntityCounts | undefined;
}

/** Messages of one place that are alike. */
export interface CensusGroup {
  readonly entityPath: string;
  readonly subQueue: SubQueue | undefined;
  readonly state: MessageState;
  /** The media type without parameters; `"(none)"` and `"(malformed)"` where there is none to speak of. */
  readonly mediaType: string;
  /**
   * The message type as which the body was read, or else the subject, which is cut after 128 characters and `"(other)"` past
   * {@link CensusOptions.maxGroups}.
   */
  readonly messageType: string | undefined;
  /**
   * Where the bodies likely come from, by {@link CensusOptions.originOf}; undefined without it, for what it does not know and for what was not
   * read. Cut and `"(other)"` as the subject is.
   */
  readonly origin?: string | undefined;
  readonly messageVersion: number | undefined;
  readonly upcastPath: readonly number[];
  /** What the chain made of the bodies. */
  readonly status: "decoded" | "undeserializable" | "unavailable" | "not-sampled";
  /** Who read them; undefined when nobody did, or when the body was an AMQP value that needs no serializer. */
  readonly serializer: string | undefined;
  /** The serializer that the content type names. */
  readonly declared: string | undefined;
  /** The position of the one who read them; -1 when nobody did. */
  readonly position: number;
  /** Why nobody could, when they are undeserializable. */
  readonly reason: DeadLetterReason | undefined;
  readonly count: number;
  /** The bodies' sizes together, as they travelled. */
  readonly bytes: number;
  readonly oldestEnqueuedAt: Date | undefined;
  readonly newestEnqueuedAt: Date | undefined;
  /** The same without those whose schedule is over: they were enqueued when it was, and sent before. */
  readonly newestSentAt: Date | undefined;
  /** The latest time for which one is scheduled. */
  readonly latestScheduledAt: Date | undefined;
  /** When the last one expires; undefined when one never does. */
  readonly latestExpiryAt: Date | undefined;
  /** The sequence numbers of the first few, to look them up. */
  readonly examples: readonly bigint[];
}

/** Messages that are there, or may be there, and cannot be peeked. */
export interface HiddenMessages {
  readonly entityPath: string;
  /** Scheduled at a topic, where nothing can be received, or on the way from one entity to another. */
  readonly kind: "scheduled-at-topic" | "in-transfer";
  /** Undefined when the catalog does not know. */
  readonly count: number | undefined;
}
