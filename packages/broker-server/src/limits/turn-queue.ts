import type { TurnTaker, Usage } from "./turns.js";

interface Entry {
  readonly taker: TurnTaker;
  rank: number;
}

/**
 * Takers waiting for a turn. The group that has used least comes first, and within it the taker that has used least. Takes time linear in
 * the number of groups and logarithmic in the number of takers.
 */
export class TurnQueue {
  readonly #heaps = new Map<Usage | undefined, Entry[]>();
  readonly #members = new Set<TurnTaker>();

  get size(): number {
    return this.#members.size;
  }

  /** A taker that already waits is not added again. */
  add(taker: TurnTaker): void {
    if (this.#members.has(taker)) return;
    this.#members.add(taker);
    const { group } = taker.usage;
    let heap = this.#heaps.get(group);
    if (heap === undefined) {
      heap = [];
      this.#heaps.set(group, heap);
    }
    heap.push({ taker, rank: taker.usage.rank });
    rise(heap, heap.length - 1);
  }

  /** Removes the next taker. */
  next(): TurnTaker | undefined {
    let least: [group: Usage | undefined, heap: Entry[]] | undefined;
    let leastRank = Number.POSITIVE_INFINITY;
    for (const [group, heap] of this.#heaps) {
      const [first] = heap;
      if (first === undefined) continue;
      // A taker without a group is its own group.
      const rank = group?.rank ?? first.rank;
      if (least !== undefined && rank >= leastRank) continue;
      least = [group, heap];
      leastRank = rank;
    }
    if (least === undefined) return undefined;
    const [group, heap] = least;
    const taker = this.#takeFrom(heap);
    if (heap.length === 0) this.#heaps.delete(group);
    return taker;
  }

  /**
   * A taker whose usage has grown since it began to wait, by another taker with the same usage, is moved behind those that now come first.
   */
  #takeFrom(heap: Entry[]): TurnTaker | undefined {
    for (let first = heap[0]; first !== undefined; first = heap[0]) {
      const { rank } = first.taker.usage;
      if (rank > first.rank) {
        first.rank = rank;
        sink(heap);
        if (heap[0] !== first) continue;
      }
      const last = heap.pop();
      if (last !== undefined && last !== first) {
        heap[0] = last;
        sink(heap);
      }
      this.#members.delete(first.taker);
      return first.taker;
    }
    return undefined;
  }
}

function rise(heap: Entry[], start: number): void {
  const entry = heap[start];
  if (entry === undefined) return;
  let at = start;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || parent.rank <= entry.rank) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = entry;
}

function sink(heap: Entry[]): void {
  const [entry] = heap;
  if (entry === undefined) return;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    const left = heap[below];
    const right = heap[below + 1];
    if (left === undefined) break;
    const child = right !== undefined && right.rank < left.rank ? right : left;
    if (child === right) below++;
    if (child.rank >= entry.rank) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = entry;
}
