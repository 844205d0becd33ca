import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

/** What a broker holds in memory, in bytes. */
export interface MemoryUse {
  /** In the JavaScript heap. */
  readonly heapBytes: number;
  /** Outside the heap: bodies and session states. */
  readonly bodyBytes: number;
}

/** Limits of all brokers of the process together, in bytes. */
export type MemoryLimits = MemoryUse & { readonly totalBytes: number };

/** Heap cost per object in bytes, measured on Node.js 20 and rounded up. The content of messages is added. */
export const heapCosts = Object.freeze({ message: 480, session: 320, duplicate: 320, rule: 2048 });

/** Share of the heap that messages may use: processing them, and the rest of the process, need the remainder. */
const heapShare = 0.6;
/** Share of the machine's or container's memory that heap and bodies may use. */
const memoryShare = 0.7;
/** Usage is measured again whenever it may have grown by this share of the limit. */
const step = 1 / 64;
/** One entity may use at most this multiple of the remaining memory, so that small ones get room. */
const maxMultipleOfRest = 8;
/** The heap may look nearly full only because garbage is not collected yet: that counts only if messages are a considerable part of it. */
const nearlyFull = 0.92;
const considerablePart = 0.25;

/** The limits set by the process: its heap, and the memory of the machine or container. */
export function memoryLimits(): MemoryLimits {
  const heapBytes = getHeapStatistics().heap_size_limit * heapShare;
  const constrained = process.constrainedMemory?.() ?? 0;
  const total = totalmem();
  const memory = constrained > 0 && constrained < total ? constrained : total;
  return { heapBytes, bodyBytes: Number.POSITIVE_INFINITY, totalBytes: memory * memoryShare };
}

/** All brokers of the process that are still referenced. */
const all = new Set<WeakRef<MemoryMark>>();

/**
 * Decides when a broker must refuse more data because the brokers of the process together reach the memory limit; the largest entities are
 * refused first. It measures only occasionally.
 */
export class MemoryMark {
  readonly #use: () => MemoryUse;
  readonly #limits: MemoryLimits;
  readonly #step: number;
  readonly #self = new WeakRef(this);
  #slack = 0;
  /** Memory left at the last measurement; negative if the limit was exceeded. */
  #left: MemoryUse = { heapBytes: 0, bodyBytes: 0 };

  /** `use` returns the broker's current usage. */
  constructor(use: () => MemoryUse, limits: MemoryLimits) {
    this.#use = use;
    this.#limits = limits;
    this.#step = Math.min(limits.heapBytes, limits.totalBytes) * step;
    all.add(this.#self);
  }

  /** Counts added bytes, approximately. */
  grow(bytes: number): void {
    this.#slack -= bytes;
  }

  /** Whether `bytes` more must be refused for an entity that uses `heapBytes` and `bodyBytes` already. */
  isReachedBy(heapBytes: number, bodyBytes: number, bytes: number): boolean {
    if (this.#slack > 0 && this.#leavesRoom(heapBytes, bodyBytes, bytes)) return false;
    this.#measure();
    return this.#slack <= 0 || !this.#leavesRoom(heapBytes, bodyBytes, bytes);
  }

  #leavesRoom(heapBytes: number, bodyBytes: number, bytes: number): boolean {
    const taken = this.#step - this.#slack;
    return (
      heapBytes <= maxMultipleOfRest * (this.#left.heapBytes - taken) &&
      heapBytes + bodyBytes <= maxMultipleOfRest * (this.#left.bodyBytes - taken - bytes)
    );
  }

  #measure(): void {
    const { heapBytes, bodyBytes } = useOfAll();
    const { heapBytes: maxHeapBytes, totalBytes: maxTotalBytes } = this.#limits;
    this.#left = { heapBytes: maxHeapBytes - heapBytes, bodyBytes: maxTotalBytes - heapBytes - bodyBytes };
    const isUsedUp = this.#left.heapBytes <= 0 || this.#left.bodyBytes <= 0 || isHeapFull(heapBytes);
    this.#slack = isUsedUp ? 0 : this.#step;
  }

  /** Stops counting a closed broker. */
  close(): void {
    all.delete(this.#self);
  }

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
  return used >= limit * nearlyFull && ofMessages >= limit * considerablePart;
}
