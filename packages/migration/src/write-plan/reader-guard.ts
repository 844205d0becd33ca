import type { MessageType, Pipeline } from "@waybill/core";
import {
  type OptionNames,
  requireDuration,
  requireInteger,
  requireKnownOptions,
} from "@waybill/core/serializer";
import type { CallOptions, Scheduler } from "@waybill/core/transport";
import type { BeaconStore, CapabilityBeacon } from "../capability/beacon-store.js";
import { defaultClockToleranceMs, liveBeacons } from "../capability/live-beacons.js";
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

/** A reader that must have announced itself, with all of its instances. */
export interface ExpectedReader {
  /** Its name, as it announces itself. */
  readonly name: string;
  /**
   * How many instances of it run, those of earlier deployments included: a number, or a function that counts them, for example the replicas of
   * its deployments or the receivers that are connected. The guard cannot see an instance that announces nothing; this number shows it.
   */
  readonly instances: number | (() => number | Promise<number>);
}

/** Which readers a guard asks, and how. */
export interface BeaconGuardOptions {
  /** Where the readers' beacons are stored. */
  readonly store: BeaconStore;
  /** Every reader of the message type, and how many instances it has. An instance that has not announced itself is an objection. */
  readonly readers: readonly ExpectedReader[];
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

/**
 * A guard that uses beacons: as many instances of each named reader as run must have announced themselves, and every announced instance, also of
 * readers that are not named, must read the target's version and media type with the same schema. What it proves is as true as the number of
 * instances that it is given. Throws `TypeError` for an invalid option or no readers.
 */
export function beaconGuard(options: BeaconGuardOptions): ReaderGuard {
  requireKnownOptions("beaconGuard", options, optionNames);
  const { store, readers, pipeline, scheduler, clockToleranceInMs = defaultClockToleranceMs } = options;
  requireDuration("clockToleranceInMs", clockToleranceInMs, 0);
  requireReaders(readers);
  const names = readers.map(({ name }) => name);
  return {
    async objections(messageType, target, call) {
      const written = writtenAs(pipeline, target);
      if (typeof written === "object") return [written.objection];
      const nowMs = scheduler?.now() ?? Date.now();
      const { counting, present } = await liveBeacons(store, { nowMs, clockToleranceInMs }, call);
      const silent = await Promise.all(readers.map((reader) => objectionsToCount(reader, present)));
      return [
        ...silent.flat(),
        ...counting.flatMap((beacon) =>
          messageType === undefined || "contentType" in target
            ? objectionsToFormat(beacon, written)
            : objectionsOf(beacon, names, messageType, { ...target, mediaType: written }),
        ),
      ];
    },
  };
}

function requireReaders(readers: readonly ExpectedReader[]): void {
  if (!Array.isArray(readers) || readers.length === 0)
    throw new TypeError(
      "A guard needs the readers to ask, each with its name and how many instances it has.",
    );
  for (const { name, instances } of readers) {
    if (typeof name !== "string" || name === "") throw new TypeError("beaconGuard: a reader has no name.");
    if (typeof instances !== "function") requireInteger(`The instances of "${name}"`, instances, 1);
  }
}

/** Whether all instances of a reader have said what they read: without that, it is not known. */
async function objectionsToCount(
  { name, instances }: ExpectedReader,
  present: readonly CapabilityBeacon[],
): Promise<readonly string[]> {
  const announced = present.filter(({ reader }) => reader === name).length;
  const running = typeof instances === "function" ? await instances() : instances;
  if (typeof instances === "function") requireInteger(`The counted instances of "${name}"`, running, 0);
  if (announced === 0) return [`"${name}" has not said what it can read; it does with announceReader`];
  // More than run are announced for a while after a deployment: beacons outlive their readers.
  if (announced >= running) return [];
  return [
    `it is not known what ${running - announced} of the ${running} instances of "${name}" can read: only ${announced} announced themselves`,
  ];
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
  // Digests compare only where both sides have a schema: without one, nothing validates.
  return ours === undefined || theirs === undefined || ours === theirs
    ? []
    : [`${who} knows another ${serializer} schema of version ${version}`];
}
