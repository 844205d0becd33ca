const smallest = 64;

/**
 * The sessions of a store by id, in order of insertion. A `Map` with 100,000 ids follows pointers through memory that no cache holds, which
 * dominates the cost of session cycles; this index compares adjacent numbers.
 */
export class SessionIndex<Session extends { readonly id: string }> {
  /**
   * Open addressing: pairs of an id's hash and its index in `#sessions` plus one; 0 marks an empty slot. At most three quarters are used.
   */
  #slots = new Int32Array(2 * smallest);
  /** In order of insertion. A removed session leaves a gap until the table is rebuilt. */
  #sessions: (Session | undefined)[] = [];
  /** Random per process, so that attackers cannot choose ids with equal hashes. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 0;

  /** The number of sessions, including those removed since the table was rebuilt. */
  get size(): number {
    return this.#sessions.length;
  }

  find(id: string): Session | undefined {
    const place = this.#placeOf(id);
    return place < 0 ? undefined : this.#sessions[place];
  }

  /** Adds a session; its id must be new. */
  add(session: Session): void {
    if (this.#sessions.length >= (this.#slots.length / 2) * 0.75) this.#rebuild();
    write(this.#slots, this.#hash(session.id), this.#sessions.push(session));
  }

  /** Removes a session; does nothing if it is not in the index. */
  remove(session: Session): void {
    const place = this.#placeOf(session.id);
    if (place < 0 || this.#sessions[place] !== session) return;
    this.#sessions[place] = undefined;
  }

  /** All sessions in order of insertion; sessions added meanwhile may be missing. */
  *all(): Generator<Session, void, undefined> {
    for (const session of this.#sessions) if (session !== undefined) yield session;
  }

  #placeOf(id: string): number {
    const slots = this.#slots;
    const sessions = this.#sessions;
    const hash = this.#hash(id);
    const mask = slots.length - 1;
    for (let at = (hash * 2) & mask; ; at = (at + 2) & mask) {
      const place = (slots[at + 1] ?? 0) - 1;
      if (place < 0) return -1;
      if (slots[at] === hash && sessions[place]?.id === id) return place;
    }
  }

  /** Rebuilds the table with double the room and without gaps. It reuses the stored hashes: the ids themselves are scattered in memory. */
  #rebuild(): void {
    const former = this.#slots;
    const places = this.#closeGaps();
    let count = smallest;
    while (count * 0.375 < this.#sessions.length) count *= 2;
    const slots = new Int32Array(2 * count);
    for (let from = 0; from < former.length; from += 2) {
      const hash = former[from];
      const place = former[from + 1];
      if (hash === undefined || place === undefined || place === 0) continue;
      const moved = places[place - 1];
      if (moved !== undefined && moved !== 0) write(slots, hash, moved);
    }
    this.#slots = slots;
  }

  /** Removes the gaps, and returns the new index plus one for each old index, 0 for a gap. */
  #closeGaps(): Int32Array {
    const former = this.#sessions;
    const places = new Int32Array(former.length);
    const kept: Session[] = [];
    for (let place = 0; place < former.length; place++) {
      const session = former[place];
      if (session !== undefined) places[place] = kept.push(session);
    }
    this.#sessions = kept;
    return places;
  }

  /** FNV-1a over UTF-16 units, in 30 bits; its upper bits are better than its lower ones. */
  #hash(id: string): number {
    let value = this.#seed;
    for (let i = 0; i < id.length; i++) value = Math.imul(value ^ id.charCodeAt(i), 0x01000193);
    return (value ^ (value >>> 15)) & 0x3fffffff;
  }
}

/** Writes a hash and an index plus one into the next empty slot. */
function write(slots: Int32Array, hash: number, place: number): void {
  const mask = slots.length - 1;
  let at = (hash * 2) & mask;
  while (slots[at + 1] !== 0) at = (at + 2) & mask;
  slots[at] = hash;
  slots[at + 1] = place;
}
