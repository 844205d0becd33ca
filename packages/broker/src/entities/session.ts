import { ReadyQueue } from "../collections/ready-queue.js";
import { brokerLimits } from "../errors/limits.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { TimerEntry } from "../timing/timing-wheel.js";
import { Lane } from "./lane.js";
import type { MessageStore } from "./message-store.js";

/** How a session notifies the receiver that holds its lock. */
export interface SessionHolder {
  /** Called when the lock expires: returns whether to renew it, because its holder still waits for messages in receive-and-delete mode. */
  keepsSession(): boolean;
  /** Called when the lock is lost other than by the holder. */
  onSessionLost(error: Error): void;
}

/**
 * One session of a store: the queue of its ready messages, and its state. There may be very many, so each is one small object; what only
 * locked sessions need is in `SessionLock`.
 */
export class Session extends ReadyQueue<StoredMessage> {
  readonly id: string;
  readonly store: MessageStore;
  /** Number of messages of this session in the store, in any state. */
  messageCount = 0;
  lock: SessionLock | undefined = undefined;
  /** Whether it is among the sessions offered to accept next. */
  isOffered = false;
  /** Its position among those: a lower bound of the position of its oldest message. */
  offeredAt = 0;
  /** Changed by `setState` only. */
  state: Uint8Array | undefined = undefined;
  /** When the state was set. */
  updatedAtMs = 0;
  #aside: Set<StoredMessage> | undefined = undefined;

  constructor(id: string, store: MessageStore) {
    super();
    this.id = id;
    this.store = store;
  }

  get isLocked(): boolean {
    return this.lock !== undefined;
  }

  /** Sets the state, whose size counts towards the quota of the entity. */
  setState(state: Uint8Array | undefined, updatedAtMs: number): void {
    this.store.addSessionStateBytes((state?.byteLength ?? 0) - (this.state?.byteLength ?? 0));
    this.state = state;
    this.updatedAtMs = updatedAtMs;
  }

  /** Adds a message that does not become ready by itself: scheduled or deferred. */
  setAside(message: StoredMessage): void {
    this.#aside ??= new Set();
    this.#aside.add(message);
  }

  /** Removes a message that leaves the store; it must not be ready. */
  leave(message: StoredMessage): void {
    this.messageCount--;
    this.lock?.unhold(message);
    this.#aside?.delete(message);
  }

  /** All messages of the session in the store, in no particular order. The session must not change meanwhile. */
  *messages(): Generator<StoredMessage, void, undefined> {
    yield* this.ready();
    // A locked deferred message is already among those set aside.
    if (this.lock !== undefined)
      for (const message of this.lock.held) if (message.state === "active") yield message;
    if (this.#aside !== undefined) yield* this.#aside;
  }
}

/** The lock on a session's present and future messages. Its timer is armed while the lock is held. */
export class SessionLock extends TimerEntry {
  readonly session: Session;
  readonly holder: SessionHolder;
  /** Matches the session's messages with its holder's calls. */
  readonly lane: Lane;
  #held: Set<StoredMessage> | undefined = undefined;

  constructor(session: Session, holder: SessionHolder) {
    super();
    this.session = session;
    this.holder = holder;
    this.lane = new Lane(session, this);
  }

  /** Messages delivered under this lock and not yet settled. */
  get held(): Iterable<StoredMessage> {
    return this.#held ?? [];
  }

  /** Whether too many messages are held, so that some must be settled first: when the lock ends, all return at once. */
  get isShut(): boolean {
    return this.#held !== undefined && this.#held.size >= brokerLimits.heldPerSession;
  }

  /** Adds a delivered message. */
  hold(message: StoredMessage): void {
    this.#held ??= new Set();
    this.#held.add(message);
  }

  /** Removes a message, if it is held. */
  unhold(message: StoredMessage): void {
    const wasShut = this.isShut;
    this.#held?.delete(message);
    if (wasShut) this.session.store.engine.wake(this.lane);
  }

  override onDue(nowMs: number): void {
    this.session.store.engine.onSessionDue(this, nowMs);
  }
}
