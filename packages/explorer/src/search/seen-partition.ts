import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { type Clue, textEnd } from "./clues.js";
import { rememberedTexts } from "./message-texts.js";

/** A message, and what the chain makes of it. */
export type ReadMessage = readonly [message: DeliveredMessage, outcome: DeserializationOutcome];

/** How many characters may still be remembered. */
export interface CharBudget {
  left: number;
}

/** The texts of a longer message are not remembered: it is read each time. */
const maxCharsOfOne = 64 * 1024;

/** The messages of one partition in order, from its first one on. An entity without partitions is one. */
export class SeenPartition {
  readonly #pages: SeenPage[] = [];
  readonly #budget: CharBudget;
  #last: bigint | undefined;

  constructor(budget: CharBudget) {
    this.#budget = budget;
  }

  get pages(): readonly SeenPage[] {
    return this.#pages;
  }

  /** The number from which on nothing is remembered. */
  get next(): bigint | undefined {
    return this.#last === undefined ? undefined : this.#last + 1n;
  }

  /**
   * Forgets what was before the message that is its first one now. If that cannot be, everything: numbers never come again, so it is another entity
   * of the same name.
   */
  beginAt(first: DeliveredMessage): void {
    const { sequenceNumber } = first;
    const known = this.#enqueuedAt(sequenceNumber);
    const isSame = known === undefined ? sequenceNumber > (this.#last ?? -1n) : known === timeOf(first);
    const kept = this.#pages.findIndex(({ last }) => isSame && last >= sequenceNumber);
    const gone = this.#pages.splice(0, kept === -1 ? this.#pages.length : kept);
    for (const { chars } of gone) this.#budget.left += chars;
    this.#pages[0]?.beginAt(sequenceNumber);
    if (this.#pages.length === 0) this.#last = undefined;
  }

  /** Remembers the next messages; without room for their texts, only that they are there. Returns the page of what was read. */
  remember(read: readonly ReadMessage[]): SeenPage {
    const page = new SeenPage(read, this.#budget.left);
    // Another search may have been faster.
    const unknown = read.filter(([{ sequenceNumber }]) => sequenceNumber > (this.#last ?? -1n));
    const added = unknown.length === read.length ? page : new SeenPage(unknown, this.#budget.left);
    if (unknown.length === 0) return page;
    this.#budget.left -= added.chars;
    this.#pages.push(added);
    this.#last = added.last;
    return page;
  }

  #enqueuedAt(number: bigint): number | undefined {
    return this.#pages.find(({ last }) => last >= number)?.enqueuedAt(number);
  }
}

/**
 * Messages that were read together. Their texts are one string, and their numbers lie outside of the heap: of hundreds of thousands of messages, the
 * garbage collector sees a thousand objects.
 */
export class SeenPage {
  readonly #numbers: BigUint64Array;
  readonly #times: Float64Array;
  /** The texts of all messages, one after another. */
  readonly #texts: string;
  /** Where those of each message end. */
  readonly #ends: Uint32Array;
  /** Those whose texts are not kept. */
  readonly #unkept = new Set<number>();
  /** The first one that is still there. */
  #begin = 0;

  constructor(read: readonly ReadMessage[], maxChars: number) {
    this.#numbers = new BigUint64Array(read.length);
    this.#times = new Float64Array(read.length);
    this.#ends = new Uint32Array(read.length);
    const kept: string[] = [];
    let chars = 0;
    for (const [index, [message, outcome]] of read.entries()) {
      const texts = textsOf(message, outcome, maxChars - chars);
      if (texts === undefined) this.#unkept.add(index);
      for (const text of texts ?? []) {
        kept.push(text);
        chars += text.length + textEnd.length;
      }
      this.#numbers[index] = message.sequenceNumber;
      this.#times[index] = timeOf(message);
      this.#ends[index] = chars;
    }
    this.#texts = kept.length === 0 ? "" : `${kept.join(textEnd)}${textEnd}`;
  }

  /** How many characters it remembers, also of messages that have left. */
  get chars(): number {
    return this.#texts.length;
  }

  get count(): number {
    return this.#numbers.length - this.#begin;
  }

  get last(): bigint {
    return this.#numbers.at(-1) ?? 0n;
  }

  /** When a message was enqueued; undefined if it is not one of these. */
  enqueuedAt(number: bigint): number | undefined {
    const index = this.#numbers.indexOf(number, this.#begin);
    return index === -1 ? undefined : this.#times[index];
  }

  /** Forgets the messages before a number. */
  beginAt(number: bigint): void {
    while ((this.#numbers[this.#begin] ?? number) < number) this.#begin++;
  }

  /** The numbers of those messages that may be meant. */
  meant(mayBeMeant: Clue): bigint[] {
    return this.#meant(mayBeMeant).map((index) => this.#numbers[index] ?? 0n);
  }

  /** Those of the messages that may be meant; they are the ones that the page was made of. */
  meantOf(read: readonly ReadMessage[], mayBeMeant: Clue): ReadMessage[] {
    return this.#meant(mayBeMeant).flatMap((index) => read.slice(index, index + 1));
  }

  #meant(mayBeMeant: Clue): number[] {
    // Most pages have no such text at all.
    const hasSome = mayBeMeant(this.#texts);
    const found: number[] = [];
    for (let index = this.#begin; index < this.#numbers.length; index++)
      if (this.#unkept.has(index) || (hasSome && mayBeMeant(this.#textsAt(index)))) found.push(index);
    return found;
  }

  #textsAt(index: number): string {
    return this.#texts.slice(this.#ends[index - 1] ?? 0, this.#ends[index]);
  }
}

/** Undefined if the message is to be read each time: it is large, or what it needs to be read was not available. */
function textsOf(
  message: DeliveredMessage,
  outcome: DeserializationOutcome,
  maxChars: number,
): string[] | undefined {
  if (outcome.status === "unavailable" || outcome.report.bytes > maxCharsOfOne) return undefined;
  const texts = rememberedTexts(message, outcome);
  let charsLeft = Math.min(maxChars, maxCharsOfOne);
  for (const text of texts) {
    charsLeft -= text.length + textEnd.length;
    if (charsLeft < 0 || text.includes(textEnd)) return undefined;
  }
  return texts;
}

function timeOf({ enqueuedTimeUtc }: DeliveredMessage): number {
  return enqueuedTimeUtc?.getTime() ?? 0;
}
