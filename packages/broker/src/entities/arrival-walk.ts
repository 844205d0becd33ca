import type { StoredMessage } from "../messages/stored-message.js";
import type { MessageStore } from "./message-store.js";
import { isPartitioned, PARTITION_RANGE, PARTITIONS } from "./sequence-number.js";

interface Lane {
  next: number;
  readonly end: number;
}

/**
 * Walks the messages of a store in the order of their arrival, a few at a time; the store may change in between. In a partitioned entity that is not
 * the order of their numbers.
 */
export class ArrivalWalk {
  readonly #store: MessageStore;
  readonly #lanes: Lane[];

  constructor(store: MessageStore) {
    this.#store = store;
    this.#lanes = isPartitioned(store.owner)
      ? Array.from({ length: PARTITIONS }, (_, partition) => ({
          next: partition * PARTITION_RANGE,
          end: (partition + 1) * PARTITION_RANGE,
        }))
      : [{ next: 0, end: Number.POSITIVE_INFINITY }];
  }

  /** The next messages, `count` at most; none at the end. */
  take(count: number): StoredMessage[] {
    const taken: StoredMessage[] = [];
    const heads = this.#lanes.map((lane) => ({ lane, messages: this.#store.index.from(lane.next) }));
    const firsts = heads.map(({ lane, messages }) => ({ lane, messages, first: firstOf(lane, messages) }));
    while (taken.length < count) {
      let oldest: (typeof firsts)[number] | undefined;
      for (const one of firsts) {
        if (one.first === undefined) continue;
        if (oldest?.first === undefined || one.first.arrival < oldest.first.arrival) oldest = one;
      }
      if (oldest?.first === undefined) break;
      taken.push(oldest.first);
      oldest.lane.next = oldest.first.sequence + 1;
      oldest.first = firstOf(oldest.lane, oldest.messages);
    }
    return taken;
  }
}

function firstOf(
  { end }: Lane,
  messages: Generator<StoredMessage, void, undefined>,
): StoredMessage | undefined {
  const { value } = messages.next();
  return value && value.sequence < end ? value : undefined;
}
