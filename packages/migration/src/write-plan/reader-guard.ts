import type { MessageType, Pipeline } from "@waybill/core";
import { type OptionNames, requireDuration, requireKnownOptions } from "@waybill/core/serializer";
import type { CallOptions, Scheduler } from "@waybill/core/transport";
import type { BeaconStore, CapabilityBeacon } from "../capability/beacon-store.js";
import { type ReadableType, schemaDigests } from "../capability/reader-capability.js";
import type { ContentTypeTarget } from "./content-type-plan.js";
import { claims } from "./media-type-claims.js";
import type { PlannedTarget } from "./write-plan.js";

/** Asks the readers whether they can read the new format. */
export interface ReaderGuard {
  /**
   * Why the target must not be written yet, one sentence each without a full stop; empty when every reader can read it. A plan by content type
   * passes no message type, and a content type as target.
   */
  objections(
    messageType: MessageType | undefined,
    target: PlannedTarget | ContentTypeTarget,
    options?: CallOptions,
  ): Promise<readonly string[]>;
}

/** Which readers a guard asks, and how. */
export interface BeaconGuardOptions {
  /** Where the readers' beacons are stored. */
  readonly store: BeaconStore;
  /** Every reader of the message type. One that has not announced itself is an objection. */
  readonly readers: readonly string[];
  /** The sender's pipeline: its serializers define the media type of the target. */
  readonly pipeline: Pipeline;
  /** The clock. Default: the system's. */
  readonly scheduler?: Pick<Scheduler, "now"> | undefined;
  /**
   * Maximum difference between the clocks of readers, store and guard, in milliseconds: a beacon can still object for that long after it expired.
   * Default: 600 000. If the store has a clock of its own, only the guard's clock can differ.
   */
  readonly clockToleranceInMs?: number | undefined;
}

const optionNames: OptionNames<BeaconGuardOptions> = {
  store: true,
  readers: true,
  pipeline: true,
  scheduler: true,
  clockToleranceInMs: true,
};

const defaultClockToleranceMs = 600_000;

/**
 * A guard that uses beacons: each named reader must have announced itself, and every announced instance, also of readers that are not named,
 * must read the target's version and media type with the same schema. Throws `TypeError` for an invalid option or no readers.
 */
export function beaconGuard(options: BeaconGuardOptions): ReaderGuard {
  requireKnownOptions("beaconGuard", options, optionNames);
  const { store, readers, pipeline, scheduler, clockToleranceInMs = defaultClockToleranceMs } = options;
  requireDuration("clockToleranceInMs", clockToleranceInMs, 0);
  if (readers.length === 0) throw new TypeError("A guard needs the names of the readers to ask.");
  return {
    async objections(messageType, target, call) {
      const written = writtenAs(pipeline, target);
      if (typeof written === "object") return [written.objection];
      const { counting, present } = counted(await store.list(call), store, {
        nowMs: scheduler?.now() ?? Date.now(),
        clockToleranceInMs,
      });
      const silent = readers.filter((reader) => !present.some((beacon) => beacon.reader === reader));
      return [
        ...silent.map((reader) => `"${reader}" has not said what it can read`),
        ...counting.flatMap((beacon) =>
          messageType === undefined || "contentType" in target
            ? objectionsToFormat(beacon, written)
            : objectionsOf(beacon, readers, messageType, { ...target, mediaType: written }),
        ),
      ];
    },
  };
}

/** The content type under which a target is written, or why it cannot be. */
function writtenAs(
  { serializers }: Pipeline,
  target: PlannedTarget | ContentTypeTarget,
): string | { readonly objection: string } {
  if ("contentType" in target) {
    const { contentType } = target;
    const isWritten = serializers.some(({ mediaTypes }) => claims(mediaTypes, contentType));
    return isWritten ? contentType : { objection: `the sender has no serializer for ${contentType}` };
  }
  const mediaType = serializers.find(({ name }) => name === target.serializer)?.mediaTypes[0];
  return mediaType ?? { objection: `the sender has no serializer "${target.serializer}"` };
}

/**
 * `counting`: beacons of instances that may still run; `present`: those that have certainly not expired. In doubt a beacon can object, but does
 * not prove that a named reader is present.
 */
function counted(
  listed: readonly CapabilityBeacon[],
  { expiresBeacons = false }: BeaconStore,
  { nowMs, clockToleranceInMs }: { readonly nowMs: number; readonly clockToleranceInMs: number },
): { readonly counting: readonly CapabilityBeacon[]; readonly present: readonly CapabilityBeacon[] } {
  const earliestMs = nowMs - clockToleranceInMs;
  const endsAfter = (ms: number) => (beacon: CapabilityBeacon) => beacon.expiresAt.getTime() > ms;
  const counting = newest(expiresBeacons ? listed : listed.filter(endsAfter(earliestMs)));
  return { counting, present: counting.filter(endsAfter(expiresBeacons ? earliestMs : nowMs)) };
}

function newest(beacons: readonly CapabilityBeacon[]): readonly CapabilityBeacon[] {
  const byInstance = new Map<string, CapabilityBeacon>();
  for (const beacon of beacons) {
    const key = JSON.stringify([beacon.reader, beacon.instance]);
    const other = byInstance.get(key);
    if (other === undefined || other.announcedAt.getTime() <= beacon.announcedAt.getTime()) {
      byInstance.set(key, beacon);
    }
  }
  return [...byInstance.values()];
}

function objectionsOf(
  beacon: CapabilityBeacon,
  readers: readonly string[],
  messageType: MessageType,
  target: PlannedTarget & { readonly mediaType: string },
): readonly string[] {
  const { reader, capability } = beacon;
  const who = whoIs(beacon);
  const type = capability.messageTypes.find(({ name }) => name === messageType.name);
  if (type === undefined) {
    // A reader that is not named may receive other messages.
    return readers.includes(reader) ? [`${who} does not know the message type`] : [];
  }
  return [
    ...objectionsToFormat(beacon, target.mediaType),
    ...objectionsToVersion(who, type, messageType, target),
  ];
}

function objectionsToFormat(beacon: CapabilityBeacon, contentType: string): readonly string[] {
  const isRead = claims(beacon.capability.mediaTypes, contentType);
  return isRead ? [] : [`${whoIs(beacon)} does not read ${contentType}`];
}

function whoIs({ reader, instance }: CapabilityBeacon): string {
  return `"${reader}" (${instance})`;
}

function objectionsToVersion(
  who: string,
  type: ReadableType,
  messageType: MessageType,
  { serializer, version }: PlannedTarget,
): readonly string[] {
  const read = type.versions.find((each) => each.version === version);
  if (read === undefined) return [`${who} does not read version ${version}`];
  const written = messageType.versions.find((each) => each.version === version);
  const ours = written && schemaDigests(written)[serializer];
  const theirs = read.schemas[serializer];
  return ours === undefined || theirs === undefined || ours === theirs
    ? []
    : [`${who} knows another ${serializer} schema of version ${version}`];
}
