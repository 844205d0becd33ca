import { OrderedQueue } from "../collections/ordered-queue.js";
import { SessionIndex } from "../collections/session-index.js";
import type { MessageStore } from "./message-store.js";
import { Session } from "./session.js";

/** A caller that waits for any session. */
export interface SessionAcceptor {
  /** Takes the lock of an unlocked session with messages. */
  accept(session: Session, nowMs: number): void;
  refuse(error: Error): void;
}

/** The sessions of a store, and which to accept next: the unlocked one with the oldest waiting message. */
export class SessionTable {
  /** In order of joining; served before later callers. */
  readonly acceptors = new Set<SessionAcceptor>();
  readonly #store: MessageStore;
  readonly #sessions = new SessionIndex<Session>();
  /** May contain outdated entries, which are checked when taken. */
  readonly #offers = new OrderedQueue<Session>((session) => session.offeredAt);

  constructor(store: MessageStore) {
    this.#store = store;
  }

  /** The number of sessions in memory. */
  get size(): number {
    return this.#sessions.size;
  }

  all(): Iterable<Session> {
    return this.#sessions.all();
  }

  find(id: string): Session | undefined {
    return this.#sessions.find(id);
  }

  /** The session with this id; creates it if needed. */
  open(id: string): Session {
    const known = this.#sessions.find(id);
    if (known !== undefined) return known;
    const session = new Session(id, this.#store);
    this.#sessions.add(session);
    return session;
  }

  /** Removes a session without messages, state or holder. */
  closeIfEmpty(session: Session): void {
    if (session.messageCount > 0 || session.state !== undefined || session.isLocked) return;
    // A session that became empty while it was released may already have been replaced by a new one of the same id, which stays.
    this.#sessions.remove(session);
  }

  /** Offers an unlocked session with waiting messages to the next caller that accepts any session. */
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
