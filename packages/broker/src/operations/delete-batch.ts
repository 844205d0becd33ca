import { MinHeap } from "../collections/min-heap.js";
import type { Engine } from "../engine/engine.js";
import type { MessageStore } from "../entities/message-store.js";
import { removeMessage } from "../management/purge.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { stride } from "../timing/next-turn.js";

/** Which messages a batch delete deletes. */
export interface DeleteBatchOptions {
  /** Only messages enqueued before this instant; default: all. */
  readonly enqueuedBefore?: Date | undefined;
  /** Only messages of this session; default: of all. */
  readonly sessionId?: string | undefined;
}

/**
 * Deletes up to `maxCount` active, unlocked messages, the oldest first. Can be interrupted: it first searches for them, and then deletes
 * those that may still be deleted.
 */
export class BatchDelete {
  count = 0;
  readonly #store: MessageStore;
  readonly #maxCount: number;
  readonly #options: DeleteBatchOptions;
  /** The oldest found so far, as a heap with the latest first: in a partitioned entity, arrival order differs from sequence order. */
  readonly #found = new MinHeap<StoredMessage>(({ arrival }) => -arrival);
  #next = 0;
  #chosen: StoredMessage[] | undefined;

  constructor(store: MessageStore, maxCount: number, options: DeleteBatchOptions) {
    this.#store = store;
    this.#maxCount = maxCount;
    this.#options = options;
  }

  /** Searches or deletes some more messages; returns `true` when finished. */
  proceed(engine: Engine): boolean {
    if (this.#chosen === undefined && !this.#look()) return false;
    this.#chosen ??= Array.from(this.#found).sort((a, b) => b.arrival - a.arrival);
    for (let looked = 0; looked < stride; looked++) {
      const chosen = this.#chosen.pop();
      if (chosen === undefined) return true;
      const message = this.#store.index.find(chosen.sequence);
      if (message === undefined || !this.#isWanted(message)) continue;
      removeMessage(engine, message);
      this.count++;
    }
    return false;
  }

  #look(): boolean {
    const isInOrder = !this.#store.owner.isPartitioned;
    let looked = 0;
    for (const message of this.#store.index.read(this.#next)) {
      if (isInOrder && this.#found.size >= this.#maxCount) return true;
      if (looked++ === stride) return false;
      this.#next = message.sequence + 1;
      if (!this.#isWanted(message)) continue;
      this.#found.push(message);
      if (this.#found.size > this.#maxCount) this.#found.pop();
    }
    return true;
  }

  #isWanted({ state, isLocked, enqueuedAtMs, content }: StoredMessage): boolean {
    const { enqueuedBefore, sessionId } = this.#options;
    if (state !== "active" || isLocked) return false;
    if (enqueuedBefore !== undefined && enqueuedAtMs >= enqueuedBefore.getTime()) return false;
    return sessionId === undefined || content.sessionId === sessionId;
  }
}
