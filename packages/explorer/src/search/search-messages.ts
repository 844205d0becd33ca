import { entityPathOf } from "@waybill/core/transport";
import { peekPages } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { type MessageRow, messageRow } from "../reads/message-row.js";
import { readMessage, withReceiver } from "../reads/peek.js";
import { addressAt } from "../wire/entity-path.js";
import { matcher } from "./matches.js";
import { placesToSearch } from "./places.js";
import type { SearchCriteria } from "./search-criteria.js";

/** An event of a search: a hit, its progress, or its end. */
export type SearchEvent =
  | { readonly kind: "hit"; readonly path: string; readonly row: MessageRow }
  | { readonly kind: "progress"; readonly path: string; readonly scanned: number }
  | { readonly kind: "done"; readonly scanned: number; readonly hits: number; readonly isComplete: boolean };

/** Maximum number of hits of a search. */
const maxHits = 500;

/** Peeks through one entity or all of them and lets the chain read each message. Locks and changes nothing. */
export async function searchMessages(
  context: ExplorerContext,
  criteria: SearchCriteria,
  onEvent: (event: SearchEvent) => void,
  abortSignal?: AbortSignal,
): Promise<void> {
  const isMatch = matcher(criteria);
  const places =
    criteria.entity === undefined ? await placesToSearch(context, abortSignal) : [addressAt(criteria.entity)];
  let scanned = 0;
  let hits = 0;
  for (const address of places) {
    const path = entityPathOf(address);
    await withReceiver(context, address, async (receiver) => {
      for await (const page of peekPages(receiver, { abortSignal })) {
        for (const message of page) {
          const outcome = await readMessage(context, message, { abortSignal });
          scanned++;
          if (!isMatch(message, outcome) || hits >= maxHits) continue;
          hits++;
          onEvent({ kind: "hit", path, row: messageRow(message, outcome) });
        }
        onEvent({ kind: "progress", path, scanned });
        if (hits >= maxHits) return;
      }
    });
    if (hits >= maxHits) break;
  }
  onEvent({ kind: "done", scanned, hits, isComplete: hits < maxHits });
}
