import type { GroupView, MessageRow } from "../data/types.js";

/** Dead letters whose reasons differ at most in numbers, ids and quoted names. */
export interface LetterGroup extends GroupView {
  /** How many different texts the reason has. */
  readonly texts: number;
}

/** Parts of a reason that differ from message to message: quoted names, ids, numbers. */
const varying = /"[^"]*"|'[^']*'|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|\b[0-9a-f]{16,}\b|\d+/gi;

/** Collapses groups that differ only in the varying parts of their reasons. The largest first. */
export function letterGroups(groups: readonly GroupView[]): LetterGroup[] {
  const collapsed = new Map<string, LetterGroup>();
  for (const group of groups) {
    const key = keyOf(group.reason, group.messageType, group.messageVersion, group.mediaType);
    const known = collapsed.get(key);
    collapsed.set(key, known === undefined ? { ...group, texts: 1 } : merged(known, group));
  }
  return [...collapsed.values()].sort((one, two) => two.count - one.count);
}

/** What the address of the view names a group by. */
export function groupKey({ reason, messageType, messageVersion, mediaType }: GroupView): string {
  return keyOf(reason, messageType, messageVersion, mediaType);
}

/** The same of the group that a message belongs to. */
export function groupKeyOf({
  deadLetterReason,
  messageType,
  messageVersion,
  subject,
  mediaType,
}: MessageRow): string {
  return keyOf(deadLetterReason, (messageType ?? subject)?.slice(0, 128), messageVersion, mediaType);
}

function keyOf(
  reason: string | undefined,
  messageType: string | undefined,
  messageVersion: number | undefined,
  mediaType: string,
): string {
  return JSON.stringify([reason?.replace(varying, "…"), messageType, messageVersion, mediaType]);
}

function merged(one: LetterGroup, two: GroupView): LetterGroup {
  const times = (texts: readonly (string | undefined)[]) => texts.filter((text) => text !== undefined).sort();
  return {
    ...one,
    reason: one.reason?.replace(varying, "…"),
    texts: one.texts + 1,
    count: one.count + two.count,
    readable: one.readable + two.readable,
    serializer: one.serializer ?? two.serializer,
    failure: one.failure ?? two.failure,
    oldestEnqueuedAt: times([one.oldestEnqueuedAt, two.oldestEnqueuedAt])[0],
    newestEnqueuedAt: times([one.newestEnqueuedAt, two.newestEnqueuedAt]).at(-1),
  };
}
