import type { Session } from "./session.js";

const SMALLEST = 64;

/**
 * The sessions of a store by id, in order of entering. In a `Map` of 100,000 ids a look-up walks from key to key through memory that no
 * cache holds, which is the greater part of what a cycle among so many sessions costs more; here it compares numbers that lie side
 * by side.
 */
export class SessionIndex {
  /** Open addressing: pairs of an id's hash and one more than its session's place, 0 where a slot is empty. At most three quarters are used. */
  #slots = new Int32Array(2 * SMALLEST);
  /** In order of entering. One that left keeps its place, empty, until the table is made again. */
  #sessions: (Session | undefined)[] = [];
  /** Differs from run to run, so that nobody can choose ids that all share a hash. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 0;

  /** How many sessions there are, those included that left since the table was made. */
  get size(): number {
    return this.#sessions.length;
  }

  find(id: string): Session | undefined {
    const place = this.#placeOf(id);
    return place < 0 ? undefined : this.#sessions[place];
  }

  /** Enters a session; there must be none of its id. */
  add(session: Session): void {
    if (this.#sessions.length >= (this.#slots.length / 2) * 0.75) this.#rebuild();
    write(this.#slots, this.#hash(session.id), this.#sessions.push(session));
  }

  /** Takes a session out; nothing happens if it is not in here. */
  remove(session: Session): void {
    const place = this.#placeOf(session.id);
    if (place < 0 || this.#sessions[place] !== session) return;
    this.#sessions[place] = undefined;
  }

  /** All sessions in order of entering; those that enter meanwhile may be left out. */
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

  /** Makes a table with room for as many sessions again, without the places of those that left. It goes by the hashes that it has: ids lie far apart. */
  #rebuild(): void {
    const former = this.#slots;
    const places = this.#closeGaps();
    let count = SMALLEST;
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

  /** Takes the places of those that left from the list, and returns one more than the new place for each old one, 0 where nobody is. */
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

/** Writes a hash and one more than a place into the next slots that are empty. */
function write(slots: Int32Array, hash: number, place: number): void {
  const mask = slots.length - 1;
  let at = (hash * 2) & mask;
  while (slots[at + 1] !== 0) at = (at + 2) & mask;
  slots[at] = hash;
  slots[at + 1] = place;
}
