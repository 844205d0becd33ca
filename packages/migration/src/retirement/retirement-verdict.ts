import type { Census, CensusGroup } from "../census/census.js";
import { mayNeed, needs, strangeTarget } from "./known-target.js";

/** What shall be taken out of the chain: a serializer, or a version of a message type. */
export type RetirementTarget =
  | { readonly serializer: string }
  | { readonly messageType: string; readonly version: number };

/** What a census cannot see and only people know. */
export interface RetirementEvidence {
  /**
   * When the last producer stopped to write it; tools that resubmit old messages are producers too. No census can stand in for this: a queue
   * that is drained at once looks empty while somebody still writes.
   */
  readonly writersStoppedAt?: Date | undefined;
  /** How far ahead producers schedule at most, in milliseconds. Lets go of messages scheduled at topics, which nobody can peek. */
  readonly maxScheduleDurationInMs?: number | undefined;
  /** Says that no session state is written with it. Needed where entities have sessions: no census reads states. */
  readonly sessionStatesAreFree?: boolean | undefined;
  /** Earlier censuses: what they saw counts for `lastSeenAt`, and speaks against a `writersStoppedAt` that is too early. */
  readonly earlier?: readonly Census[] | undefined;
  /**
   * The paths of queues, topics and subscriptions from which no consumer of the chain receives, such as the queue of beacons or another
   * team's: what waits there, or in their sub-queues, does not count.
   */
  readonly unrelated?: readonly string[] | undefined;
}

/** Why it is not safe yet. The set is closed. */
export type RetirementObstacle =
  /** Messages that it reads, or that their content type gives to it, are waiting. */
  | "waiting"
  /** Messages that nobody in the chain can read are waiting: a consumer without it would fail on them too. */
  | "unreadable"
  /** Messages could not be judged because something was unreachable. */
  | "unavailable"
  /** Messages were counted and not read. */
  | "not-sampled"
  /** A place was not peeked to its end. */
  | "not-peeked"
  /** Messages may be scheduled at a topic. */
  | "hidden-schedules"
  /** Messages are on the way from one entity to another. */
  | "in-transfer"
  /** Entities have sessions, whose states may be written with it. */
  | "session-states"
  /** Nobody said that writers have stopped, or a census shows that they had not. */
  | "writers"
  /** No serializer, message type or version of that name was in the chain when the census was taken. */
  | "not-in-chain"
  /** Messages were counted together with others, so that the census cannot say of which type they are. */
  | "folded"
  /** What was said beside the census cannot be used: an instant that is none, a duration that is none. */
  | "invalid-evidence";

/** One reason against retiring, with what it is about. */
export interface RetirementReason {
  readonly obstacle: RetirementObstacle;
  /** The entity, with its sub-queue, where it concerns one. */
  readonly place: string | undefined;
  /** How many messages, where it is about messages and the number is known. */
  readonly count: number | undefined;
  /** A sentence for people. */
  readonly text: string;
}

/** Whether something can be taken out of the chain without losing a message. */
export interface RetirementVerdict {
  readonly target: RetirementTarget;
  readonly isSafe: boolean;
  /** How many messages wait that need it. */
  readonly waiting: number;
  /** When the newest message that needs it was enqueued, in this census or an earlier one. */
  readonly lastSeenAt: Date | undefined;
  /** When the last waiting message that needs it will have expired; undefined when none waits, or when one never expires. */
  readonly waitsUntil: Date | undefined;
  /** Empty when it is safe. */
  readonly reasons: readonly RetirementReason[];
}

/**
 * Judges whether a serializer or a version can be retired. Says yes only if a consumer without it would fail on nothing that waits
 * anywhere: everything was peeked to its end and read by something else, nothing is hidden, and writers have stopped.
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
  const reasons = [
    ...unknownTarget(target, census),
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

/** Takes entities out of a census, whatever the case of their names. */
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

function unknownTarget(target: RetirementTarget, census: Census): RetirementReason[] {
  const text = strangeTarget(target, census);
  return text === undefined ? [] : [{ obstacle: "not-in-chain", place: undefined, count: undefined, text }];
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
  return Array.from(counted.values(), ({ obstacle, place, count }) => {
    const text = `${count} ${count === 1 ? "message" : "messages"} in ${place} ${messageTexts[obstacle]}.`;
    return { obstacle, place, count, text };
  });
}

const messageTexts: Readonly<Partial<Record<RetirementObstacle, string>>> = {
  waiting: "need it",
  unreadable: "cannot be read by anyone in the chain; repair or remove them first",
  unavailable: "could not be judged because something was unreachable",
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
      return "unreadable";
    default:
      return group.status;
  }
}

