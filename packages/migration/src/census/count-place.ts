import {
  type DeserializationOutcome,
  type EncodedMessage,
  type Pipeline,
  type Transport,
  WaybillError,
} from "@waybill/core";
import type { CallOptions, DeliveredMessage } from "@waybill/core/transport";
import type { CensusPlace } from "./census.js";
import { peekPages } from "./peek-pages.js";
import type { Place } from "./places.js";
import type { Tally } from "./tally.js";

/** How the messages of a place are peeked and read. */
export interface CountSettings extends CallOptions {
  readonly transport: Transport;
  readonly pipeline: Pick<Pipeline, "deserialize">;
  readonly sampleRate: number;
  readonly maxMessagesPerPlace: number;
  readonly pageSize: number;
  readonly originOf?: ((message: DeliveredMessage) => string | undefined) | undefined;
}

/** How far a place was counted. */
export interface CountedSoFar {
  readonly peeked: number;
  /** The sequence number to go on from; undefined for the oldest message. */
  readonly next: bigint | undefined;
}

/** Counts the messages of a place into a tally, from where an earlier count stopped. `onPage` is awaited after each page. */
export async function countPlace(
  place: Place,
  settings: CountSettings,
  tally: Tally,
  onPage: (soFar: CountedSoFar, messages: number) => unknown,
  from: CountedSoFar = { peeked: 0, next: undefined },
): Promise<CensusPlace> {
  const { transport, abortSignal, pageSize, maxMessagesPerPlace } = settings;
  const receiver = transport.createReceiver(place.address, "peekLock");
  const { requiresSession, counts } = place.entity;
  const result = { entityPath: place.entityPath, subQueue: place.address.subQueue, requiresSession, counts };
  let { peeked } = from;
  try {
    const pages = peekPages(receiver, {
      pageSize,
      abortSignal,
      fromSequenceNumber: from.next,
      maxMessages: maxMessagesPerPlace - peeked,
    });
    for await (const page of pages) {
      for (const message of page) {
        const outcome = await read(message, settings);
        tally.add(place, message, outcome, outcome && settings.originOf?.(message));
      }
      peeked += page.length;
      const last = page.at(-1);
      await onPage({ peeked, next: last && last.sequenceNumber + 1n }, page.length);
    }
    return { ...result, peeked, end: peeked >= maxMessagesPerPlace ? "limit" : "reached" };
  } catch (error) {
    if (abortSignal?.aborted || !(error instanceof WaybillError)) throw error;
    // The transport does not have this sub-queue, so it holds no messages.
    if (error.code === "not-supported" && place.address.subQueue !== undefined)
      return { ...result, peeked, end: "reached" };
    return { ...result, peeked, end: "failed", error: { code: error.code, text: error.text } };
  } finally {
    await receiver.close();
  }
}

function read(
  message: DeliveredMessage,
  { pipeline, sampleRate, abortSignal }: CountSettings,
): DeserializationOutcome | undefined | PromiseLike<DeserializationOutcome> {
  if (!isSampled(message.sequenceNumber, sampleRate)) return undefined;
  return pipeline.deserialize(message as EncodedMessage, { abortSignal });
}

/** Hashes the number, since neighbouring messages are often alike. Source: Knuth, multiplicative hashing. */
function isSampled(sequenceNumber: bigint, sampleRate: number): boolean {
  return Number((sequenceNumber * 2_654_435_761n) & 0xffff_ffffn) < sampleRate * 2 ** 32;
}
