/** Somebody who holds memory of a pool. */
export interface PoolMember {
  /** In bytes. */
  readonly held: number;
  /** Gives all of it back, because somebody else needs it and this one holds most. */
  evict(): void;
}

/** Memory that many share. When it is used up, whoever holds most has to go, so that those who hold little go on. */
export class MemoryPool {
  readonly #limit: number;
  readonly #members = new Set<PoolMember>();
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes held by all. */
  get held(): number {
    return this.#held;
  }

  get size(): number {
    return this.#members.size;
  }

  /** The member who has been here longest. */
  get oldest(): PoolMember | undefined {
    return this.#members.values().next().value;
  }

  join(member: PoolMember): void {
    this.#members.add(member);
    this.#held += member.held;
  }

  leave(member: PoolMember): void {
    if (this.#members.delete(member)) this.#held -= member.held;
  }

  /** Counts bytes in that a member is about to hold; false when it would then hold more than anybody else and there is no room. */
  take(member: PoolMember, bytes: number): boolean {
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

  #largest(): PoolMember | undefined {
    let largest: PoolMember | undefined;
    for (const member of this.#members)
      if (largest === undefined || member.held > largest.held) largest = member;
    return largest;
  }
}
