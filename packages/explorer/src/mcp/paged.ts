/** A piece of a list, and where the next one begins; `next` is absent at the end. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly next?: number;
}

/** A piece of a list. */
export function pageOf<Item>(list: readonly Item[], from: number, max: number): Page<Item> {
  const items = list.slice(from, from + max);
  const next = from + items.length;
  return { items, total: list.length, ...(next < list.length && { next }) };
}
