import { BROKER_LIMITS } from "../errors/limits.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { TimerEntry } from "../timing/timing-wheel.js";
import { Lane } from "./lane.js";
import type { MessageStore } from "./message-store.js";
import { ReadyQueue } from "./ready-queue.js";

/** What a session tells the receiver that holds its lock. */
export interface SessionHolder {
  /** Asked when the lock's time is over: whether the lock starts again, because its holder waits for messages that it will not settle. */
  keepsSession(): boolean;
  /** Called when the lock is lost without the holder's doing. */
  onSessionLost(error: Error): void;
}

/**
 * One session of a store: the queue of its ready messages, and its state. Sessions that only wait are many, so each is one small object:
 * what only a locked one needs is its lock's.
 */
export class Session extends ReadyQueue {
  readonly id: string;
  readonly store: MessageStore;
  /** Messages of this session in the store, in any state. */
  messageCount = 0;
  lock: SessionLock | undefined = undefined;
  /** Whether the table of sessions has this one among those to accept next. */
  isOffered = false;
  /** Its place among those, a lower bound of its oldest message's. */
  offeredAt = 0;
  #state: Uint8Array | undefined = undefined;
  #updatedAtMs = 0;
  #aside: Set<StoredMessage> | undefined = undefined;

  constructor(id: string, store: MessageStore) {
    super();
    this.id = id;
    this.store = store;
  }

  get isLocked(): boolean {
    return this.lock !== undefined;
  }

  get state(): Uint8Array | undefined {
    return this.#state;
  }

  /** When the state was set. */
  get updatedAtMs(): number {
    return this.#updatedAtMs;
  }

  /** Sets the state, whose bytes count against the quota of the entity. */
  setState(state: Uint8Array | undefined, updatedAtMs: number): void {
    this.store.countState((state?.byteLength ?? 0) - (this.#state?.byteLength ?? 0));
    this.#state = state;
    this.#updatedAtMs = updatedAtMs;
  }

  /** Notes a message that does not become ready by itself: a scheduled or a deferred one. */
  setAside(message: StoredMessage): void {
    this.#aside ??= new Set();
    this.#aside.add(message);
  }

  /** Counts a message out that leaves the store; it must not be ready. */
  leave(message: StoredMessage): void {
    this.messageCount--;
    this.lock?.letGo(message);
    this.#aside?.delete(message);
  }

  /** All of its messages in the store, in no particular order. The session must not change meanwhile. */
  *messages(): Generator<StoredMessage, void, undefined> {
    yield* this.ready();
    // A deferred message that is locked is among those set aside.
    if (this.lock !== undefined)
      for (const message of this.lock.held) if (message.state === "active") yield message;
    if (this.#aside !== undefined) yield* this.#aside;
  }
}

/** The lock over a session's present and future messages. Its timer is armed while it lasts. */
export class SessionLock extends TimerEntry {
  readonly session: Session;
  readonly holder: SessionHolder;
  /** Where the session's messages meet its holder's calls. */
  readonly lane: Lane;
  #held: Set<StoredMessage> | undefined = undefined;

  constructor(session: Session, holder: SessionHolder) {
    super();
    this.session = session;
    this.holder = holder;
    this.lane = new Lane(session, this);
  }

  /** Messages handed out under this lock and not yet settled. */
  get held(): Iterable<StoredMessage> {
    return this.#held ?? [];
  }

  /** Whether so many are held that some have to be settled first: all of them come back at once when the lock ends. */
  get isShut(): boolean {
    return this.#held !== undefined && this.#held.size >= BROKER_LIMITS.heldPerSession;
  }

  /** Notes that a message was handed out. */
  hold(message: StoredMessage): void {
    this.#held ??= new Set();
    this.#held.add(message);
  }

  /** Notes that a message is not held any more, if it was. */
  letGo(message: StoredMessage): void {
    const wasShut = this.isShut;
    this.#held?.delete(message);
    if (wasShut) this.session.store.engine.wake(this.lane);
  }

  override onDue(nowMs: number): void {
    this.session.store.onSessionDue(this, nowMs);
  }
}
