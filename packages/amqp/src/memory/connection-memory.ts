import type { MemoryBudget, MemoryHolder } from "./memory-budget.js";

/** What a connection holds of its budget on behalf of its peer, until it is over. */
export class ConnectionMemory implements MemoryHolder {
  readonly #budget: MemoryBudget;
  #held = 0;
  #isReleased = false;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  hold(bytes: number): boolean {
    if (this.#isReleased || !this.#budget.take(bytes)) return false;
    this.#held += bytes;
    return true;
  }

  letGo(bytes: number): void {
    if (this.#isReleased) return;
    this.#held -= bytes;
    this.#budget.give(bytes);
  }

  /** Gives all of it back; from now on nothing can be held. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.give(this.#held);
  }
}
