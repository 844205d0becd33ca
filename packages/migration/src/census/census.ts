import type { DeadLetterReason } from "@waybill/core";
import type { EntityCounts, MessageState, SubQueue } from "@waybill/core/transport";

/** The waiting messages of a namespace and the serializers that would read them: counts by place and kind, never payload. */
export interface Census {
  /** When it began, before the entities were listed. */
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** The names of the chain's serializers, the main one first. */
  readonly serializers: readonly string[];
  /** The chain's message types; none if it had none. */
  readonly messageTypes: readonly CensusMessageType[];
  /** The share of the messages that were read, 1 by default; the others are counted as `"not-sampled"`. */
  readonly sampleRate: number;
  /** The entities to which the census was limited; undefined for a whole namespace. Earlier censuses count only for these, then. */
  readonly entities?: readonly string[] | undefined;
  /** Every queue, topic, subscription and sub-queue that was peeked; of a topic only its scheduled messages. */
  readonly places: readonly CensusPlace[];
  /** The messages, grouped by everything but their content. */
  readonly groups: readonly CensusGroup[];
  /** Messages that the broker counts and that could not be peeked. */
  readonly hidden: readonly HiddenMessages[];
}

/** A message type of the chain with which a census was taken. */
export interface CensusMessageType {
  readonly name: string;
  /** Other names that older messages of it may have. */
  readonly aliases: readonly string[];
  /** Every version that the chain reads, oldest first. */
  readonly versions: readonly number[];
}

/** A queue, a topic, a subscription or one of their sub-queues. */
export interface CensusPlace {
  /** `orders`, `events/Subscriptions/billing`. */
  readonly entityPath: string;
  /** Undefined for the entity itself. */
  readonly subQueue: SubQueue | undefined;
  /** How many messages were peeked. */
  readonly peeked: number;
  /** Whether peeking came to the end, stopped at the limit, or failed. */
  readonly end: "reached" | "limit" | "failed";
  /** Why it failed: the code of the `WaybillError`, and its text. */
  readonly error?: { readonly code: string; readonly text: string } | undefined;
  /** Undefined if the catalog does not say. */
  readonly requiresSession: boolean | undefined;
  /** What the broker counted for the entity before peeking began. */
  readonly counts: EntityCounts | undefined;
}

/** Messages of one place that are alike. */
export interface CensusGroup {
  readonly entityPath: string;
  /** Undefined for the entity itself. */
  readonly subQueue: SubQueue | undefined;
  readonly state: MessageState;
  /** The media type without parameters; `"(none)"` without a content type, `"(malformed)"` for one that cannot be parsed. */
  readonly mediaType: string;
  /**
   * The message type of the body, or else the subject, cut after 128 characters; `"(other)"` beyond {@link CensusOptions.maxGroups}.
   */
  readonly messageType: string | undefined;
  /**
   * Where the bodies probably come from, by {@link CensusOptions.originOf}; undefined without it, for bodies it does not recognise and for
   * messages that were not read. Cut and replaced by `"(other)"` like the subject.
   */
  readonly origin?: string | undefined;
  /** Whether they are beacons or read records of this package, which count against no format. */
  readonly isOwnRecord: boolean;
  /** The version of the bodies on the wire; undefined for untyped messages and those not read. */
  readonly messageVersion: number | undefined;
  /** The versions they were converted through, from theirs to the current one; empty if none. */
  readonly upcastPath: readonly number[];
  /** How the chain read the bodies. */
  readonly status: "decoded" | "undeserializable" | "unavailable" | "not-sampled";
  /** The serializer that read them; undefined if none did, or if the body was an AMQP value that needs no serializer. */
  readonly serializer: string | undefined;
  /** The serializer that the content type names. */
  readonly declared: string | undefined;
  /** The position of that serializer in the chain; -1 if none read them. */
  readonly position: number;
  /** Why they are undeserializable. */
  readonly reason: DeadLetterReason | undefined;
  /** How many messages. */
  readonly count: number;
  /** The total size of the bodies on the wire, in bytes; value and sequence sections count 0. */
  readonly bytes: number;
  /** When the first of them was enqueued; undefined if the broker does not say. */
  readonly oldestEnqueuedAt: Date | undefined;
  /** When the last of them was enqueued. */
  readonly newestEnqueuedAt: Date | undefined;
  /** The same without messages whose scheduled time has come: they were sent long before they were enqueued. */
  readonly newestSentAt: Date | undefined;
  /** The latest scheduled time. */
  readonly latestScheduledAt: Date | undefined;
  /** When the last one expires; undefined if one never does. */
  readonly latestExpiryAt: Date | undefined;
  /** The sequence numbers of the first three, to look them up. */
  readonly examples: readonly bigint[];
}

/** Messages that the broker counts and that could not be peeked. */
export interface HiddenMessages {
  readonly entityPath: string;
  /** Scheduled at a topic and more than were peeked there, or in transfer from one entity to another. */
  readonly kind: "scheduled-at-topic" | "in-transfer";
  readonly count: number;
}
