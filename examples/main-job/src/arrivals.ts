/** Counts arrivals and lets one caller wait for a number of them. */
export class Arrivals {
  #count = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #wake = () => {};

  /** How many arrived so far. */
  get count(): number {
    return this.#count;
  }

  /** Counts one more. */
  add(): void {
    this.#count++;
    if (this.#count >= this.#wanted) this.#wake();
  }

  /** Resolves with true when `count` have arrived; with false when nothing arrived for `patienceMs`. */
  async reach(count: number, patienceMs: number): Promise<boolean> {
    let seen = -1;
    while (this.#count < count && this.#count !== seen) {
      seen = this.#count;
      await this.#wait(count, patienceMs);
    }
    return this.#count >= count;
  }

  async #wait(count: number, patienceMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#wanted = count;
      this.#wake = resolve;
      timer = setTimeout(resolve, patienceMs);
    });
    clearTimeout(timer);
  }
}
