const bucketCount = 10;

/** Counts what happened within a window of time that moves on, in tenths of it. Takes no more memory for more of it. */
export class RecentCount {
  readonly #bucketMs: number;
  readonly #buckets = new Uint32Array(bucketCount);
  /** The number of the newest bucket since 1970. */
  #newest = 0;

  constructor(windowMs: number) {
    this.#bucketMs = windowMs / bucketCount;
  }

  add(nowMs: number): void {
    const at = this.#moveTo(nowMs);
    this.#buckets[at] = (this.#buckets[at] ?? 0) + 1;
  }

  /** How often within the last window, give or take a tenth of it. */
  total(nowMs: number): number {
    this.#moveTo(nowMs);
    return this.#buckets.reduce((sum, count) => sum + count, 0);
  }

  #moveTo(nowMs: number): number {
    const bucket = Math.floor(nowMs / this.#bucketMs);
    // A clock that steps back counts on in the newest bucket.
    for (let steps = 0; this.#newest < bucket && steps < bucketCount; steps += 1) {
      this.#newest = Math.max(this.#newest + 1, bucket - bucketCount + 1);
      this.#buckets[this.#newest % bucketCount] = 0;
    }
    return this.#newest % bucketCount;
  }
}
