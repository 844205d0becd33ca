import { MinHeap } from "./min-heap.js";

/**
 * Items in order of their keys, optimised for mostly ascending keys: these are appended to a ring; only items that arrive out of order use
 * a heap.
 */
export class OrderedQueue<Item> {
  readonly #keyOf: (item: Item) => number;
  #ring: (Item | undefined)[] = [];
  #head = 0;
  #length = 0;
  #lastKey = -1;
  #late: MinHeap<Item> | undefined;

  constructor(keyOf: (item: Item) => number) {
    this.#keyOf = keyOf;
  }

  push(item: Item): void {
    const key = this.#keyOf(item);
    if (key > this.#lastKey) {
      this.#lastKey = key;
      this.#append(item);
    } else {
      this.#late ??= new MinHeap(this.#keyOf);
      this.#late.push(item);
    }
  }

  /** The item with the smallest key, without removing it. */
  peek(): Item | undefined {
    const first = this.#length > 0 ? this.#ring[this.#head] : undefined;
    const late = this.#late?.peek();
    if (late === undefined) return first;
    return first === undefined || this.#keyOf(late) < this.#keyOf(first) ? late : first;
  }

  /** Removes the item with the smallest key. */
  shift(): Item | undefined {
    const item = this.peek();
    if (item === undefined) return undefined;
    if (this.#late?.peek() === item) this.#late.pop();
    else this.#dropFirst();
    return item;
  }

  #append(item: Item): void {
    if (this.#length === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#length) & (this.#ring.length - 1)] = item;
    this.#length++;
  }

  /** The ring's size is a power of two, so that positions wrap by masking. */
  #grow(): void {
    const { length } = this.#ring;
    const next: (Item | undefined)[] = new Array(length === 0 ? 4 : length * 2).fill(undefined);
    for (let i = 0; i < this.#length; i++) next[i] = this.#ring[(this.#head + i) & (length - 1)];
    this.#ring = next;
    this.#head = 0;
  }

  #dropFirst(): void {
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#length--;
    if (this.#length === 0 && this.#ring.length > 1024) this.#ring = [];
  }
}
