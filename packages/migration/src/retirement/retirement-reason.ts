/** Why the answer is not yes. The set is closed. */
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
  /** The broker counts messages scheduled at a topic that were not peeked there, or the topic could not be peeked. */
  | "hidden-schedules"
  /** Messages are in transfer from one entity to another. */
  | "in-transfer"
  /** Entities have sessions, whose states may be written with it. */
  | "session-states"
  /** `writersStoppedAt` is missing, or a census or a read record shows that writers had not stopped by then. */
  | "writers"
  /** No consumer has recorded what it read since the writers stopped. */
  | "reads-unknown"
  /** A message is scheduled further ahead than stated. */
  | "longer-schedule"
  /** No serializer, message type or version of that name was in the chain when the census was taken. */
  | "not-in-chain"
  /** The evidence is invalid: a date or a duration that is not one. */
  | "invalid-evidence";

/** The statements of the evidence that observations can contradict. */
export type RetirementStatement = "writersStoppedAt" | "maxScheduleDurationInMs";

/** One reason why the answer is not yes. */
export interface RetirementReason {
  readonly obstacle: RetirementObstacle;
  /** `"against"`: evidence that it is needed, or that a statement is wrong. `"missing"`: something that nobody knows yet. */
  readonly kind: "against" | "missing";
  /** The entity, with its sub-queue, if the reason concerns one. */
  readonly place: string | undefined;
  /** How many messages, if the reason concerns messages and the number is known. */
  readonly count: number | undefined;
  /** The reason as a sentence. */
  readonly text: string;
  /** What to do about it. */
  readonly todo: string;
  /** When to look again, if waiting is enough; the time is in `todo`, too. */
  readonly until: Date | undefined;
  /** The statement that is contradicted. */
  readonly contradicts: RetirementStatement | undefined;
}

type More = Partial<Pick<RetirementReason, "place" | "count" | "until" | "contradicts">>;

/** Evidence against. */
export function against(
  obstacle: RetirementObstacle,
  text: string,
  todo: string,
  more: More = {},
): RetirementReason {
  return reason("against", obstacle, text, todo, more);
}

/** Something that is not known. */
export function missing(
  obstacle: RetirementObstacle,
  text: string,
  todo: string,
  more: More = {},
): RetirementReason {
  return reason("missing", obstacle, text, todo, more);
}

function reason(
  kind: RetirementReason["kind"],
  obstacle: RetirementObstacle,
  text: string,
  todo: string,
  { place, count, until, contradicts }: More,
): RetirementReason {
  return { obstacle, kind, place, count, text, todo, until, contradicts };
}

/** `1 message`, `3 messages`. */
export function messages(count: number): string {
  return `${count} ${count === 1 ? "message" : "messages"}`;
}
