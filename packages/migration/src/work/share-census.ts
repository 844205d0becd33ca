import { requireKnownOptions } from "@waybill/core/serializer";
import type { CatalogEntity, EntityCatalog } from "@waybill/core/transport";
import type { Census } from "../census/census.js";
import { hiddenIn, wavesInFlowOrder } from "../census/places.js";
import { chainOf } from "../census/take-census.js";
import { checkSampleRate } from "../comparison/sampling.js";
import { type CensusPart, parsePart, uncounted } from "./count-entity.js";
import type { FinishedState } from "./item-state.js";
import { Job, type SharedJob, type SharedJobOptions, sharedJobOptionNames } from "./shared-job.js";
import type { CensusItem } from "./work-item.js";

/** A census that many processes take together. */
export interface ShareCensusOptions extends SharedJobOptions {
  /** Lists the entities. */
  readonly catalog: EntityCatalog;
  /** The paths of the entities that the catalog lists, if these are not the whole namespace; they stand in the census. Default: all. */
  readonly entities?: readonly string[] | undefined;
  /** The share of messages to read, from 0 to 1. Default: 1. */
  readonly sampleRate?: number | undefined;
  /** Maximum number of messages to peek in one place. Default: no limit. */
  readonly maxMessagesPerPlace?: number | undefined;
  /** Maximum number of groups of one entity; beyond it, names that producers choose become `"(other)"`. Default: 1,000, which a session's state can hold. */
  readonly maxGroupsPerEntity?: number | undefined;
}

/**
 * Takes a census together with all workers of a queue: each entity is one item, counted by whoever locks its session. The result is that of
 * `takeCensus`. Call it again after an interruption, with the same `job`: what is counted is not counted again. Rejects when the catalog or
 * the work queue cannot be reached.
 */
export async function shareCensus(options: ShareCensusOptions): Promise<SharedJob<Census>> {
  const { catalog, pipeline, transport, abortSignal, job: name = "census" } = options;
  const ask = checked(options);
  const entities = await catalog.listEntities({ abortSignal });
  const waves = wavesInFlowOrder(entities);
  const itemsOf = (run: string) =>
    waves.map((wave) => wave.map((entity): CensusItem => ({ ...ask, job: name, run, entity })));
  const job = await Job.open<CensusItem>(options, name, JSON.stringify([ask, options.entities]), itemsOf);
  try {
    const items = itemsOf(job.run);
    const parts = new Map<CatalogEntity, CensusPart>();
    await job.finish(items, (item, ending) => parts.set(item.entity, partOf(item, ending)));
    const counted = waves.flat().flatMap((entity) => parts.get(entity) ?? []);
    const places = counted.flatMap((part) => part.places);
    const result: Census = {
      startedAt: job.startedAt,
      finishedAt: new Date(transport.scheduler?.now() ?? Date.now()),
      ...chainOf(pipeline),
      sampleRate: ask.sampleRate,
      places,
      groups: counted.flatMap(({ groups }) => groups),
      entities: options.entities,
      hidden: hiddenIn(entities, places),
    };
    return job.shared(result, items);
  } catch (error) {
    await job.close();
    throw error;
  }
}

function checked(options: ShareCensusOptions): Omit<CensusItem, "job" | "run" | "entity"> {
  requireKnownOptions("shareCensus", options, {
    ...sharedJobOptionNames,
    catalog: true,
    entities: true,
    sampleRate: true,
    maxMessagesPerPlace: true,
    maxGroupsPerEntity: true,
  });
  const { sampleRate = 1, maxMessagesPerPlace, maxGroupsPerEntity: maxGroups = 1_000 } = options;
  checkSampleRate(sampleRate);
  for (const [name, value] of Object.entries({
    maxMessagesPerPlace: maxMessagesPerPlace ?? 1,
    maxGroupsPerEntity: maxGroups,
  })) {
    if (!(value >= 1)) throw new TypeError(`${name} must be at least 1, not ${String(value)}.`);
  }
  return { kind: "census", chain: chainOf(options.pipeline), sampleRate, maxMessagesPerPlace, maxGroups };
}

function partOf(item: CensusItem, { result, error }: FinishedState): CensusPart {
  return result === undefined
    ? uncounted(item, error ?? { code: "internal", text: "It was not counted." })
    : parsePart(result);
}
