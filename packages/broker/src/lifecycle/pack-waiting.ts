import { packing } from "../collections/page.js";
import type { MessageStore } from "../entities/message-store.js";
import { packMessages } from "../messages/packed-messages.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** Packs the last messages of a store in a page, if they fill one and are what waits at the end of a long lane. */
export function packWaiting(store: MessageStore): void {
  const block = store.index.fullBlock;
  if (block !== undefined) packBlock(store, block);
}

function packBlock(store: MessageStore, block: readonly StoredMessage[]): void {
  const { index, lane, beforeLastBlock: before } = store;
  store.beforeLastBlock = lane.ready.last;
  if (before === undefined || lane.ready.size < packing.behind) return;
  const page = packMessages(block);
  if (page === undefined || !lane.ready.replaceEnd(before, block, page)) return;
  index.packBlock(page);
  store.beforeLastBlock = page;
}
