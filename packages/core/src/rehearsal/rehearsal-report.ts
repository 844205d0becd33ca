import type { DeadLetterReason, DeserializationOutcome } from "../message/outcome.js";

/** Messages that were read, or not read, in the same way. */
export interface RehearsalGroup {
  /** Their content type, as it arrived. */
  readonly contentType: string | undefined;
  /** The message type, else the `subject`. */
  readonly messageType: string | undefined;
  /** The name of the serializer that reads them; undefined where none does or the body needs none. */
  readonly reader: string | undefined;
  /** Whether they could be read. */
  readonly outcome: DeserializationOutcome["status"];
  /** Why they would be dead-lettered; undefined for those that would not. */
  readonly reason: DeadLetterReason | undefined;
  /** The option that would read what cannot be read, as it stands in code; undefined where none would. */
  readonly suggestion: string | undefined;
  /** How many messages are in the group. */
  readonly messageCount: number;
  /** The first of them, to look at it. */
  readonly firstSequenceNumber: bigint;
}

/** What a client would make of the messages that wait in an entity. */
export interface RehearsalReport {
  /** The queue, subscription or dead-letter queue. */
  readonly entityPath: string;
  /** How many messages were looked at. */
  readonly messageCount: number;
  /** How many could be read. */
  readonly decodedCount: number;
  /** How many could not be read. */
  readonly undeserializableCount: number;
  /** How many need something that is out of reach, such as a claim-check store. */
  readonly unavailableCount: number;
  /** Whether the entity was looked through to its end. */
  readonly isWhole: boolean;
  /** The largest first. Beyond a thousand groups, messages are counted under the content type and message type `(other)`. */
  readonly groups: readonly RehearsalGroup[];
  /** What would read the most of what cannot be read, in a sentence; undefined where nothing would. */
  readonly advice: string | undefined;
}
