/** A binary heap that returns the item with the smallest key first. Items with equal keys have no particular order. */
export class MinHeap<Item> {
  readonly #keyOf: (item: Item) => number;
  #items: Item[] = [];

  constructor(keyOf: (item: Item) => number) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    const key = this.#keyOf(item);
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      const above = items[parent];
      if (above === undefined || this.#keyOf(above) <= key) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): Item | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    const key = this.#keyOf(last);
    let at = 0;
    for (let child = 1; child < items.length; child = at * 2 + 1) {
      let below = items[child];
      const right = child + 1 < items.length ? items[child + 1] : undefined;
      if (below === undefined) break;
      if (right !== undefined && this.#keyOf(right) < this.#keyOf(below)) {
        below = right;
        child++;
      }
      if (this.#keyOf(below) >= key) break;
      items[at] = below;
      at = child;
    }
    items[at] = last;
    return top;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items.values();
  }

  /** Keeps only the items for which `passes` returns true. */
  retain(passes: (item: Item) => boolean): void {
    const kept = this.#items.filter(passes);
    this.#items = [];
    for (const item of kept) this.push(item);
  }
}
