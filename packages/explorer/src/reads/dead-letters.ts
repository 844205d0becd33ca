import { type EntityAddress, entityPathOf } from "@waybill/core/transport";
import { type DeadLetterGroup, surveyDeadLetters } from "@waybill/migration/repair";
import type { ExplorerContext } from "../options/explorer-options.js";
import { attemptView } from "./attempt-view.js";

/** The content of a dead-letter queue, and how today's chain reads it. */
export type DeadLettersView = Awaited<ReturnType<typeof groupDeadLetters>>;

/** Dead letters of one reason, message type, version and format. */
export type GroupView = ReturnType<typeof groupView>;

/** Groups a whole dead-letter queue. Locks and changes nothing. */
export async function groupDeadLetters(
  { transport, pipeline }: ExplorerContext,
  from: EntityAddress,
  abortSignal?: AbortSignal,
) {
  const survey = await surveyDeadLetters({ transport, pipeline, from, abortSignal });
  const groups = new Map<string, GroupView>();
  for (const group of survey.groups) {
    const key = JSON.stringify([
      group.deadLetterReason,
      group.mediaType,
      group.messageType,
      group.messageVersion,
    ]);
    const known = groups.get(key);
    groups.set(key, known === undefined ? groupView(group) : merged(known, groupView(group)));
  }
  return {
    path: entityPathOf({ ...from, subQueue: from.subQueue ?? "deadLetter" }),
    peeked: survey.peeked,
    /** How many the chain reads now. */
    readable: survey.decodable,
    groups: [...groups.values()].sort((one, two) => two.count - one.count),
  };
}

function groupView(group: DeadLetterGroup) {
  const { failure, detail = "" } = group;
  return {
    reason: group.deadLetterReason,
    mediaType: group.mediaType,
    messageType: group.messageType,
    messageVersion: group.messageVersion,
    count: group.count,
    /** How many of them the chain reads now. */
    readable: group.status === "decoded" ? group.count : 0,
    /** The serializer that reads them now, if any. */
    serializer: group.serializer,
    /** Why the others still cannot be read, and where. */
    failure: failure && attemptView({ ...failure, position: -1, detail }),
    oldestEnqueuedAt: group.oldestEnqueuedAt?.toISOString(),
    newestEnqueuedAt: group.newestEnqueuedAt?.toISOString(),
    examples: group.examples.map(String),
  };
}

/** Merges two groups that differ only in how the chain reads them now. */
function merged(one: GroupView, two: GroupView): GroupView {
  const order = (texts: readonly (string | undefined)[]) => texts.filter((text) => text !== undefined).sort();
  return {
    ...one,
    count: one.count + two.count,
    readable: one.readable + two.readable,
    serializer: one.serializer ?? two.serializer,
    failure: one.failure ?? two.failure,
    oldestEnqueuedAt: order([one.oldestEnqueuedAt, two.oldestEnqueuedAt])[0],
    newestEnqueuedAt: order([one.newestEnqueuedAt, two.newestEnqueuedAt]).at(-1),
    examples: [...one.examples, ...two.examples].slice(0, 3),
  };
}
