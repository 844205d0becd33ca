import type { DeadLetterReason, DeserializationOutcome } from "../message/outcome.js";

/** Messages with the same labels and the same outcome. */
export interface RehearsalGroup {
  /** Their content type, as it arrived. */
  readonly contentType: string | undefined;
  /** The message type, else the `subject`. */
  readonly messageType: string | undefined;
  /** The name of the serializer that reads them; undefined if none does or none is needed. */
  readonly reader: string | undefined;
  /** Whether they could be read. */
  readonly outcome: DeserializationOutcome["status"];
  /** Why they would be dead-lettered; undefined if they would not. */
  readonly reason: DeadLetterReason | undefined;
  /** The option, as code, with which they could be read; undefined if there is none. */
  readonly suggestion: string | undefined;
  /**
   * Whether the suggestion was tried on these messages: it reads them, and where the SDK's receiver would give a value, it gives the same. Not tried
   * are serializers that the client does not have.
   */
  readonly isTried: boolean;
  /**
   * What the bodies look like, with what would read them: unreadable ones, or envelopes of another bus that handlers would receive whole because
   * their label was lost. A hint for people; undefined if nothing is noticed.
   */
  readonly looksLike: string | undefined;
  /** How many messages are in the group. */
  readonly messageCount: number;
  /** The sequence number of the first of them. */
  readonly firstSequenceNumber: bigint;
}

/** How a client would read the messages that wait in an entity. */
export interface RehearsalReport {
  /** The queue, subscription or dead-letter queue. */
  readonly entityPath: string;
  /** How many messages were looked at. */
  readonly messageCount: number;
  /** How many could be read. */
  readonly decodedCount: number;
  /** How many could not be read. */
  readonly undeserializableCount: number;
  /** How many need a dependency that is unavailable, such as a claim-check store. */
  readonly unavailableCount: number;
  /** Whether all messages of the entity were read. */
  readonly isWhole: boolean;
  /** Sorted by size, largest first. Beyond 1,000 groups, messages are counted under the content type and message type `(other)`. */
  readonly groups: readonly RehearsalGroup[];
  /**
   * Whether this client reads what comes here: `"proved"` for all messages that waited or passed, at least 20; `"contradicted"` if one could not be
   * read; `"not-known"` otherwise. Kinds of messages that neither waited nor passed are not known.
   */
  readonly answer: "proved" | "contradicted" | "not-known";
  /** What is missing for an answer that is not known, and how to get it; undefined otherwise. */
  readonly missing: string | undefined;
  /** A sentence with the option that would make most undeserializable messages readable; undefined if there is none. */
  readonly advice: string | undefined;
}
