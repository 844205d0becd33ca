import type { DeserializationOutcome, DeserializationReport } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import type { CensusGroup } from "./census.js";
import { mediaTypeOf } from "./media-type-of.js";
import { isOwnRecord } from "./own-record.js";
import type { Place } from "./places.js";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What is counted of a group's messages, before the first one. */
const nothing = Object.freeze({
  count: 0,
  bytes: 0,
  oldestEnqueuedAt: undefined,
  newestEnqueuedAt: undefined,
  newestSentAt: undefined,
  latestScheduledAt: undefined,
  latestExpiryAt: undefined,
  examples: Object.freeze([]),
});

type Kind = Omit<CensusGroup, keyof typeof nothing>;

/** How many sequence numbers a group keeps. */
const maxExamples = 3;

/** Producers choose subjects: long ones are cut, so that a group needs little memory. */
const maxNameLength = 128;

/** Counts messages by kind. Its memory grows with the number of kinds, up to a limit, not with the number of messages. */
export class Tally {
  readonly #groups = new Map<string, Mutable<CensusGroup>>();
  readonly #maxGroups: number;

  /** Begins with nothing, or with the groups of an earlier count. */
  constructor(maxGroups: number, groups: readonly CensusGroup[] = []) {
    this.#maxGroups = maxGroups;
    for (const group of groups) this.#groups.set(keyOf(group), { ...group });
  }

  /** Counts one message; `outcome` is undefined if it was not read. */
  add(
    place: Place,
    message: DeliveredMessage,
    outcome: DeserializationOutcome | undefined,
    origin?: string,
  ): void {
    const kind = kindOf(place, message, outcome, origin);
    const group = this.#group(kind);
    const bytes = message.body instanceof Uint8Array ? message.body.length : 0;
    group.count++;
    group.bytes += bytes;
    const { enqueuedTimeUtc: enqueuedAt, scheduledEnqueueTimeUtc: scheduledAt } = message;
    const expiresAt = expiryOf(place, message);
    const isFirst = group.count === 1;
    group.oldestEnqueuedAt = earlier(group.oldestEnqueuedAt, enqueuedAt);
    group.newestEnqueuedAt = later(group.newestEnqueuedAt, enqueuedAt);
    const isScheduled = message.state === "scheduled";
    if (isScheduled || scheduledAt === undefined) group.newestSentAt = later(group.newestSentAt, enqueuedAt);
    if (isScheduled) group.latestScheduledAt = later(group.latestScheduledAt, scheduledAt);
    // If one message never expires, neither does the group.
    group.latestExpiryAt =
      expiresAt === undefined || (!isFirst && group.latestExpiryAt === undefined)
        ? undefined
        : later(group.latestExpiryAt, expiresAt);
    if (group.examples.length < maxExamples) group.examples = [...group.examples, message.sequenceNumber];
  }

  /** The groups so far, the largest first within each place. */
  groups(): CensusGroup[] {
    return [...this.#groups.values()];
  }

  #group(kind: Kind): Mutable<CensusGroup> {
    const key = keyOf(kind);
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    if (this.#groups.size >= this.#maxGroups && !isFolded(kind)) return this.#group(folded(kind));
    const group: Mutable<CensusGroup> = { ...kind, ...nothing };
    this.#groups.set(key, group);
    return group;
  }
}

const kindMembers = Object.keys({
  entityPath: true,
  subQueue: true,
  state: true,
  mediaType: true,
  messageType: true,
  origin: true,
  isOwnRecord: true,
  messageVersion: true,
  upcastPath: true,
  status: true,
  serializer: true,
  declared: true,
  position: true,
  reason: true,
} satisfies Record<keyof Kind, true>) as readonly (keyof Kind)[];

function keyOf(kind: Kind): string {
  return JSON.stringify(kindMembers.map((name) => kind[name] ?? null));
}

/** Replaces media types, origins and subjects beyond the maximum number of groups. */
const foldedName = "(other)";

/**
 * Replaces only the texts that producers choose. The chain has a fixed number of types, versions and serializers, and a verdict depends on
 * them.
 */
function folded(kind: Kind): Kind {
  return {
    ...kind,
    mediaType: foldedName,
    messageType: isTyped(kind) ? kind.messageType : foldedName,
    origin: kind.origin === undefined ? undefined : foldedName,
  };
}

function isFolded(kind: Kind): boolean {
  const { mediaType, messageType, origin } = kind;
  return (
    mediaType === foldedName &&
    (isTyped(kind) || messageType === foldedName) &&
    (origin === undefined || origin === foldedName)
  );
}

/** A version is reported only for message types of the chain. */
function isTyped({ messageVersion }: Kind): boolean {
  return messageVersion !== undefined;
}

function kindOf(
  { entityPath, address }: Place,
  message: DeliveredMessage,
  outcome: DeserializationOutcome | undefined,
  origin: string | undefined,
): Kind {
  const report: Partial<DeserializationReport> = outcome?.report ?? {};
  return {
    entityPath,
    subQueue: address.subQueue,
    state: message.state,
    mediaType: mediaTypeOf(message.contentType),
    messageType: report.messageType ?? message.subject?.slice(0, maxNameLength),
    origin: origin?.slice(0, maxNameLength),
    isOwnRecord: isOwnRecord(message),
    messageVersion: report.messageVersion,
    upcastPath: report.upcastPath ?? [],
    status: outcome?.status ?? "not-sampled",
    serializer: report.serializer,
    declared: report.declared,
    position: report.position ?? -1,
    reason: outcome?.status === "undeserializable" ? outcome.reason : undefined,
  };
}

/** When a message expires; undefined for never, as in every dead-letter queue. */
function expiryOf({ address, entity }: Place, message: DeliveredMessage): Date | undefined {
  if (address.subQueue !== undefined) return undefined;
  if (message.state !== "scheduled" || message.scheduledEnqueueTimeUtc === undefined)
    return message.expiresAtUtc;
  // Its time to live begins when it becomes active.
  const { defaultMessageTimeToLiveInMs: limit = Number.POSITIVE_INFINITY } = entity;
  const expiry = new Date(
    message.scheduledEnqueueTimeUtc.getTime() + Math.min(message.timeToLive ?? limit, limit),
  );
  return Number.isNaN(expiry.getTime()) ? undefined : expiry;
}

/** The earlier one of two instants, if there are two. */
export function earlier(one: Date | undefined, two: Date | undefined): Date | undefined {
  if (one === undefined || two === undefined) return one ?? two;
  return new Date(Math.min(one.getTime(), two.getTime()));
}

/** The later one of two instants, if there are two. */
export function later(one: Date | undefined, two: Date | undefined): Date | undefined {
  if (one === undefined || two === undefined) return one ?? two;
  return new Date(Math.max(one.getTime(), two.getTime()));
}
