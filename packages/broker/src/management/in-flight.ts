import type { Engine } from "../engine/engine.js";
import type { MessageStore } from "../entities/message-store.js";
import { storesOf } from "./purge.js";

/** The messages of one queue, subscription or sub-queue with which consumers are not finished. */
export interface InFlight {
  readonly path: string;
  /** Messages that are locked. */
  readonly lockedCount: number;
  /** Messages that wait and that an open consumer will get: without consumers, or while all sessions with messages are unlocked, 0. */
  readonly waitingCount: number;
}

/** Where messages are in flight; empty if all consumers are idle. Takes time proportional to the number of messages. */
export function inFlight(engine: Engine): InFlight[] {
  return [...engine.entities.all()]
    .flatMap(storesOf)
    .map(inFlightOf)
    .filter(({ lockedCount, waitingCount }) => lockedCount + waitingCount > 0);
}

function inFlightOf(store: MessageStore): InFlight {
  let lockedCount = 0;
  for (const message of store.index.read(0)) if (message.isLocked) lockedCount++;
  const locks = Array.from(store.sessions?.all() ?? []).flatMap(({ lock }) => lock ?? []);
  const lanes = [store.lane, ...locks.map(({ lane }) => lane)].filter(({ consumers }) => consumers > 0);
  const waitingCount = lanes.reduce((count, { ready }) => count + ready.size, 0);
  return { path: store.path, lockedCount, waitingCount };
}
