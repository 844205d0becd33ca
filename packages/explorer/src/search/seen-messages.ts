import { setImmediate } from "node:timers/promises";
import type { DeserializationOutcome } from "@waybill/core";
import {
  type DeliveredMessage,
  type EntityAddress,
  entityPathOf,
  type TransportReceiver,
} from "@waybill/core/transport";
import type { ExplorerContext } from "../options/explorer-options.js";
import { partitionEnd, partitionOf } from "../reads/partitions.js";
import { readMessage } from "../reads/peek.js";
import { type Clue, textEnd } from "./clues.js";
import { rememberedTexts } from "./message-texts.js";

/** A message, and what the chain makes of it. */
export type ReadMessage = readonly [message: DeliveredMessage, outcome: DeserializationOutcome];

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
  readonly abortSignal?: AbortSignal | undefined;
}

/** How many characters of all messages are remembered; what does not fit is read again each time. */
const maxChars = 256 * 1024 * 1024;
/** The texts of a longer message are not remembered: it is read each time. */
const maxCharsOfOne = 64 * 1024;
const pageSize = 250;
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
  readonly #budget = { left: maxChars };

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
      const partition = place.get(key) ?? new Partition(this.#budget);
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
    partition: Partition,
    { mayBeMeant, abortSignal }: PassOptions,
  ): AsyncGenerator<Step> {
    const numbers = [...partition.numbers];
    for (let begin = 0; begin < numbers.length; begin += pageSize) {
      abortSignal?.throwIfAborted();
      const page = numbers.slice(begin, begin + pageSize);
      const meant = page.filter((number) => partition.mayBe(number, mayBeMeant));
      const there = await peekThese(receiver, meant, abortSignal);
      const read = await this.#readAll(there, abortSignal);
      // Other requests have their turn, also while nothing is read.
      if (there.length === 0) await setImmediate();
      yield { read, passed: page.length, remembered: page.length - meant.length };
    }
  }

  /** Peeks the next page while one is read. */
  async *#passUnread(
    receiver: TransportReceiver,
    partition: Partition,
    { mayBeMeant, from, end, abortSignal }: PassOptions & { readonly from: bigint; readonly end: bigint },
  ): AsyncGenerator<Step> {
    const peek = (fromSequenceNumber: bigint) =>
      receiver.peek({ maxMessages: pageSize, fromSequenceNumber, abortSignal });
    for (let next = peek(from); ; ) {
      const page = await next;
      const own = page.filter(({ sequenceNumber }) => sequenceNumber < end);
      const last = own.at(-1);
      if (last === undefined) return;
      next = own.length < page.length ? Promise.resolve([]) : peek(last.sequenceNumber + 1n);
      // Nobody may wait for it any more when it fails.
      next.catch(() => {});
      const read = await this.#readAll(own, abortSignal);
      for (const each of read) partition.remember(...each);
      const meant = read.filter(([{ sequenceNumber }]) => partition.mayBe(sequenceNumber, mayBeMeant));
      yield { read: meant, passed: own.length, remembered: 0 };
    }
  }

  async #readAll(
    messages: readonly DeliveredMessage[],
    abortSignal: AbortSignal | undefined,
  ): Promise<ReadMessage[]> {
    const read: ReadMessage[] = [];
    for (const message of messages)
      read.push([message, await readMessage(this.#context, message, { abortSignal })]);
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

type Place = Map<bigint, Partition>;

/** A message that is remembered. */
interface Seen {
  readonly enqueuedAt: number;
  /** Undefined if they are not kept. */
  readonly texts: string | undefined;
}

/** The messages of one partition in order, from its first one on. An entity without partitions is one. */
class Partition {
  readonly #seen = new Map<bigint, Seen>();
  readonly #budget: { left: number };
  #last: bigint | undefined;

  constructor(budget: { left: number }) {
    this.#budget = budget;
  }

  get numbers(): Iterable<bigint> {
    return this.#seen.keys();
  }

  /** The number from which on nothing is remembered. */
  get next(): bigint | undefined {
    return this.#last === undefined ? undefined : this.#last + 1n;
  }

  /** Whether a message may be meant. */
  mayBe(number: bigint, mayBeMeant: Clue): boolean {
    const texts = this.#seen.get(number)?.texts;
    return texts === undefined || mayBeMeant(texts);
  }

  /**
   * Forgets what was before the message that is its first one now. If that cannot be, everything: numbers never come again, so it is another entity
   * of the same name.
   */
  beginAt(first: DeliveredMessage): void {
    const { sequenceNumber } = first;
    const known = this.#seen.get(sequenceNumber);
    const isSame =
      known === undefined ? sequenceNumber > (this.#last ?? -1n) : known.enqueuedAt === timeOf(first);
    for (const [number, { texts }] of this.#seen) {
      if (isSame && number >= sequenceNumber) break;
      this.#seen.delete(number);
      this.#budget.left += texts?.length ?? 0;
    }
    if (this.#seen.size === 0) this.#last = undefined;
  }

  /** Remembers the next message; without room for its texts, only that it is there. */
  remember(message: DeliveredMessage, outcome: DeserializationOutcome): void {
    // Another search may have been faster.
    if (message.sequenceNumber <= (this.#last ?? -1n)) return;
    const all = textsOf(message, outcome);
    const texts = (all?.length ?? 0) > this.#budget.left ? undefined : all;
    this.#budget.left -= texts?.length ?? 0;
    this.#seen.set(message.sequenceNumber, { enqueuedAt: timeOf(message), texts });
    this.#last = message.sequenceNumber;
  }
}

/** Undefined if the message is to be read each time: it is large, or what it needs to be read was not available. */
function textsOf(message: DeliveredMessage, outcome: DeserializationOutcome): string | undefined {
  if (outcome.status === "unavailable" || outcome.report.bytes > maxCharsOfOne) return undefined;
  const texts = rememberedTexts(message, outcome);
  const joined = texts.join(textEnd);
  const isAmbiguous = texts.some((text) => text.includes(textEnd));
  return joined.length > maxCharsOfOne || isAmbiguous ? undefined : joined;
}

function timeOf({ enqueuedTimeUtc }: DeliveredMessage): number {
  return enqueuedTimeUtc?.getTime() ?? 0;
}
