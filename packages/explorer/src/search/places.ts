import { type CatalogEntity, type EntityAddress, entityPathOf } from "@waybill/core/transport";
import type { ExplorerContext } from "../options/explorer-options.js";

/** A queue, a subscription or a sub-queue, with the broker's count of its messages; undefined if it does not tell. */
export interface Place {
  readonly address: EntityAddress;
  readonly expected: number | undefined;
}

/** All queues and subscriptions with their sub-queues, without those that are known to be empty. */
export async function placesToSearch(
  { catalog, transport }: ExplorerContext,
  abortSignal?: AbortSignal,
): Promise<Place[]> {
  const entities = await catalog.listEntities({ abortSignal });
  const hasTransfer = transport.capabilities.has("transferDeadLetter");
  return entities
    .flatMap((entity) => placesOf(entity))
    .filter(({ address }) => hasTransfer || address.subQueue !== "transferDeadLetter")
    .filter(({ expected }) => expected !== 0);
}

/** How many messages a place has by the broker's count; undefined if it does not tell. */
export async function expectedIn(
  context: ExplorerContext,
  address: EntityAddress,
  abortSignal?: AbortSignal,
): Promise<number | undefined> {
  const path = entityPathOf(address).toLowerCase();
  const entities = await context.catalog.listEntities({ abortSignal });
  return entities
    .flatMap((entity) => placesOf(entity))
    .find((place) => entityPathOf(place.address).toLowerCase() === path)?.expected;
}

/** The sum of the counts; undefined if one of them is not known. */
export function sumOfExpected(places: readonly Place[]): number | undefined {
  let sum = 0;
  for (const { expected } of places) {
    if (expected === undefined) return undefined;
    sum += expected;
  }
  return sum;
}

function placesOf({ entity, counts }: CatalogEntity): Place[] {
  if ("topic" in entity && entity.subscription === undefined) return [];
  return [
    { address: entity, expected: counts && counts.active + counts.scheduled },
    { address: { ...entity, subQueue: "deadLetter" }, expected: counts?.deadLetter },
    { address: { ...entity, subQueue: "transferDeadLetter" }, expected: counts?.transferDeadLetter },
  ];
}
