import type { Census } from "../census/census.js";
import { isInstant } from "../census/census-text.js";
import { later } from "../census/tally.js";
import type { ReadRecord } from "../reads/read-record.js";
import { needs, strangeTarget } from "./known-target.js";
import { lastExpiry, messageReasons } from "./message-reasons.js";
import { placeReasons } from "./place-reasons.js";
import {
  evidenceReasons,
  type RetirementEvidence,
  type RetirementTarget,
  requireKnownEvidence,
} from "./retirement-evidence.js";
import { messages, missing, type RetirementReason } from "./retirement-reason.js";
import { writerReasons } from "./writer-reasons.js";

/** What is known about messages that need the target, whatever the answer is. */
export interface RetirementFindings {
  readonly target: RetirementTarget;
  /** How many waiting messages need it. */
  readonly waiting: number;
  /** When the newest message that needs it was enqueued, by every census and read record. */
  readonly lastSeenAt: Date | undefined;
  /** When a consumer last read one, by the read records. */
  readonly lastReadAt: Date | undefined;
  /** When the last waiting message that needs it will have expired; undefined if none waits, or if one never expires. */
  readonly waitsUntil: Date | undefined;
}

/** Whether something can be removed from the chain without losing a message. */
export type RetirementVerdict = RetirementFindings &
  (
    | {
        /** Everything was seen, and nothing needs it. */
        readonly answer: "yes";
        /** What the answer rests on: what was seen, and which statements nothing contradicts. */
        readonly evidence: readonly string[];
        readonly reasons: readonly [];
      }
    | {
        /** `"no"`: there is evidence against it. `"not-known"`: something is missing to say yes, and nothing says no. */
        readonly answer: "no" | "not-known";
        readonly evidence: readonly [];
        /** Those against it first. Each says what to do. */
        readonly reasons: readonly RetirementReason[];
      }
  );

/**
 * Decides whether a serializer or a version can be retired: yes only if a consumer without it would fail on no waiting message and on none that
 * still comes. Every place was peeked to its end, every message was read by something else, none is hidden, writers have stopped, and the
 * consumers' records do not contradict that. Throws `TypeError` for misspelt evidence.
 */
export function retirementVerdict(
  target: RetirementTarget,
  taken: Census,
  given: RetirementEvidence = {},
): RetirementVerdict {
  requireKnownEvidence(given);
  const related = withoutEntities(given.unrelated ?? []);
  const census = related(taken);
  const inScope = withinScope(census);
  const evidence = { ...given, earlier: given.earlier?.map((each) => inScope(related(each))) };
  const strange = strangeTarget(target, census);
  const reasons = [
    ...(strange === undefined ? [] : [missing("not-in-chain", strange, "name what the chain has")]),
    ...evidenceReasons(census, evidence),
    ...messageReasons(census, target),
    ...placeReasons(census, evidence),
    ...writerReasons(target, census, evidence),
  ];
  const findings = findingsOf(target, census, evidence);
  if (reasons.length === 0)
    return { ...findings, answer: "yes", evidence: evidenceFor(census, evidence), reasons: [] };
  const [against, unknown] = [
    reasons.filter(({ kind }) => kind === "against"),
    reasons.filter(({ kind }) => kind === "missing"),
  ];
  // Evidence against outweighs what is missing: no further look could turn it into a yes.
  const answer = against.length > 0 ? "no" : "not-known";
  return { ...findings, answer, evidence: [], reasons: [...against, ...unknown] };
}

/** Removes entities from a census, whatever the case of their names. */
function withoutEntities(paths: readonly string[]): (census: Census) => Census {
  if (paths.length === 0) return (census) => census;
  const left = new Set(paths.map((path) => path.toLowerCase()));
  return (census) => filtered(census, (path) => !left.has(path));
}

/** If a census was limited to some entities, an earlier one counts only for these. */
function withinScope({ entities, places }: Census): (census: Census) => Census {
  if (entities === undefined) return (census) => census;
  const paths = new Set(
    [...entities, ...places.map(({ entityPath }) => entityPath)].map((path) => path.toLowerCase()),
  );
  return (census) => filtered(census, (path) => paths.has(path));
}

function filtered(census: Census, keeps: (path: string) => boolean): Census {
  const isKept = ({ entityPath }: { readonly entityPath: string }) => keeps(entityPath.toLowerCase());
  return {
    ...census,
    places: census.places.filter(isKept),
    groups: census.groups.filter(isKept),
    hidden: census.hidden.filter(isKept),
  };
}

function findingsOf(
  target: RetirementTarget,
  census: Census,
  { earlier = [], reads = [] }: RetirementEvidence,
): RetirementFindings {
  const needing = (each: Census) => each.groups.filter((group) => !group.isOwnRecord && needs(group, target));
  const now = needing(census);
  const read = reads.flatMap((record: ReadRecord) => record.reads.filter((each) => needs(each, target)));
  const seen = [census, ...earlier].flatMap(needing).map(({ newestEnqueuedAt }) => newestEnqueuedAt);
  return {
    target,
    waiting: now.reduce((sum, { count }) => sum + count, 0),
    lastSeenAt: latest([...seen, ...read.map(({ newestSentAt }) => newestSentAt)]),
    lastReadAt: latest(read.map(({ lastReadAt }) => lastReadAt)),
    waitsUntil: lastExpiry(now.map(({ latestExpiryAt }) => latestExpiryAt)),
  };
}

function latest(instants: readonly (Date | undefined)[]): Date | undefined {
  return instants.filter(isInstant).reduce<Date | undefined>(later, undefined);
}

/** What a yes rests on, sentence by sentence. */
function evidenceFor(census: Census, evidence: RetirementEvidence): string[] {
  const { writersStoppedAt, earlier = [], reads = [], sessionStatesAreFree, unrelated = [] } = evidence;
  const peeked = census.places.reduce((sum, place) => sum + place.peeked, 0);
  const readers = [...new Set(reads.map(({ reader }) => reader))].join(", ");
  const states =
    sessionStatesAreFree === true && census.places.some(({ requiresSession }) => requiresSession !== false);
  return [
    `At ${census.startedAt.toISOString()}, ${messages(peeked)} in ${census.places.length} places were peeked to their end, and none needs it.`,
    `You state that its writers stopped at ${writersStoppedAt?.toISOString()}; neither ${earlier.length} earlier censuses nor the reads of ${readers} contradict it.`,
    ...(states ? ["You state that no session state is written with it; states are not read."] : []),
    ...(unrelated.length === 0 ? [] : [`You state that no consumer receives from ${unrelated.join(", ")}.`]),
  ];
}
