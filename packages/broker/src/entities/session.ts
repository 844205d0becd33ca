import type { StoredMessage } from "../messages/stored-message.js";
import { TimerEntry } from "../timing/timing-wheel.js";
import { Lane } from "./lane.js";
import type { MessageStore } from "./message-store.js";

/** What a session tells the receiver that holds its lock. */
export interface SessionHolder {
  /** Called when the lock is lost without the holder's doing. */
  onSessionLost(error: Error): void;
}

/** One session of a store: its messages in order, its state, and the lock over present and future messages. */
export class Session extends TimerEntry {
  readonly id: string;
  readonly store: MessageStore;
  readonly lane = new Lane();
  state: Uint8Array | undefined = undefined;
  updatedAtMs: number;
  /** Messages of this session in the store, in any state. */
  messageCount = 0;
  holder: SessionHolder | undefined = undefined;
  lockedUntilMs = 0;
  /** Whether the table of sessions has this one among those to accept next. */
  isOffered = false;
  /** Its place among those, a lower bound of its oldest message's. */
  offeredAt = 0;
  /** Made when it is needed: sessions that only wait are many. */
  #held: Set<StoredMessage> | undefined = undefined;

  constructor(id: string, store: MessageStore, nowMs: number) {
    super();
    this.id = id;
    this.store = store;
    this.updatedAtMs = nowMs;
  }

  get isLocked(): boolean {
    return this.holder !== undefined;
  }

  /** Messages handed out under the present session lock and not yet settled. */
  get held(): Iterable<StoredMessage> {
    return this.#held ?? [];
  }

  /** Notes that a message was handed out. */
  hold(message: StoredMessage): void {
    this.#held ??= new Set();
    this.#held.add(message);
  }

  /** Notes that a message is not held any more, if it was. */
  letGo(message: StoredMessage): void {
    this.#held?.delete(message);
  }

  override onDue(nowMs: number): void {
    this.store.onSessionDue(this, nowMs);
  }
}
