import type { Pipeline, Transport } from "@waybill/core";
import { type OptionNames, requireKnownOptions } from "@waybill/core/serializer";
import type { CallOptions, DeliveredMessage, EntityCatalog } from "@waybill/core/transport";
import { checkSampleRate } from "../comparison/sampling.js";
import type { Census, CensusPlace } from "./census.js";
import { countPlace } from "./count-place.js";
import { defaultPageSize } from "./peek-pages.js";
import { hiddenIn, placesInFlowOrder } from "./places.js";
import { Tally } from "./tally.js";

/** What to peek and with which chain to read it. */
export interface CensusOptions extends CallOptions {
  /** The connection to the broker. */
  readonly transport: Transport;
  /** The chain that consumers use; its types too, so that versions and upcast paths are reported. */
  readonly pipeline: Pick<Pipeline, "deserialize" | "serializers"> & Partial<Pick<Pipeline, "messageTypes">>;
  /** Lists the entities. */
  readonly catalog: EntityCatalog;
  /** The paths of the entities that the catalog lists, if these are not the whole namespace; they stand in the census. Default: all. */
  readonly entities?: readonly string[] | undefined;
  /** The share of messages to read, from 0 to 1, chosen by sequence number; the others are only counted. Default: 1. */
  readonly sampleRate?: number | undefined;
  /** Maximum number of messages to peek in one place. Default: no limit. */
  readonly maxMessagesPerPlace?: number | undefined;
  /** How many messages to ask for at once. Default: 250, the maximum that Service Bus returns. */
  readonly pageSize?: number | undefined;
  /** Maximum number of groups; beyond it, media types, origins and the subjects of untyped messages become `"(other)"`. Default: 10,000. */
  readonly maxGroups?: number | undefined;
  /**
   * Names the probable origin of a message, such as `"legacy .NET string holding JSON"`, to group messages by. Called once for each message
   * that is read; if it throws, the census rejects. Default: none.
   */
  readonly originOf?: ((message: DeliveredMessage) => string | undefined) | undefined;
  /** Called after each page. */
  readonly onProgress?: ((progress: CensusProgress) => void) | undefined;
}

/** The progress of a census. */
export interface CensusProgress {
  /** The entity that is being peeked. */
  readonly entityPath: string;
  /** Messages peeked so far, in all places. */
  readonly peeked: number;
  /** Messages that the catalog counted, in all places; undefined when it does not count. */
  readonly expected: number | undefined;
}

/**
 * Counts the active, scheduled and deferred messages of a namespace, in every queue, topic, subscription, dead-letter and transfer dead-letter
 * queue, by how the chain reads them. Peeks only: locks and changes nothing. A place that cannot be peeked is named in the result;
 * rejects when the catalog cannot be listed or the call is aborted.
 */
export async function takeCensus(options: CensusOptions): Promise<Census> {
  const settings = checked(options);
  const startedAt = now(options);
  const entities = await options.catalog.listEntities({ abortSignal: options.abortSignal });
  const tally = new Tally(settings.maxGroups);
  const progress = { peeked: 0, expected: expectedCount(entities.map(({ counts }) => counts)) };
  const places: CensusPlace[] = [];
  for (const place of placesInFlowOrder(entities)) {
    const onPage = (_: unknown, messages: number) => {
      progress.peeked += messages;
      options.onProgress?.({ entityPath: place.entityPath, ...progress });
    };
    places.push(await countPlace(place, settings, tally, onPage));
  }
  return {
    startedAt,
    finishedAt: now(options),
    ...chainOf(options.pipeline),
    sampleRate: settings.sampleRate,
    places,
    groups: tally.groups(),
    entities: settings.entities,
    hidden: hiddenIn(entities, places),
  };
}

const optionNames: OptionNames<CensusOptions> = {
  transport: true,
  pipeline: true,
  catalog: true,
  entities: true,
  sampleRate: true,
  maxMessagesPerPlace: true,
  pageSize: true,
  maxGroups: true,
  originOf: true,
  onProgress: true,
  abortSignal: true,
};

function checked(options: CensusOptions) {
  requireKnownOptions("takeCensus", options, optionNames);
  const {
    sampleRate = 1,
    maxMessagesPerPlace = Number.POSITIVE_INFINITY,
    pageSize = defaultPageSize,
    maxGroups = 10_000,
  } = options;
  checkSampleRate(sampleRate);
  for (const [name, value] of Object.entries({ maxMessagesPerPlace, pageSize, maxGroups })) {
    if (!(value >= 1)) throw new TypeError(`${name} must be at least 1, not ${String(value)}.`);
  }
  return { ...options, sampleRate, maxMessagesPerPlace, pageSize, maxGroups };
}

/** What a census says about the chain that took it. */
export function chainOf(pipeline: CensusOptions["pipeline"]): Pick<Census, "serializers" | "messageTypes"> {
  return {
    serializers: pipeline.serializers.map(({ name }) => name),
    messageTypes: (pipeline.messageTypes ?? []).map(({ name, aliases, versions }) => ({
      name,
      aliases,
      versions: versions.map(({ version }) => version),
    })),
  };
}

function expectedCount(counts: readonly CensusPlace["counts"][]): number | undefined {
  let sum = 0;
  for (const each of counts) {
    if (each === undefined) return undefined;
    sum += each.active + each.scheduled + each.deadLetter + each.transferDeadLetter;
  }
  return sum;
}

function now({ transport }: CensusOptions): Date {
  return new Date(transport.scheduler?.now() ?? Date.now());
}
