const blockSize = 128;

interface Numbered {
  readonly sequence: number;
}

interface Block<Message> {
  /** Messages in sequence order; the first `start` elements are empty. */
  items: (Message | undefined)[];
  start: number;
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
      this.#blocks.push({ items: [message], start: 0 });
      return;
    }
    const { items } = block;
    if (messageAt(block, items.length - 1).sequence < sequence) {
      if (items.length < blockSize) items.push(message);
      else this.#blocks.splice(at + 1, 0, { items: [message], start: 0 });
      return;
    }
    if (items.length >= blockSize) {
      const upper = this.#split(block, at);
      insert(sequence < first(upper) ? block : upper, message);
    } else {
      insert(block, message);
    }
  }

  find(sequence: number): Message | undefined {
    const block = this.#blocks[this.#blockFor(sequence)];
    if (block === undefined) return undefined;
    const message = block.items[positionOf(block, sequence)];
    return message?.sequence === sequence ? message : undefined;
  }

  remove(message: Message): void {
    const at = this.#blockFor(message.sequence);
    const block = this.#blocks[at];
    if (block === undefined) return;
    const position = positionOf(block, message.sequence);
    if (block.items[position] !== message) return;
    this.#size--;
    if (position === block.start) {
      block.items[position] = undefined;
      block.start++;
    } else if (position === block.items.length - 1) {
      block.items.pop();
    } else {
      block.items.splice(position, 1);
    }
    if (block.start === block.items.length) {
      if (at === 0) this.#blocks.shift();
      else this.#blocks.splice(at, 1);
    }
  }

  /** Iterates over the messages from sequence number `from` on; the store must not change meanwhile. */
  *from(sequence: number): Generator<Message, void, undefined> {
    for (let at = this.#blockFor(sequence); at < this.#blocks.length; at++) {
      const block = this.#blockAt(at);
      for (let position = positionOf(block, sequence); position < block.items.length; position++) {
        yield messageAt(block, position);
      }
    }
  }

  /** Index of the last block that starts at or before `sequence`, else the first. */
  #blockFor(sequence: number): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    if (high > 0 && first(this.#blockAt(high)) <= sequence) return high;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (first(this.#blockAt(middle)) <= sequence) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #blockAt(at: number): Block<Message> {
    return this.#blocks[at] as Block<Message>;
  }

  /** Moves the upper half of a block into a new one, and returns it. */
  #split(block: Block<Message>, at: number): Block<Message> {
    const live = block.items.slice(block.start);
    const half = live.length >>> 1;
    block.items = live.slice(0, half);
    block.start = 0;
    const upper = { items: live.slice(half), start: 0 };
    this.#blocks.splice(at + 1, 0, upper);
    return upper;
  }
}

function first(block: Block<Numbered>): number {
  return messageAt(block, block.start).sequence;
}

/** No check, because this is a hot path: from `start` on, every element is a message. */
function messageAt<Message>({ items }: Block<Message>, position: number): Message {
  return items[position] as Message;
}

/** The index of `sequence`, or where to insert it. */
function positionOf(block: Block<Numbered>, sequence: number): number {
  const { items, start } = block;
  if (first(block) >= sequence) return start;
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
