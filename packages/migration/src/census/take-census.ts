import {
  type DeserializationOutcome,
  type EncodedMessage,
  type Pipeline,
  type Transport,
  WaybillError,
} from "@waybill/core";
import type { CallOptions, DeliveredMessage, EntityCatalog } from "@waybill/core/transport";
import { checkSampleRate } from "../comparison/sampling.js";
import type { Census, CensusPlace } from "./census.js";
import { defaultPageSize, peekPages } from "./peek-pages.js";
import { hiddenIn, type Place, placesInFlowOrder } from "./places.js";
import { Tally } from "./tally.js";

/** What to look at and with which chain. */
export interface CensusOptions extends CallOptions {
  /** The connection to the broker. */
  readonly transport: Transport;
  /** The chain that consumers use; its types too, so that versions and upcast paths are reported. */
  readonly pipeline: Pick<Pipeline, "deserialize" | "serializers"> & Partial<Pick<Pipeline, "messageTypes">>;
  /** Which entities there are. */
  readonly catalog: EntityCatalog;
  /** The share of messages to read, from 0 to 1, chosen by sequence number; the others are only counted. Default: 1. */
  readonly sampleRate?: number | undefined;
  /** How many messages to peek in one place at most. Default: no limit. */
  readonly maxMessagesPerPlace?: number | undefined;
  /** How many messages to ask for at once. Default: 250, what the service returns at most. */
  readonly pageSize?: number | undefined;
  /** How many groups to tell apart; past that, media types, origins and the subjects of untyped messages are `"(other)"`. Default: 10,000. */
  readonly maxGroups?: number | undefined;
  /**
   * Names what a message looks like, such as `"legacy .NET string holding JSON"`; the messages are grouped by it. Called once for each message
   * that is read; what it throws rejects the census. Default: none.
   */
  readonly originOf?: ((message: DeliveredMessage) => string | undefined) | undefined;
  /** Called after each page. */
  readonly onProgress?: ((progress: CensusProgress) => void) | undefined;
}

/** How far a census is. */
export interface CensusProgress {
  readonly entityPath: string;
  /** Messages peeked so far, in all places. */
  readonly peeked: number;
  /** Messages that the catalog counted, in all places; undefined when it does not count. */
  readonly expected: number | undefined;
}

/**
 * Counts what waits in a namespace, active, scheduled and deferred, in every queue, subscription, dead-letter and transfer dead-letter
 * queue, by what the chain makes of it. Peeks only: locks and changes nothing. A place that cannot be peeked is named in the result;
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
    const onPage = (messages: number) => {
      progress.peeked += messages;
      options.onProgress?.({ entityPath: place.entityPath, ...progress });
    };
    places.push(await countPlace(place, settings, tally, onPage));
  }
  return {
    startedAt,
    finishedAt: now(options),
    serializers: options.pipeline.serializers.map(({ name }) => name),
    messageTypes: (options.pipeline.messageTypes ?? []).map(({ name, aliases, versions }) => ({
      name,
      aliases,
      versions: versions.map(({ version }) => version),
    })),
    sampleRate: settings.sampleRate,
    places,
    groups: tally.groups(),
    hidden: hiddenIn(entities),
  };
}

type Settings = ReturnType<typeof checked>;

function checked(options: CensusOptions) {
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

async function countPlace(
  place: Place,
  settings: Settings,
  tally: Tally,
  onPage: (messages: number) => void,
): Promise<CensusPlace> {
  const { transport, abortSignal } = settings;
  const receiver = transport.createReceiver(place.address, "peekLock");
  const result = { entityPath: place.entityPath, subQueue: place.address.subQueue, ...about(place) };
  let peeked = 0;
  try {
    for await (const page of peekPages(receiver, {
      ...settings,
      maxMessages: settings.maxMessagesPerPlace,
    })) {
      for (const message of page) {
        const outcome = await read(message, settings);
        tally.add(place, message, outcome, outcome && settings.originOf?.(message));
      }
      peeked += page.length;
      onPage(page.length);
    }
    return { ...result, peeked, end: peeked >= settings.maxMessagesPerPlace ? "limit" : "reached" };
  } catch (error) {
    if (abortSignal?.aborted || !(error instanceof WaybillError)) throw error;
    // A transport without this sub-queue has nothing in it.
    if (error.code === "not-supported" && place.address.subQueue !== undefined)
      return { ...result, peeked, end: "reached" };
    return { ...result, peeked, end: "failed", error: { code: error.code, text: error.text } };
  } finally {
    await receiver.close();
  }
}

function read(
  message: DeliveredMessage,
  { pipeline, sampleRate, abortSignal }: Settings,
): DeserializationOutcome | undefined | PromiseLike<DeserializationOutcome> {
  if (sampleRate < 1 && !isSampled(message.sequenceNumber, sampleRate)) return undefined;
  return pipeline.deserialize(message as EncodedMessage, { abortSignal });
}

/** Spreads neighbours apart: neighbours are often alike. Source: Knuth, multiplicative hashing. */
function isSampled(sequenceNumber: bigint, sampleRate: number): boolean {
  return Number((sequenceNumber * 2_654_435_761n) & 0xffff_ffffn) < sampleRate * 2 ** 32;
}

function about({
  entity: { requiresSession, counts },
}: Place): Pick<CensusPlace, "requiresSession" | "counts"> {
  return { requiresSession, counts };
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
