import type { MemoryBudget, MemoryHolder } from "./memory-budget.js";

/** The memory that a connection holds from its budget for its peer. */
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

  free(bytes: number): void {
    if (this.#isReleased) return;
    this.#held -= bytes;
    this.#budget.give(bytes);
  }

  /** Releases everything; nothing can be held afterwards. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.give(this.#held);
  }
}
