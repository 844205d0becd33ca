/** What can stand in a {@link LinkedSet}, and in one at a time. The set keeps its neighbours here. */
export interface Linked<Item> {
  previous: Item | undefined;
  next: Item | undefined;
}

/**
 * A set in order of insertion for items that come and go with every message. A `Set` makes itself anew after so many of them, and each of
 * its forms leads to the next: when the garbage collector has once taken a form for long-lived, the later ones and all that was in them
 * are kept until its next full run. That cost a fifth of the time.
 */
export class LinkedSet<Item extends Linked<Item>> {
  #first: Item | undefined;
  #last: Item | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(item: Item): boolean {
    return item.previous !== undefined || this.#first === item;
  }

  add(item: Item): void {
    if (this.has(item)) return;
    item.previous = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.next = item;
    this.#last = item;
    this.#size += 1;
  }

  /** Returns whether it was there. */
  delete(item: Item): boolean {
    if (!this.has(item)) return false;
    const { previous, next } = item;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    item.previous = undefined;
    item.next = undefined;
    this.#size -= 1;
    return true;
  }

  clear(): void {
    for (const item of this.toArray()) this.delete(item);
  }

  toArray(): Item[] {
    const items: Item[] = [];
    for (let item = this.#first; item !== undefined; item = item.next) items.push(item);
    return items;
  }
}
