const bucketCount = 10;

/** Counts events within a sliding window of time, with a resolution of a tenth of it. Its memory does not grow with the number of events. */
export class RecentCount {
  readonly #bucketMs: number;
  readonly #buckets = new Uint32Array(bucketCount);
  /** The index of the newest bucket, counted since 1970. */
  #newest = 0;

  constructor(windowMs: number) {
    this.#bucketMs = windowMs / bucketCount;
  }

  add(nowMs: number): void {
    const at = this.#moveTo(nowMs);
    this.#buckets[at] = (this.#buckets[at] ?? 0) + 1;
  }

  /** The number of events within the last window, accurate to a tenth of the window. */
  total(nowMs: number): number {
    this.#moveTo(nowMs);
    return this.#buckets.reduce((sum, count) => sum + count, 0);
  }

  #moveTo(nowMs: number): number {
    const bucket = Math.floor(nowMs / this.#bucketMs);
    // When the clock is set back, events count in the newest bucket.
    for (let steps = 0; this.#newest < bucket && steps < bucketCount; steps++) {
      this.#newest = Math.max(this.#newest + 1, bucket - bucketCount + 1);
      this.#buckets[this.#newest % bucketCount] = 0;
    }
    return this.#newest % bucketCount;
  }
}