/** What cannot be compared with would let everything pass, whichever way it is compared. */
function evidenceReasons(
  census: Census,
  { writersStoppedAt, maxScheduleDurationInMs, earlier = [] }: RetirementEvidence,
): RetirementReason[] {
  const texts: string[] = [];
  if (writersStoppedAt !== undefined && !isInstant(writersStoppedAt))
    texts.push("writersStoppedAt is no valid date; say when the last producer stopped to write it.");
  if (
    maxScheduleDurationInMs !== undefined &&
    !(Number.isFinite(maxScheduleDurationInMs) && maxScheduleDurationInMs >= 0)
  )
    texts.push(
      "maxScheduleDurationInMs is no duration in milliseconds; say how far ahead producers schedule.",
    );
  if (![census, ...earlier].every(hasInstants))
    texts.push("a census has dates that are none; take it again.");
  return texts.map((text) => ({ obstacle: "invalid-evidence", place: undefined, count: undefined, text }));
}

function hasInstants({ startedAt, groups }: Census): boolean {
  return (
    isInstant(startedAt) &&
    groups.every(({ newestEnqueuedAt: enqueued, newestSentAt: sent }) =>
      [enqueued, sent].every((at) => at === undefined || isInstant(at)),
    )
  );
}

function isInstant(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
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
      return {
        obstacle: "not-peeked",
        place,
        count: undefined,
        text: `${place} was not looked through: ${why}.`,
      };
    });
}

function hiddenReasons(census: Census, evidence: RetirementEvidence): RetirementReason[] {
  return census.hidden
    .filter(({ kind }) => kind === "in-transfer" || !schedulesAreOver(census, evidence))
    .map(({ entityPath, kind, count }) => {
      const number =
        count === undefined
          ? "an unknown number of messages"
          : count === 1
            ? "1 message"
            : `${count} messages`;
      return kind === "in-transfer"
        ? {
            obstacle: "in-transfer",
            place: entityPath,
            count,
            text: `${number} on the way from ${entityPath} to another entity; take the census again.`,
          }
        : {
            obstacle: "hidden-schedules",
            place: entityPath,
            count,
            text: `${number} may be scheduled at the topic ${entityPath}, where nobody can peek; say when writers stopped and how far ahead they schedule.`,
          };
    });
}

/** Whether everything that was scheduled while it was still written has become visible. */
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
      const text = `${entityPath} ${has}, and their states are not read; say so if none is written with it.`;
      return { obstacle: "session-states", place: entityPath, count: undefined, text };
    });
}

function writerReasons(
  target: RetirementTarget,
  census: Census,
  { writersStoppedAt, earlier = [] }: RetirementEvidence,
): RetirementReason[] {
  const reason = (text: string): RetirementReason[] => [
    { obstacle: "writers", place: undefined, count: undefined, text },
  ];
  if (writersStoppedAt === undefined) return reason("nobody said when its writers stopped.");
  if (!isInstant(writersStoppedAt)) return [];
  if (writersStoppedAt > census.startedAt)
    return reason("its writers had not stopped when the census began.");
  const seenAt = lastSeen(target, [census, ...earlier], "newestSentAt");
  return seenAt === undefined || seenAt <= writersStoppedAt
    ? []
    : reason(`one was enqueued at ${seenAt.toISOString()}, after its writers were said to have stopped.`);
}

function lastSeen(
  target: RetirementTarget,
  censuses: readonly Census[],
  property: "newestEnqueuedAt" | "newestSentAt" = "newestEnqueuedAt",
): Date | undefined {
  let last: Date | undefined;
  for (const { groups } of censuses) {
    for (const group of groups) {
      const { [property]: at } = group;
      if (isInstant(at) && (last === undefined || at > last) && needs(group, target)) last = at;
    }
  }
  return last;
}

function waitsUntil(needing: readonly CensusGroup[]): Date | undefined {
  let last: Date | undefined;
  for (const { latestExpiryAt } of needing) {
    if (latestExpiryAt === undefined) return undefined;
    if (last === undefined || latestExpiryAt > last) last = latestExpiryAt;
  }
  return last;
}

function placeOf({ entityPath, subQueue }: Pick<CensusGroup, "entityPath" | "subQueue">): string {
  switch (subQueue) {
    case undefined:
      return entityPath;
    case "deadLetter":
      return `${entityPath}/$DeadLetterQueue`;
    case "transferDeadLetter":
      return `${entityPath}/$Transfer/$DeadLetterQueue`;
  }
}
