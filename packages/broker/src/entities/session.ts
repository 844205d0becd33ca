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
  /** Messages handed out under the present session lock and not yet settled. */
  readonly held = new Set<StoredMessage>();
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

  constructor(id: string, store: MessageStore, nowMs: number) {
    super();
    this.id = id;
    this.store = store;
    this.updatedAtMs = nowMs;
  }

  get isLocked(): boolean {
    return this.holder !== undefined;
  }

  override onDue(nowMs: number): void {
    this.store.onSessionDue(this, nowMs);
  }
}
