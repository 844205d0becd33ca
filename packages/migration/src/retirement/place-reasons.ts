import type { Census, CensusPlace } from "../census/census.js";
import { isInstant } from "../census/census-text.js";
import { placeOf } from "./message-reasons.js";
import type { RetirementEvidence } from "./retirement-evidence.js";
import { against, messages, missing, type RetirementReason } from "./retirement-reason.js";

/** The reasons that unseen places, hidden messages and session states are. */
export function placeReasons(census: Census, evidence: RetirementEvidence): RetirementReason[] {
  return [
    ...unpeeked(census, evidence),
    ...hidden(census),
    ...longerSchedules(census, evidence),
    ...sessionStates(census, evidence),
  ];
}

function unpeeked(census: Census, evidence: RetirementEvidence): RetirementReason[] {
  return census.places
    .filter(({ end }) => end !== "reached")
    .flatMap((each) => {
      const place = placeOf(each);
      const why =
        each.end === "limit"
          ? `peeking stopped after ${each.peeked} messages`
          : `peeking failed (${each.error?.code})`;
      const text = `${place} was not peeked to its end: ${why}.`;
      if (!isTopic(each, census)) {
        const todo = each.end === "limit" ? "take the census without a limit" : "take the census again";
        return [missing("not-peeked", text, todo, { place })];
      }
      return unseenSchedules(place, text, census, evidence);
    });
}

/** A topic holds only scheduled messages: none is left after the longest schedule, if that is stated. */
function unseenSchedules(
  place: string,
  text: string,
  { startedAt, hidden: counted }: Census,
  { writersStoppedAt, maxScheduleDurationInMs }: RetirementEvidence,
): RetirementReason[] {
  const again = "take the census again";
  // What the broker counts is listed as hidden: no statement is stronger.
  if (counted.some(({ entityPath, kind }) => entityPath === place && kind === "scheduled-at-topic"))
    return [];
  if (!isInstant(writersStoppedAt) || maxScheduleDurationInMs === undefined) {
    const todo = `${again}; where the topic cannot be peeked, state when writers stopped and how far ahead they schedule`;
    return [missing("hidden-schedules", text, todo, { place })];
  }
  const until = new Date(writersStoppedAt.getTime() + maxScheduleDurationInMs);
  if (startedAt > until) return [];
  return [
    missing("hidden-schedules", text, `wait until ${until.toISOString()}, then ${again}`, { place, until }),
  ];
}

/** A topic has neither dead letters nor a name of a subscription. */
function isTopic({ entityPath, subQueue }: CensusPlace, { places }: Census): boolean {
  const prefix = `${entityPath}/Subscriptions/`.toLowerCase();
  const hasDeadLetters = places.some(
    (place) => place.entityPath === entityPath && place.subQueue !== undefined,
  );
  return (
    subQueue === undefined &&
    !hasDeadLetters &&
    (places.some((place) => place.entityPath.toLowerCase().startsWith(prefix)) || !entityPath.includes("/"))
  );
}

function hidden({ hidden: counted }: Census): RetirementReason[] {
  return counted.map(({ entityPath: place, kind, count }) =>
    kind === "in-transfer"
      ? missing(
          kind,
          `${messages(count)} in transfer from ${place} to another entity.`,
          "take the census again",
          { place, count },
        )
      : missing(
          "hidden-schedules",
          `the broker counts ${messages(count)} scheduled at the topic ${place} that could not be peeked there.`,
          "take the census again, with a connection that can peek the topic",
          { place, count },
        ),
  );
}

/** A message that is scheduled further ahead than the statement allows. */
function longerSchedules({ groups }: Census, evidence: RetirementEvidence): RetirementReason[] {
  const { maxScheduleDurationInMs: stated } = evidence;
  if (stated === undefined) return [];
  const longer = groups.find(
    ({ latestScheduledAt, newestSentAt }) =>
      latestScheduledAt !== undefined &&
      newestSentAt !== undefined &&
      latestScheduledAt.getTime() - newestSentAt.getTime() > stated,
  );
  if (longer === undefined) return [];
  const place = placeOf(longer);
  return [
    against(
      "longer-schedule",
      `contradicted: a message in ${place} is scheduled for ${longer.latestScheduledAt?.toISOString()}, further ahead than the ${stated} ms that are stated.`,
      "state how far ahead producers really schedule",
      { place, contradicts: "maxScheduleDurationInMs" },
    ),
  ];
}

function sessionStates({ places }: Census, { sessionStatesAreFree }: RetirementEvidence): RetirementReason[] {
  if (sessionStatesAreFree === true) return [];
  return places
    .filter(({ subQueue, requiresSession }) => subQueue === undefined && requiresSession !== false)
    .map(({ entityPath: place, requiresSession }) => {
      const has = requiresSession === true ? "has sessions" : "may have sessions";
      return missing(
        "session-states",
        `${place} ${has}, and session states are not read.`,
        "check what your program writes there, and state sessionStatesAreFree if none is written with it",
        { place },
      );
    });
}
