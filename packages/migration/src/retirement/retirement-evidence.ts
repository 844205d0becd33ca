import { type OptionNames, requireKnownOptions } from "@waybill/core/serializer";
import type { Census } from "../census/census.js";
import { isInstant } from "../census/census-text.js";
import type { ReadRecord } from "../reads/read-record.js";
import { missing, type RetirementReason } from "./retirement-reason.js";

/** What to remove from the chain: a serializer, or a version of a message type. */
export type RetirementTarget =
  | { readonly serializer: string }
  | { readonly messageType: string; readonly version: number };

/** What one census cannot see: other observations, and what you state. Statements that an observation contradicts do not count. */
export interface RetirementEvidence {
  /**
   * States when the last producer stopped writing it; tools that resubmit old messages are producers too. A census cannot replace this: a queue
   * that is drained at once looks empty while a producer still writes. Every census and read record is checked against it.
   */
  readonly writersStoppedAt?: Date | undefined;
  /**
   * What consumers have read, as `recordReads` keeps it. Without a record that was written after `writersStoppedAt`, nobody knows what was
   * drained since.
   */
  readonly reads?: readonly ReadRecord[] | undefined;
  /** The consumers of which `reads` must have such a record. Default: at least one. */
  readonly readers?: readonly string[] | undefined;
  /**
   * States how far ahead producers schedule at most, in milliseconds. Needed only where a topic's scheduled messages could not be peeked: after
   * that time none is left. A message that is scheduled further ahead contradicts it.
   */
  readonly maxScheduleDurationInMs?: number | undefined;
  /** States that no session state is written with it. Needed if entities have sessions: a census does not read states. */
  readonly sessionStatesAreFree?: boolean | undefined;
  /** Earlier censuses: they count for `lastSeenAt`, and can contradict a `writersStoppedAt` that is too early. */
  readonly earlier?: readonly Census[] | undefined;
  /**
   * The paths of queues, topics and subscriptions from which no consumer of the chain receives, such as another team's queues: messages there, or
   * in their sub-queues, do not count. Beacons and read records need not be named.
   */
  readonly unrelated?: readonly string[] | undefined;
}

const evidenceNames: OptionNames<RetirementEvidence> = {
  writersStoppedAt: true,
  reads: true,
  readers: true,
  maxScheduleDurationInMs: true,
  sessionStatesAreFree: true,
  earlier: true,
  unrelated: true,
};

/** Throws `TypeError` for evidence with another name: misspelt, it could not contradict. */
export function requireKnownEvidence(evidence: RetirementEvidence): void {
  requireKnownOptions("retirementVerdict", evidence, evidenceNames);
}

/** What in the evidence is invalid. Checked first: every comparison with an invalid date is false, which could make a verdict a yes. */
export function evidenceReasons(
  census: Census,
  { writersStoppedAt, maxScheduleDurationInMs, earlier = [], reads = [] }: RetirementEvidence,
): RetirementReason[] {
  const reasons: RetirementReason[] = [];
  const refuse = (text: string, todo: string) => reasons.push(missing("invalid-evidence", text, todo));
  if (writersStoppedAt !== undefined && !isInstant(writersStoppedAt))
    refuse("writersStoppedAt is not a valid date.", "say when the last producer stopped writing it");
  const isDuration = Number.isFinite(maxScheduleDurationInMs) && Number(maxScheduleDurationInMs) >= 0;
  if (maxScheduleDurationInMs !== undefined && !isDuration)
    refuse(
      "maxScheduleDurationInMs is not a duration in milliseconds.",
      "say how far ahead producers schedule",
    );
  if (![census, ...earlier].every(hasInstants)) refuse("a census has invalid dates.", "take it again");
  if (!reads.every(isDated)) refuse("a read record has invalid dates.", "list the records again");
  return reasons;
}

function hasInstants({ startedAt, groups }: Census): boolean {
  return (
    isInstant(startedAt) &&
    groups.every(({ newestEnqueuedAt, newestSentAt, latestScheduledAt }) =>
      [newestEnqueuedAt, newestSentAt, latestScheduledAt].every((at) => at === undefined || isInstant(at)),
    )
  );
}

function isDated({ since, recordedAt, reads }: ReadRecord): boolean {
  return (
    isInstant(since) &&
    isInstant(recordedAt) &&
    reads.every(
      ({ lastReadAt, newestSentAt }) =>
        isInstant(lastReadAt) && (newestSentAt === undefined || isInstant(newestSentAt)),
    )
  );
}
