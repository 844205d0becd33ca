import { entityPathOf } from "@waybill/core/transport";
import type { ExplorerContext } from "../options/explorer-options.js";
import { type MessageRow, messageRow } from "../reads/message-row.js";
import { addressAt } from "../wire/entity-path.js";
import { clueOf } from "./clues.js";
import { matcher } from "./matches.js";
import { expectedIn, placesToSearch, sumOfExpected } from "./places.js";
import { progressPace } from "./progress-pace.js";
import type { SearchCriteria } from "./search-criteria.js";
import type { SeenMessages } from "./seen-messages.js";
import { timeLimitOf } from "./time-limit.js";

/** An event of a search: a hit, its progress, or its end. */
export type SearchEvent =
  | { readonly kind: "hit"; readonly path: string; readonly row: MessageRow }
  | ({ readonly kind: "progress"; readonly path: string } & SearchCounts)
  | ({ readonly kind: "done"; readonly hits: number; readonly isComplete: boolean } & SearchCounts);

/** How far a search is. */
export interface SearchCounts {
  /** How many messages it has gone through. */
  readonly scanned: number;
  /** How many of them were read by an earlier search, and not again. */
  readonly remembered: number;
  /** How many there are by the broker's counts; undefined if it does not tell. */
  readonly expected: number | undefined;
}

/** Maximum number of hits of a search. */
const maxHits = 500;

/** Goes through one entity or all of them and lets the chain read each message. Locks and changes nothing. */
export async function searchMessages(
  context: ExplorerContext,
  seen: SeenMessages,
  criteria: SearchCriteria,
  onEvent: (event: SearchEvent) => void,
  abortSignal?: AbortSignal,
): Promise<void> {
  const isMatch = matcher(criteria);
  const mayBeMeant = clueOf(criteria);
  const limit = timeLimitOf(criteria);
  const pace = progressPace();
  const counts = { scanned: 0, remembered: 0, expected: undefined as number | undefined };
  const places = await placesOf(context, criteria, abortSignal);
  void places.expected.then((expected) => Object.assign(counts, { expected }));
  let hits = 0;
  for (const address of places.addresses) {
    const path = entityPathOf(address);
    for await (const { read, passed, remembered } of seen.pass(address, { mayBeMeant, limit, abortSignal })) {
      counts.scanned += passed;
      counts.remembered += remembered;
      const found = limit(() => read.filter((one) => isMatch(...one))).slice(0, maxHits - hits);
      hits += found.length;
      for (const one of found) onEvent({ kind: "hit", path, row: messageRow(...one) });
      if (pace.isDue()) onEvent({ kind: "progress", path, ...counts });
      if (hits >= maxHits) break;
    }
    if (hits >= maxHits) break;
  }
  onEvent({ kind: "done", hits, isComplete: hits < maxHits, ...counts });
}

/** The places to search, and the count of their messages. A single one is not kept waiting for its count. */
async function placesOf(context: ExplorerContext, { entity }: SearchCriteria, abortSignal?: AbortSignal) {
  if (entity === undefined) {
    const places = await placesToSearch(context, abortSignal);
    return {
      addresses: places.map(({ address }) => address),
      expected: Promise.resolve(sumOfExpected(places)),
    };
  }
  const address = addressAt(entity);
  const expected = expectedIn(context, address, abortSignal).catch(() => undefined);
  return { addresses: [address], expected };
}
