import type { MessageStore } from "./message-store.js";
import { OrderedQueue } from "./ordered-queue.js";
import { Session } from "./session.js";
import { SessionIndex } from "./session-index.js";

/** Somebody who waits for any session. */
export interface SessionAcceptor {
  /** Takes the lock of an unlocked session that has messages. */
  accept(session: Session, nowMs: number): void;
  refuse(error: Error): void;
}

/** The sessions of a store, and which of them to accept next: the unlocked one with the oldest waiting message. */
export class SessionTable {
  /** In order of joining; served before anybody who comes later. */
  readonly acceptors = new Set<SessionAcceptor>();
  readonly #store: MessageStore;
  readonly #sessions = new SessionIndex();
  /** Entries may be out of date and are checked when taken. */
  readonly #offers = new OrderedQueue<Session>((session) => session.offeredAt);

  constructor(store: MessageStore) {
    this.#store = store;
  }

  /** How many sessions take memory. */
  get size(): number {
    return this.#sessions.size;
  }

  all(): Iterable<Session> {
    return this.#sessions.all();
  }

  find(id: string): Session | undefined {
    return this.#sessions.find(id);
  }

  /** The session of this id, made if there is none. */
  open(id: string): Session {
    const known = this.#sessions.find(id);
    if (known !== undefined) return known;
    const session = new Session(id, this.#store);
    this.#sessions.add(session);
    return session;
  }

  /** Forgets a session that has no messages, no state and no holder. */
  closeIfEmpty(session: Session): void {
    if (session.messageCount > 0 || session.state !== undefined || session.isLocked) return;
    // A session that emptied while it was being released may have a successor of its id already, which stays.
    this.#sessions.remove(session);
  }

  /** Makes an unlocked session with waiting messages available to the next who accepts any session. */
  offer(session: Session): void {
    if (session.isOffered || session.isLocked) return;
    const oldest = session.peek();
    if (oldest === undefined) return;
    session.isOffered = true;
    session.offeredAt = oldest.arrival;
    this.#offers.push(session);
  }

  /** Takes the unlocked session with the oldest waiting message. */
  takeNext(): Session | undefined {
    for (let session = this.#offers.shift(); session !== undefined; session = this.#offers.shift()) {
      session.isOffered = false;
      const oldest = session.isLocked ? undefined : session.peek();
      if (oldest === undefined) continue;
      if (oldest.arrival <= session.offeredAt) return session;
      this.offer(session);
    }
    return undefined;
  }
}
