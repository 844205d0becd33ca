import { type Page, packing } from "./page.js";

interface Numbered {
  readonly sequence: number;
}

interface Block<Message> {
  /** Messages in sequence order; the first `start` elements are empty. */
  items: (Message | undefined)[];
  start: number;
  /** Has the messages instead of `items` until one of them is needed. */
  page: Page<Message> | undefined;
}

/**
 * The messages of a store in sequence order. Appending, finding, removing and iterating from a sequence number take the same time
 * regardless of their number. Consists of sorted blocks, since most messages are added at the end and removed at the front.
 */
export class SequenceIndex<Message extends Numbered> {
  readonly #blocks: Block<Message>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(message: Message): void {
    this.#size++;
    const { sequence } = message;
    const at = this.#blockFor(sequence);
    const block = this.#blocks[at];
    if (block === undefined) {
      this.#blocks.push(blockOf(message));
    } else if (lastOf(block) < sequence) {
      if (block.page === undefined && block.items.length < packing.pageSize) {
        block.items.push(message);
      } else {
        this.#blocks.splice(at + 1, 0, blockOf(message));
      }
    } else {
      const isFull = opened(block).length >= packing.pageSize;
      const upper = isFull ? this.#makeRoom(block, at) : block;
      insert(sequence < firstOf(upper) ? block : upper, message);
    }
  }

  /** The messages of the last block, if it is full, so that the next message begins another, and none of them was removed. */
  get fullBlock(): readonly Message[] | undefined {
    // Not looked for at -1 when there is none: V8 takes that for the name of a property, and searches the prototypes.
    if (this.#size === 0) return undefined;
    const block = this.#blocks[this.#blocks.length - 1];
    const isFull = block !== undefined && block.items.length >= packing.pageSize && block.start === 0;
    return isFull ? (block.items as Message[]) : undefined;
  }

  /** Puts a page in the place of the messages of `fullBlock`. */
  packBlock(page: Page<Message>): void {
    const block = this.#blocks.at(-1);
    if (block === undefined) return;
    block.page = page;
    // Emptied, not replaced: an old array that nothing refers to keeps young messages alive until the next full collection.
    block.items.length = 0;
  }

  find(sequence: number): Message | undefined {
    const block = this.#blocks[this.#blockFor(sequence)];
    if (block === undefined) return undefined;
    const message = opened(block)[positionOf(block, sequence)];
    return message?.sequence === sequence ? message : undefined;
  }

  remove(message: Message): void {
    const at = this.#blockFor(message.sequence);
    const block = this.#blocks[at];
    if (block === undefined) return;
    const items = opened(block);
    const position = positionOf(block, message.sequence);
    if (items[position] !== message) return;
    this.#size--;
    if (position === block.start) {
      items[position] = undefined;
      block.start++;
    } else if (position === items.length - 1) {
      items.pop();
    } else {
      items.splice(position, 1);
    }
    if (block.start === items.length) {
      if (at === 0) this.#blocks.shift();
      else this.#blocks.splice(at, 1);
    }
  }

  /** Iterates over the messages from sequence number `from` on; the store must not change meanwhile. */
  *from(sequence: number): Generator<Message, void, undefined> {
    for (let at = this.#blockFor(sequence); at < this.#blocks.length; at++) {
      const block = this.#blockAt(at);
      const items = opened(block);
      for (let position = positionOf(block, sequence); position < items.length; position++) {
        yield messageAt(block, position);
      }
    }
  }

  /** Like `from`, for reading only: a message that waits in a page is a copy that changes nothing. */
  *read(sequence: number): Generator<Message, void, undefined> {
    for (let at = this.#blockFor(sequence); at < this.#blocks.length; at++) {
      const block = this.#blockAt(at);
      const { items, start } = block.page === undefined ? block : { items: [...block.page.read()], start: 0 };
      const copy = { items, start, page: undefined };
      for (let position = positionOf(copy, sequence); position < items.length; position++) {
        yield messageAt(copy, position);
      }
    }
  }

  /** Index of the last block that starts at or before `sequence`, else the first. Most are looked for in the first or the last. */
  #blockFor(sequence: number): number {
    let low = 1;
    let high = this.#blocks.length - 1;
    if (high <= 0 || sequence < firstOf(this.#blockAt(1))) return 0;
    if (firstOf(this.#blockAt(high)) <= sequence) return high;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (firstOf(this.#blockAt(middle)) <= sequence) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #blockAt(at: number): Block<Message> {
    return this.#blocks[at] as Block<Message>;
  }

  /** Drops the empty front of a full block, else moves its upper half into a new one; returns the block that has what was the upper half. */
  #makeRoom(block: Block<Message>, at: number): Block<Message> {
    const { items, start } = block;
    if (start > 0) {
      block.items = items.slice(start);
      block.start = 0;
      return block;
    }
    const half = items.length >>> 1;
    block.items = items.slice(0, half);
    const upper = { items: items.slice(half), start: 0, page: undefined };
    this.#blocks.splice(at + 1, 0, upper);
    return upper;
  }
}

function blockOf<Message>(message: Message): Block<Message> {
  return { items: [message], start: 0, page: undefined };
}

/** The messages of a block, as objects of their own. */
function opened<Message>(block: Block<Message>): (Message | undefined)[] {
  if (block.page !== undefined) {
    block.items = block.page.take().slice();
    block.page = undefined;
  }
  return block.items;
}

function firstOf(block: Block<Numbered>): number {
  return block.page === undefined ? messageAt(block, block.start).sequence : block.page.first;
}

function lastOf(block: Block<Numbered>): number {
  return block.page === undefined ? messageAt(block, block.items.length - 1).sequence : block.page.last;
}

/** No check, because this is a hot path: from `start` on, every element is a message. */
function messageAt<Message>({ items }: Block<Message>, position: number): Message {
  return items[position] as Message;
}

/** The index of `sequence` in a block without page, or where to insert it. */
function positionOf(block: Block<Numbered>, sequence: number): number {
  const { items, start } = block;
  if (messageAt(block, start).sequence >= sequence) return start;
  let low = start + 1;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (messageAt(block, middle).sequence < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert<Message extends Numbered>(block: Block<Message>, message: Message): void {
  block.items.splice(positionOf(block, message.sequence), 0, message);
}
