import { serialDistance } from "./serial.js";

/** Ids per block; small, so that scattered ids cost little. */
const blockSize = 32;

interface Block<T> {
  /** Its first id divided by `blockSize`. */
  readonly number: number;
  readonly items: (T | undefined)[];
  live: number;
}

/** A range of positions, iterated by {@link DeliveryIndex.next}. */
export interface DeliveryRange {
  from: number;
  readonly to: number;
}

/**
 * Deliveries by id, in order. Iterating a range costs only what it contains, however wide it is. Ids are 32-bit serial numbers; a position
 * is the same number without wrap-around.
 */
export class DeliveryIndex<T> {
  readonly #blocks: Block<T>[] = [];
  /** The position of the latest id. */
  #latest = 0;
  size = 0;

  /** Adds a delivery, unless its id is in use: then returns the existing one. */
  add(id: number, item: T): T | undefined {
    const place = this.#placeOf(id);
    const number = Math.floor(place / blockSize);
    const at = this.#blockAt(number);
    let block = this.#blocks[at];
    if (block?.number !== number) {
      block = { number, items: new Array(blockSize).fill(undefined), live: 0 };
      this.#blocks.splice(at, 0, block);
    }
    const offset = place - number * blockSize;
    const present = block.items[offset];
    if (present !== undefined) return present;
    block.items[offset] = item;
    block.live++;
    this.size++;
    this.#latest = place;
    return undefined;
  }

  /** Removes a delivery; returns false if there is none with this id. */
  delete(id: number): boolean {
    const place = this.#placeOf(id);
    const number = Math.floor(place / blockSize);
    const at = this.#blockAt(number);
    const block = this.#blocks[at];
    const offset = place - number * blockSize;
    if (block?.number !== number || block.items[offset] === undefined) return false;
    block.items[offset] = undefined;
    this.size--;
    if (--block.live === 0) this.#dropBlock(at);
    return true;
  }

  /** The positions of `length` ids from `first` on. */
  range(first: number, length: number): DeliveryRange {
    const from = this.#placeOf(first);
    return { from, to: from + length };
  }

  /** The next delivery of a range, which then continues after it. Deliveries may be added and removed between calls. */
  next(range: DeliveryRange): T | undefined {
    let at = this.#blockAt(Math.floor(range.from / blockSize));
    for (let block = this.#blocks[at]; block !== undefined; block = this.#blocks[++at]) {
      const start = block.number * blockSize;
      if (start >= range.to) break;
      const end = Math.min(blockSize, range.to - start);
      for (let offset = Math.max(0, range.from - start); offset < end; offset++) {
        const item = block.items[offset];
        if (item === undefined) continue;
        range.from = start + offset + 1;
        return item;
      }
    }
    range.from = range.to;
    return undefined;
  }

  /** Removes every delivery for which `isOver` returns true. */
  sweep(isOver: (item: T) => boolean): void {
    for (const block of this.#blocks) {
      for (let offset = 0; offset < blockSize; offset++) {
        const item = block.items[offset];
        if (item === undefined || !isOver(item)) continue;
        block.items[offset] = undefined;
        block.live--;
        this.size--;
      }
    }
    const left = this.#blocks.filter(({ live }) => live > 0);
    this.#blocks.length = 0;
    for (const block of left) this.#blocks.push(block);
  }

  clear(): void {
    this.#blocks.length = 0;
    this.size = 0;
  }

  #dropBlock(at: number): void {
    if (at === 0) this.#blocks.shift();
    else this.#blocks.splice(at, 1);
  }

  /** The position of an id: the one nearest to the latest. */
  #placeOf(id: number): number {
    return this.#latest + serialDistance(this.#latest >>> 0, id);
  }

  /** The index of the block with this number, or where to insert it. Most lookups want the last block or one of the first. */
  #blockAt(number: number): number {
    const blocks = this.#blocks;
    const first = blocks[0];
    const last = blocks[blocks.length - 1];
    if (first === undefined || last === undefined || first.number >= number) return 0;
    if (last.number <= number) return last.number === number ? blocks.length - 1 : blocks.length;
    let low = 1;
    let high = blocks.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((blocks[middle] as Block<T>).number < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
