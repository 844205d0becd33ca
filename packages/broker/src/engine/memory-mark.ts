import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

/** What a broker holds in memory, in bytes. */
export interface MemoryUse {
  /** In the heap of JavaScript. */
  readonly heapBytes: number;
  /** Outside of it: bodies, and states of sessions. */
  readonly bodyBytes: number;
}

/** What all brokers of the process together may hold, in bytes. */
export type MemoryLimits = MemoryUse & { readonly totalBytes: number };

/** What things cost in the heap, in bytes: measured on Node.js 20 and rounded up. What messages are made of comes on top. */
export const HEAP_COSTS = Object.freeze({ message: 480, session: 320, duplicate: 320, rule: 2048 });

/** How much of the heap messages may take: what they are worked on with, and what else the process does, need the rest. */
const HEAP_SHARE = 0.6;
/** How much of the machine's or container's memory heap and bodies may take. */
const MEMORY_SHARE = 0.7;
/** What is used is looked at whenever it may have grown by this share of the limit. */
const STEP = 1 / 64;
/** One entity has at most so many times as much as is left, so that there is room for those that hold little. */
const MOST_OF_REST = 8;
/** The heap is nearly used up, which it also is before garbage is collected: it counts when a good part of it is messages. */
const NEARLY_FULL = 0.92;
const GOOD_PART = 0.25;

/** The limits that the process itself sets: its heap, and the memory of its machine or container. */
export function memoryLimits(): MemoryLimits {
  const heapBytes = getHeapStatistics().heap_size_limit * HEAP_SHARE;
  const constrained = process.constrainedMemory?.() ?? 0;
  const total = totalmem();
  const memory = constrained > 0 && constrained < total ? constrained : total;
  return { heapBytes, bodyBytes: Number.POSITIVE_INFINITY, totalBytes: memory * MEMORY_SHARE };
}

/** All brokers of the process that somebody still has. */
const all = new Set<WeakRef<MemoryMark>>();

/**
 * Tells when a broker should take nothing more, because the brokers of its process together hold as much as there is memory for; and what holds
 * most before what holds little. It adds up only now and then.
 */
export class MemoryMark {
  readonly #use: () => MemoryUse;
  readonly #limits: MemoryLimits;
  readonly #step: number;
  readonly #self = new WeakRef(this);
  #slack = 0;
  /** What was left when it was added up last; less than nothing when nothing was. */
  #left: MemoryUse = { heapBytes: 0, bodyBytes: 0 };

  /** `use` says what the broker holds at present. */
  constructor(use: () => MemoryUse, limits: MemoryLimits) {
    this.#use = use;
    this.#limits = limits;
    this.#step = Math.min(limits.heapBytes, limits.totalBytes) * STEP;
    all.add(this.#self);
  }

  /** Counts what the broker takes in, roughly. */
  grow(bytes: number): void {
    this.#slack -= bytes;
  }

  /** Whether so many bytes more should not be taken in for an entity that holds so much. */
  isReachedBy(holder: MemoryUse, bytes: number): boolean {
    if (this.#slack > 0 && this.#leavesRoom(holder, bytes)) return false;
    this.#look();
    return this.#slack <= 0 || !this.#leavesRoom(holder, bytes);
  }

  #leavesRoom({ heapBytes, bodyBytes }: MemoryUse, bytes: number): boolean {
    const taken = this.#step - this.#slack;
    return (
      heapBytes <= MOST_OF_REST * (this.#left.heapBytes - taken) &&
      heapBytes + bodyBytes <= MOST_OF_REST * (this.#left.bodyBytes - taken - bytes)
    );
  }

  #look(): void {
    const { heapBytes, bodyBytes } = useOfAll();
    const { heapBytes: mostHeap, totalBytes: most } = this.#limits;
    this.#left = { heapBytes: mostHeap - heapBytes, bodyBytes: most - heapBytes - bodyBytes };
    const isUsedUp = this.#left.heapBytes <= 0 || this.#left.bodyBytes <= 0 || isHeapFull(heapBytes);
    this.#slack = isUsedUp ? 0 : this.#step;
  }

  /** The broker is closed, and holds nothing any more. */
  close(): void {
    all.delete(this.#self);
  }

  /** What the broker holds at present. */
  get use(): MemoryUse {
    return this.#use();
  }
}

function useOfAll(): MemoryUse {
  let heapBytes = 0;
  let bodyBytes = 0;
  for (const reference of all) {
    const use = reference.deref()?.use;
    if (use === undefined) all.delete(reference);
    else {
      heapBytes += use.heapBytes;
      bodyBytes += use.bodyBytes;
    }
  }
  return { heapBytes, bodyBytes };
}

function isHeapFull(ofMessages: number): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used >= limit * NEARLY_FULL && ofMessages >= limit * GOOD_PART;
}
