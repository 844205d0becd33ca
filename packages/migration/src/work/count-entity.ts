import type { Census, CensusPlace } from "../census/census.js";
import { exactText, revived } from "../census/census-text.js";
import { type CountedSoFar, type CountSettings, countPlace } from "../census/count-place.js";
import { defaultPageSize } from "../census/peek-pages.js";
import { placesOf } from "../census/places.js";
import { Tally } from "../census/tally.js";
import type { CensusItem } from "./work-item.js";

/** The part of a census that one entity makes. */
export type CensusPart = Pick<Census, "places" | "groups">;

interface CountProgress extends CensusPart {
  /** How far the place after `places` was counted. */
  readonly current?: { readonly peeked: number; readonly next: string } | undefined;
}

/** What counting needs of the worker. */
export interface CountTools
  extends Pick<CountSettings, "transport" | "pipeline" | "originOf" | "abortSignal"> {
  /** Keeps what was counted, so that another worker goes on from there. */
  readonly save: (progress: string) => Promise<void>;
  /** Whether enough time has passed to save again. */
  readonly isSaveDue: () => boolean;
}

/**
 * Counts an entity and its sub-queues, from where another worker stopped. What was counted and the number to go on from are saved together: a
 * worker that ends in between counts its last pages for nothing, and nobody counts a message twice.
 */
export async function countEntity(
  item: CensusItem,
  progress: string | undefined,
  { save, isSaveDue, ...tools }: CountTools,
): Promise<string> {
  const before = progress === undefined ? undefined : parsePart<CountProgress>(progress);
  const tally = new Tally(item.maxGroups, before?.groups);
  const finished: CensusPlace[] = [...(before?.places ?? [])];
  let from = before?.current && { ...before.current, next: BigInt(before.current.next) };
  const { sampleRate, maxMessagesPerPlace = Number.POSITIVE_INFINITY } = item;
  const settings = { ...tools, sampleRate, maxMessagesPerPlace, pageSize: defaultPageSize };
  const onPage = async ({ peeked, next }: CountedSoFar) => {
    if (next === undefined || !isSaveDue()) return;
    const current = { peeked, next: String(next) };
    await save(formatPart({ places: finished, groups: tally.groups(), current }));
  };
  for (const place of placesOf(item.entity).slice(finished.length)) {
    finished.push(await countPlace(place, settings, tally, onPage, from));
    from = undefined;
  }
  return formatPart({ places: finished, groups: tally.groups() });
}

/** Every place of an entity that could not be counted. */
export function uncounted(item: CensusItem, error: Required<CensusPlace>["error"]): CensusPart {
  const places = placesOf(item.entity).map(
    ({ entityPath, address, entity }): CensusPlace => ({
      entityPath,
      subQueue: address.subQueue,
      peeked: 0,
      end: "failed",
      error,
      requiresSession: entity.requiresSession,
      counts: entity.counts,
    }),
  );
  return { places, groups: [] };
}

function formatPart(part: CountProgress): string {
  return JSON.stringify(part, exactText);
}

/** Reads what {@link countEntity} returned or saved. */
export function parsePart<Part extends CensusPart = CensusPart>(text: string): Part {
  return JSON.parse(text, revived) as Part;
}
