import type { Census } from "../census/census.js";
import { isInstant } from "../census/census-text.js";
import { later } from "../census/tally.js";
import type { ReadRecord } from "../reads/read-record.js";
import { needs } from "./known-target.js";
import type { RetirementEvidence, RetirementTarget } from "./retirement-evidence.js";
import { against, missing, type RetirementReason } from "./retirement-reason.js";

/** The reasons that writers which have not stopped, or of which this is not known, are. */
export function writerReasons(
  target: RetirementTarget,
  census: Census,
  evidence: RetirementEvidence,
): RetirementReason[] {
  const { writersStoppedAt, earlier = [], reads = [] } = evidence;
  if (writersStoppedAt === undefined) {
    const text = "it is not stated when its writers stopped.";
    return [missing("writers", text, "stop them, and state writersStoppedAt")];
  }
  if (!isInstant(writersStoppedAt)) return [];
  const contradicted = (text: string, todo: string, until?: Date) =>
    against("writers", `contradicted: ${text}`, todo, { contradicts: "writersStoppedAt", until });
  const seenAt = lastSent(target, [census, ...earlier]);
  const readAt = lastSentRead(target, reads);
  const reasons: RetirementReason[] = [];
  if (writersStoppedAt > census.startedAt) {
    const when = writersStoppedAt.toISOString();
    const text = "its writers had not stopped when the census began.";
    reasons.push(
      missing("writers", text, `wait until ${when}, then take the census again`, { until: writersStoppedAt }),
    );
  }
  if (seenAt !== undefined && seenAt > writersStoppedAt) {
    const text = `one was enqueued at ${seenAt.toISOString()}, after its writers were said to have stopped.`;
    reasons.push(contradicted(text, "find the producer that sent it"));
  }
  if (readAt !== undefined && readAt.at > writersStoppedAt) {
    const text = `${readAt.reader} has read one that was enqueued at ${readAt.at.toISOString()}, after its writers were said to have stopped.`;
    reasons.push(contradicted(text, "find the producer that sent it"));
  }
  return [...reasons, ...unknownReads(writersStoppedAt, evidence)];
}

/** Consumers whose reads since the writers stopped are not known. */
function unknownReads(stoppedAt: Date, { reads = [], readers }: RetirementEvidence): RetirementReason[] {
  const isLate = ({ recordedAt }: ReadRecord) => recordedAt >= stoppedAt;
  const known = new Set(reads.filter(isLate).map(({ reader }) => reader));
  const todo = `let the consumer run with recordReads, and wait for a record that was written after ${stoppedAt.toISOString()}`;
  const unknown = readers?.filter((reader) => !known.has(reader)) ?? [];
  if (unknown.length > 0)
    return unknown.map((reader) =>
      missing("reads-unknown", `what ${reader} has read since its writers stopped is not known.`, todo),
    );
  if (known.size > 0) return [];
  return [missing("reads-unknown", "what consumers have read since its writers stopped is not known.", todo)];
}

/** When the newest message that needs the target was sent, by all censuses. */
function lastSent(target: RetirementTarget, censuses: readonly Census[]): Date | undefined {
  return censuses
    .flatMap(({ groups }) => groups.filter((group) => !group.isOwnRecord && needs(group, target)))
    .map(({ newestSentAt }) => newestSentAt)
    .filter(isInstant)
    .reduce<Date | undefined>(later, undefined);
}

function lastSentRead(
  target: RetirementTarget,
  records: readonly ReadRecord[],
): { readonly reader: string; readonly at: Date } | undefined {
  let last: { readonly reader: string; readonly at: Date } | undefined;
  for (const { reader, reads } of records) {
    for (const { newestSentAt: at, ...read } of reads) {
      if (needs(read, target) && isInstant(at) && (last === undefined || at > last.at)) last = { reader, at };
    }
  }
  return last;
}
