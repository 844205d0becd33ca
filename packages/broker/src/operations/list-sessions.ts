import type { MessageStore } from "../entities/message-store.js";
import { nextTurn, stride } from "../timing/next-turn.js";
import { sessionsOf } from "./accept-session.js";

/** Which sessions to list. */
export interface BrokerListSessionsOptions {
  /** Only sessions whose state was set after this time; without it, sessions that have messages. */
  readonly updatedAfter?: Date | undefined;
  /** Default 0. */
  readonly skip?: number | undefined;
  /** Default 100. */
  readonly top?: number | undefined;
}

/** The session ids of a store, sorted. Works in small steps: sessions added or removed meanwhile may or may not be listed. */
export async function listSessions(
  store: MessageStore,
  options: BrokerListSessionsOptions,
): Promise<string[]> {
  const { updatedAfter, skip = 0, top = 100 } = options;
  const updatedAfterMs = updatedAfter?.getTime();
  const sorted: string[][] = [];
  let ids: string[] = [];
  let looked = 0;
  for (const session of sessionsOf(store).all()) {
    const isListed =
      updatedAfterMs === undefined
        ? session.messageCount > 0
        : session.state !== undefined && session.updatedAtMs > updatedAfterMs;
    if (isListed) ids.push(session.id);
    if (++looked % stride > 0) continue;
    sorted.push(ids.sort());
    ids = [];
    await nextTurn();
  }
  sorted.push(ids.sort());
  return (await mergeAll(sorted, skip + top)).slice(skip);
}

/** Merges sorted lists, up to `limit` ids. */
async function mergeAll(lists: readonly string[][], limit: number): Promise<string[]> {
  let merged = lists.map((list) => list.slice(0, limit));
  while (merged.length > 1) {
    const next: string[][] = [];
    for (let at = 0; at < merged.length; at += 2) {
      next.push(await merge(merged[at] ?? [], merged[at + 1] ?? [], limit));
    }
    merged = next;
  }
  return merged[0] ?? [];
}

async function merge(a: readonly string[], b: readonly string[], limit: number): Promise<string[]> {
  const merged: string[] = [];
  let inA = 0;
  let inB = 0;
  while (merged.length < limit) {
    const fromA = a[inA];
    const fromB = b[inB];
    const isFromA = fromB === undefined || (fromA !== undefined && fromA <= fromB);
    const next = isFromA ? fromA : fromB;
    if (next === undefined) break;
    merged.push(next);
    if (isFromA) inA++;
    else inB++;
    if (merged.length % stride === 0) await nextTurn();
  }
  return merged;
}
