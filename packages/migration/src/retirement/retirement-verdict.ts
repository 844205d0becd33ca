import { subQueuePathOf } from "@waybill/core/transport";
import type { Census, CensusGroup } from "../census/census.js";
import { isInstant } from "../census/census-text.js";
import { later } from "../census/tally.js";
import { mayNeed, needs, strangeTarget } from "./known-target.js";

/** What to remove from the chain: a serializer, or a version of a message type. */
export type RetirementTarget =
  | { readonly serializer: string }
  | { readonly messageType: string; readonly version: number };

/** What a census cannot see and you have to state. */
export interface RetirementEvidence {
  /**
   * When the last producer stopped writing it; tools that resubmit old messages are producers too. A census cannot replace this: a queue that
   * is drained at once looks empty while a producer still writes.
   */
  readonly writersStoppedAt?: Date | undefined;
  /** How far ahead producers schedule at most, in milliseconds. After that time no message scheduled at a topic, which cannot be peeked, needs it. */
  readonly maxScheduleDurationInMs?: number | undefined;
  /** States that no session state is written with it. Needed if entities have sessions: a census does not read states. */
  readonly sessionStatesAreFree?: boolean | undefined;
  /** Earlier censuses: they count for `lastSeenAt`, and can disprove a `writersStoppedAt` that is too early. */
  readonly earlier?: readonly Census[] | undefined;
  /**
   * The paths of queues, topics and subscriptions from which no consumer of the chain receives, such as the queue of beacons or another
   * team's queues: messages there, or in their sub-queues, do not count.
   */
  readonly unrelated?: readonly string[] | undefined;
}

/** Why it is not safe yet. The set is closed. */
export type RetirementObstacle =
  /** Messages that it reads, or that their content type assigns to it, are waiting. */
  | "waiting"
  /** Undeserializable messages are waiting: a consumer without it would fail on them too. */
  | "undeserializable"
  /** Messages could not be checked because something was unreachable. */
  | "unavailable"
  /** Messages were counted and not read. */
  | "not-sampled"
  /** A place was not peeked to its end. */
  | "not-peeked"
  /** Messages may be scheduled at a topic. */
  | "hidden-schedules"
  /** Messages are in transfer from one entity to another. */
  | "in-transfer"
  /** Entities have sessions, whose states may be written with it. */
  | "session-states"
  /** `writersStoppedAt` is missing, or a census shows that writers had not stopped by then. */
  | "writers"
  /** No serializer, message type or version of that name was in the chain when the census was taken. */
  | "not-in-chain"
  /** Messages were counted together with others, so that the census does not know their type. */
  | "folded"
  /** The evidence is invalid: a date or a duration that is not one. */
  | "invalid-evidence";

/** One reason against retiring. */
export interface RetirementReason {
  readonly obstacle: RetirementObstacle;
  /** The entity, with its sub-queue, if the reason concerns one. */
  readonly place: string | undefined;
  /** How many messages, if the reason concerns messages and the number is known. */
  readonly count: number | undefined;
  /** The reason as a sentence. */
  readonly text: string;
}

/** Whether something can be removed from the chain without losing a message. */
export interface RetirementVerdict {
  readonly target: RetirementTarget;
  readonly isSafe: boolean;
  /** How many waiting messages need it. */
  readonly waiting: number;
  /** When the newest message that needs it was enqueued, in this census or an earlier one. */
  readonly lastSeenAt: Date | undefined;
  /** When the last waiting message that needs it will have expired; undefined if none waits, or if one never expires. */
  readonly waitsUntil: Date | undefined;
  /** Empty when it is safe. */
  readonly reasons: readonly RetirementReason[];
}

/**
 * Decides whether a serializer or a version can be retired. It is safe only if a consumer without it would fail on no waiting message: every
 * place was peeked to its end, every message was read by something else, none is hidden, and writers have stopped.
 */
