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
  /** In order of entering. One that left keeps its place, empty, until the table is made anew. */
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
    this.#enter(session);
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
    for (let at = (hash * 2) & mask; slots[at + 1] !== 0; at = (at + 2) & mask) {
      const place = slots[at + 1]! - 1;
      if (slots[at] === hash && sessions[place]?.id === id) return place;
    }
    return -1;
  }

  #enter(session: Session): void {
    const slots = this.#slots;
    const hash = this.#hash(session.id);
    const mask = slots.length - 1;
    let at = (hash * 2) & mask;
    while (slots[at + 1] !== 0) at = (at + 2) & mask;
    slots[at] = hash;
    slots[at + 1] = this.#sessions.push(session);
  }

  /** Makes a table with room for as many sessions again, without the places of those that left. */
  #rebuild(): void {
    const sessions = [...this.all()];
    let count = SMALLEST;
    while (count * 0.375 < sessions.length) count *= 2;
    this.#slots = new Int32Array(2 * count);
    this.#sessions = [];
    for (const session of sessions) this.#enter(session);
  }

  /** FNV-1a over UTF-16 units, in 30 bits; its upper bits are better than its lower ones. */
  #hash(id: string): number {
    let value = this.#seed;
    for (let i = 0; i < id.length; i++) value = Math.imul(value ^ id.charCodeAt(i), 0x01000193);
    return (value ^ (value >>> 15)) & 0x3fffffff;
  }
}
