import type { ConnectionBudget } from "./connection-budget.js";

/** Memory shared by many. When it is used up, the member that holds most is evicted, so that small ones can continue. */
export class MemoryPool {
  readonly #limit: number;
  readonly #members = new Set<ConnectionBudget>();
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#members.size;
  }

  /** The member that joined first. */
  get oldest(): ConnectionBudget | undefined {
    return this.#members.values().next().value;
  }

  join(member: ConnectionBudget): void {
    this.#members.add(member);
    this.#held += member.held;
  }

  leave(member: ConnectionBudget): void {
    if (this.#members.delete(member)) this.#held -= member.held;
  }

  /** Takes bytes for a member; returns false if there is no room and the member would hold more than any other. */
  take(member: ConnectionBudget, bytes: number): boolean {
    while (this.#held + bytes > this.#limit) {
      const largest = this.#largest();
      if (largest === undefined || largest === member || largest.held <= member.held + bytes) return false;
      largest.evict();
      this.leave(largest);
    }
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }

  #largest(): ConnectionBudget | undefined {
    let largest: ConnectionBudget | undefined;
    for (const member of this.#members)
      if (largest === undefined || member.held > largest.held) largest = member;
    return largest;
  }
}