export function retirementVerdict(
  target: RetirementTarget,
  taken: Census,
  given: RetirementEvidence = {},
): RetirementVerdict {
  const related = withoutEntities(given.unrelated ?? []);
  const census = related(taken);
  const evidence = { ...given, earlier: given.earlier?.map(related) };
  const needing = census.groups.filter((group) => needs(group, target));
  const strange = strangeTarget(target, census);
  const reasons = [
    ...(strange === undefined ? [] : [reason("not-in-chain", strange)]),
    ...evidenceReasons(census, evidence),
    ...messageReasons(census, target),
    ...placeReasons(census),
    ...hiddenReasons(census, evidence),
    ...sessionReasons(census, evidence),
    ...writerReasons(target, census, evidence),
  ];
  return {
    target,
    isSafe: reasons.length === 0,
    waiting: needing.reduce((sum, { count }) => sum + count, 0),
    lastSeenAt: lastSeen(target, [census, ...(evidence.earlier ?? [])]),
    waitsUntil: waitsUntil(needing),
    reasons,
  };
}

/** Removes entities from a census, whatever the case of their names. */
function withoutEntities(paths: readonly string[]): (census: Census) => Census {
  if (paths.length === 0) return (census) => census;
  const left = new Set(paths.map((path) => path.toLowerCase()));
  const isRelated = ({ entityPath }: { readonly entityPath: string }) => !left.has(entityPath.toLowerCase());
  return (census) => ({
    ...census,
    places: census.places.filter(isRelated),
    groups: census.groups.filter(isRelated),
    hidden: census.hidden.filter(isRelated),
  });
}

function reason(
  obstacle: RetirementObstacle,
  text: string,
  place?: string,
  count?: number,
): RetirementReason {
  return { obstacle, place, count, text };
}

function messageReasons({ groups }: Census, target: RetirementTarget): RetirementReason[] {
  const counted = new Map<string, { obstacle: RetirementObstacle; place: string; count: number }>();
  for (const group of groups) {
    const obstacle = obstacleOf(group, target);
    if (obstacle === undefined) continue;
    const place = placeOf(group);
    const key = `${obstacle} ${place}`;
    const known = counted.get(key) ?? { obstacle, place, count: 0 };
    known.count += group.count;
    counted.set(key, known);
  }
  return Array.from(counted.values(), ({ obstacle, place, count }) =>
    reason(obstacle, `${messages(count)} in ${place} ${messageTexts[obstacle]}.`, place, count),
  );
}

function messages(count: number): string {
  return `${count} ${count === 1 ? "message" : "messages"}`;
}

const messageTexts: Readonly<Partial<Record<RetirementObstacle, string>>> = {
  waiting: "need it",
  undeserializable: "cannot be read by any serializer of the chain; repair or remove them first",
  unavailable: "could not be checked because something was unreachable",
  "not-sampled": "were counted and not read; take the census without sampling",
  folded: "were counted together with other types; take the census again",
};

function obstacleOf(group: CensusGroup, target: RetirementTarget): RetirementObstacle | undefined {
  if (needs(group, target)) return "waiting";
  if (mayNeed(group, target)) return "folded";
  switch (group.status) {
    case "decoded":
      return undefined;
    case "undeserializable":
      return "undeserializable";
    default:
      return group.status;
  }
}

/** Checked first: every comparison with an invalid date is false, which could make a verdict safe. */
function evidenceReasons(
  census: Census,
  { writersStoppedAt, maxScheduleDurationInMs, earlier = [] }: RetirementEvidence,
): RetirementReason[] {
  const texts: string[] = [];
  if (writersStoppedAt !== undefined && !isInstant(writersStoppedAt))
    texts.push("writersStoppedAt is not a valid date; say when the last producer stopped writing it.");
  if (
    maxScheduleDurationInMs !== undefined &&
    !(Number.isFinite(maxScheduleDurationInMs) && maxScheduleDurationInMs >= 0)
  )
    texts.push(
      "maxScheduleDurationInMs is not a duration in milliseconds; say how far ahead producers schedule.",
    );
  if (![census, ...earlier].every(hasInstants)) texts.push("a census has invalid dates; take it again.");
  return texts.map((text) => reason("invalid-evidence", text));
}

