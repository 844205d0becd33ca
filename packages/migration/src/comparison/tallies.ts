/** Counts by key, up to a maximum number of keys; everything beyond is counted together. */
export class Tallies<Tally extends { count: number }> {
  readonly #tallies = new Map<string, Tally>();
  readonly #maxKeys: number;
  /** How often a key beyond the maximum was counted. */
  uncounted = 0;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  /** Counts one, and returns the tally of its key; undefined for a key beyond the maximum. */
  count(key: string, makeTally: () => Tally): Tally | undefined {
    let tally = this.#tallies.get(key);
    if (tally === undefined) {
      if (this.#tallies.size >= this.#maxKeys) {
        this.uncounted++;
        return undefined;
      }
      tally = makeTally();
      this.#tallies.set(key, tally);
    }
    tally.count++;
    return tally;
  }

  /** The most frequent first. */
  sorted(): readonly Tally[] {
    return [...this.#tallies.values()].sort((a, b) => b.count - a.count);
  }

  clear(): void {
    this.#tallies.clear();
    this.uncounted = 0;
  }
}
