import { setImmediate } from "node:timers/promises";
import type { EncodedMessage } from "@waybill/core";
import {
  type DeliveredMessage,
  type EntityAddress,
  entityPathOf,
  type TransportReceiver,
} from "@waybill/core/transport";
import { partitionEnd, partitionOf } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import type { Clue } from "./clues.js";
import { pageSize, peekPages } from "./peek-pages.js";
import { type CharBudget, type ReadMessage, SeenPartition } from "./seen-partition.js";
import type { TimeLimit } from "./time-limit.js";

/** A step through the messages of a place. */
export interface Step {
  /** Those that were read now and may be meant. */
  readonly read: readonly ReadMessage[];
  /** How many it has passed, those included that were remembered and cannot be meant. */
  readonly passed: number;
  /** How many of them were remembered. */
  readonly remembered: number;
}

/** How to go through a place. */
export interface PassOptions {
  readonly mayBeMeant: Clue;
  /** Runs what looks for it. */
  readonly limit: TimeLimit;
  readonly abortSignal?: AbortSignal | undefined;
}

/** How many characters of all messages are remembered; what does not fit is read again each time. */
const maxChars = 256 * 1024 * 1024;
/** From this share on, a page is read instead of single messages. */
const densePart = 0.1;
/** How many single messages are read at once. */
const atOnce = 8;

/**
 * Goes through all messages of a place, and remembers their texts: the next time, only those are read that may be meant or have arrived since.
 * A message that is remembered is always read again before it is reported, so that nothing is reported that has left.
 */
export class SeenMessages {
  readonly #context: ExplorerContext;
  readonly #places = new Map<string, Place>();
  readonly #budget: CharBudget = { left: maxChars };

  constructor(context: ExplorerContext) {
    this.#context = context;
  }

  /** Forgets everything, so that it is read again. */
  forget(): void {
    this.#places.clear();
    this.#budget.left = maxChars;
  }

  /** Goes through the messages of a queue, a subscription or a sub-queue. Locks and changes nothing. */
  async *pass(address: EntityAddress, options: PassOptions): AsyncGenerator<Step> {
    const path = entityPathOf(address).toLowerCase();
    const place: Place = this.#places.get(path) ?? new Map();
    this.#places.set(path, place);
    const receiver = this.#context.transport.createReceiver(address, "peekLock");
    try {
      yield* this.#passAll(receiver, place, options);
    } finally {
      await receiver.close();
    }
  }

  /** Numbers of a partitioned entity begin with that of the partition, and grow only within it. */
  async *#passAll(receiver: TransportReceiver, place: Place, options: PassOptions): AsyncGenerator<Step> {
    const { abortSignal } = options;
    for (let from = 0n; ; ) {
      const [first] = await receiver.peek({ maxMessages: 1, fromSequenceNumber: from, abortSignal });
      if (first === undefined) return;
      const key = partitionOf(first.sequenceNumber);
      const end = partitionEnd(first.sequenceNumber);
      const partition = place.get(key) ?? new SeenPartition(this.#budget);
      place.set(key, partition);
      partition.beginAt(first);
      yield* this.#passRemembered(receiver, partition, options);
      yield* this.#passUnread(receiver, partition, {
        ...options,
        from: partition.next ?? first.sequenceNumber,
        end,
      });
      from = end;
    }
  }

  async *#passRemembered(
    receiver: TransportReceiver,
    partition: SeenPartition,
    { mayBeMeant, limit, abortSignal }: PassOptions,
  ): AsyncGenerator<Step> {
    for (const page of [...partition.pages]) {
      abortSignal?.throwIfAborted();
      const meant = limit(() => page.meant(mayBeMeant));
      const there = await peekThese(receiver, meant, abortSignal);
      const read = await this.#readAll(there, abortSignal);
      // Other requests have their turn, also while nothing is read.
      if (there.length === 0) await setImmediate();
      yield { read, passed: page.count, remembered: page.count - meant.length };
    }
  }

  async *#passUnread(
    receiver: TransportReceiver,
    partition: SeenPartition,
    { mayBeMeant, limit, ...range }: PassOptions & { readonly from: bigint; readonly end: bigint },
  ): AsyncGenerator<Step> {
    for await (const page of peekPages(receiver, range)) {
      const read = await this.#readAll(page, range.abortSignal);
      const seen = partition.remember(read);
      yield { read: limit(() => seen.meantOf(read, mayBeMeant)), passed: read.length, remembered: 0 };
    }
  }

  async #readAll(
    messages: readonly DeliveredMessage[],
    abortSignal: AbortSignal | undefined,
  ): Promise<ReadMessage[]> {
    const read: ReadMessage[] = [];
    for (const message of messages) {
      const outcome = this.#context.pipeline.deserialize(message as EncodedMessage, { abortSignal });
      // Most are read at once; waiting for each would take longer than that.
      read.push([message, outcome instanceof Promise ? await outcome : outcome]);
    }
    return read;
  }
}

/** Those of the messages that are still there; `numbers` lie within a page of each other. */
async function peekThese(
  receiver: TransportReceiver,
  numbers: readonly bigint[],
  abortSignal: AbortSignal | undefined,
): Promise<DeliveredMessage[]> {
  const [first] = numbers;
  if (first === undefined) return [];
  if (numbers.length > pageSize * densePart) {
    const wanted = new Set(numbers);
    const page = await receiver.peek({ maxMessages: pageSize, fromSequenceNumber: first, abortSignal });
    return page.filter(({ sequenceNumber }) => wanted.has(sequenceNumber));
  }
  const found: DeliveredMessage[] = [];
  for (let at = 0; at < numbers.length; at += atOnce) {
    const singles = numbers.slice(at, at + atOnce).map(async (number) => {
      const [message] = await receiver.peek({ maxMessages: 1, fromSequenceNumber: number, abortSignal });
      return message?.sequenceNumber === number ? [message] : [];
    });
    found.push(...(await Promise.all(singles)).flat());
  }
  return found;
}

type Place = Map<bigint, SeenPartition>;