function hasInstants({ startedAt, groups }: Census): boolean {
  return (
    isInstant(startedAt) &&
    groups.every(({ newestEnqueuedAt: enqueued, newestSentAt: sent }) =>
      [enqueued, sent].every((at) => at === undefined || isInstant(at)),
    )
  );
}

function placeReasons({ places }: Census): RetirementReason[] {
  return places
    .filter(({ end }) => end !== "reached")
    .map((each) => {
      const place = placeOf(each);
      const why =
        each.end === "limit"
          ? `peeking stopped after ${each.peeked} messages`
          : `peeking failed (${each.error?.code})`;
      return reason("not-peeked", `${place} was not peeked to its end: ${why}.`, place);
    });
}

function hiddenReasons(census: Census, evidence: RetirementEvidence): RetirementReason[] {
  return census.hidden
    .filter(({ kind }) => kind === "in-transfer" || !schedulesAreOver(census, evidence))
    .map(({ entityPath, kind, count }) => {
      const number = count === undefined ? "an unknown number of messages" : messages(count);
      const isInTransfer = kind === "in-transfer";
      const why = isInTransfer
        ? `in transfer from ${entityPath} to another entity; take the census again.`
        : `may be scheduled at the topic ${entityPath}, which cannot be peeked; say when writers stopped and how far ahead they schedule.`;
      return reason(isInTransfer ? kind : "hidden-schedules", `${number} ${why}`, entityPath, count);
    });
}

/** Whether every message that was scheduled before its writers stopped has become visible. */
function schedulesAreOver(
  { startedAt }: Census,
  { writersStoppedAt, maxScheduleDurationInMs }: RetirementEvidence,
): boolean {
  if (!isInstant(writersStoppedAt) || maxScheduleDurationInMs === undefined) return false;
  return startedAt.getTime() > writersStoppedAt.getTime() + maxScheduleDurationInMs;
}

function sessionReasons(
  { places }: Census,
  { sessionStatesAreFree }: RetirementEvidence,
): RetirementReason[] {
  if (sessionStatesAreFree === true) return [];
  return places
    .filter(({ subQueue, requiresSession }) => subQueue === undefined && requiresSession !== false)
    .map(({ entityPath, requiresSession }) => {
      const has = requiresSession === true ? "has sessions" : "may have sessions";
      const text = `${entityPath} ${has}, and session states are not read; say so if none is written with it.`;
      return reason("session-states", text, entityPath);
    });
}

function writerReasons(
  target: RetirementTarget,
  census: Census,
  { writersStoppedAt, earlier = [] }: RetirementEvidence,
): RetirementReason[] {
  const against = (text: string) => [reason("writers", text)];
  if (writersStoppedAt === undefined) return against("it is not stated when its writers stopped.");
  if (!isInstant(writersStoppedAt)) return [];
  if (writersStoppedAt > census.startedAt)
    return against("its writers had not stopped when the census began.");
  const seenAt = lastSeen(target, [census, ...earlier], "newestSentAt");
  return seenAt === undefined || seenAt <= writersStoppedAt
    ? []
    : against(`one was enqueued at ${seenAt.toISOString()}, after its writers were said to have stopped.`);
}

function lastSeen(
  target: RetirementTarget,
  censuses: readonly Census[],
  property: "newestEnqueuedAt" | "newestSentAt" = "newestEnqueuedAt",
): Date | undefined {
  const needing = censuses.flatMap(({ groups }) => groups.filter((group) => needs(group, target)));
  return latest(needing.map(({ [property]: at }) => at).filter(isInstant));
}

function waitsUntil(needing: readonly CensusGroup[]): Date | undefined {
  const expiries = needing.map(({ latestExpiryAt }) => latestExpiryAt);
  return expiries.includes(undefined) ? undefined : latest(expiries);
}

function latest(instants: readonly (Date | undefined)[]): Date | undefined {
  return instants.reduce(later, undefined);
}

function placeOf({ entityPath, subQueue }: Pick<CensusGroup, "entityPath" | "subQueue">): string {
  return subQueuePathOf(entityPath, subQueue);
}
