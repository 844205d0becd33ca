import type { MessageStore } from "../entities/message-store.js";
import { takeArrival } from "../entities/sequence-number.js";
import type { Session } from "../entities/session.js";
import { TimerEntry } from "../timing/timing-wheel.js";
import type { ApplicationProperties, MessageState } from "./message.js";
import type { MessageContent } from "./message-content.js";

/**
 * One message in one store. It carries a single timer: its lock's while it is locked, its activation while it is scheduled,
 * else its expiry. A message that moves to another store becomes a new one with the same content.
 */
export class StoredMessage extends TimerEntry {
  readonly store: MessageStore;
  readonly content: MessageContent;
  /** Unique in the store and its order; the upper bits are the partition's in a partitioned entity. */
  readonly sequence: number;
  /** The place in which it is handed out: its sequence number, or that across the partitions of its entity. */
  arrival: number;
  /** The sequence number at the first entity on the way. */
  readonly enqueuedSequence: number;
  readonly enqueuedAtMs: number;
  /** `undefined` for a message that never expires. By the wall clock as it was when the message was enqueued: see `expiryMs`. */
  readonly expiresAtMs: number | undefined;
  /** How far the wall clock was ahead of steady time then. */
  readonly #steppedMs: number;
  /** `gone` once it has left its store, by whatever way. */
  state: MessageState | "gone" = "active";
  /** Whether it waits here because its scheduled time has come. */
  wasScheduled = false;
  /** Failed deliveries so far. */
  deliveryCount = 0;
  /** With `lockSecret` the random bits of the present lock; 0 while the message is not locked. */
  lockSerial = 0;
  lockSecret = 0;
  /** What settlements and rules changed in the application properties; `undefined` removes one. Never changed in place. */
  propertyChanges: ApplicationProperties | undefined = undefined;
  /** The bytes of these changes, as counted while the message is in its store. */
  changeBytes = 0;
  /** The session that the message belongs to, in stores that have sessions. */
  session: Session | undefined = undefined;
  /** How many times it was forwarded automatically. */
  hops = 0;
  /** Path of the entity that dead-lettered it, once it was forwarded from there. */
  deadLetterSource: string | undefined = undefined;
  /** The message that waits behind it in its queue of ready messages. */
  nextReady: StoredMessage | undefined = undefined;

  constructor(
    store: MessageStore,
    content: MessageContent,
    sequence: number,
    enqueuedSequence: number,
    enqueuedAtMs: number,
    lifeMs: number,
  ) {
    super();
    this.store = store;
    this.content = content;
    this.sequence = sequence;
    this.arrival = takeArrival(store.owner, sequence);
    this.enqueuedSequence = enqueuedSequence;
    this.enqueuedAtMs = enqueuedAtMs;
    this.#steppedMs = store.engine.timers.steppedMs;
    this.expiresAtMs = lifeMs === Number.POSITIVE_INFINITY ? undefined : enqueuedAtMs + lifeMs;
  }

  get isLocked(): boolean {
    return this.lockSerial !== 0;
  }

  /** While the message is locked: when that ends. A session's lock covers its messages. */
  get lockedUntilMs(): number | undefined {
    const lock = this.session === undefined ? this : this.session.lock;
    return lock && this.store.engine.timers.instantOf(lock);
  }

  /** When its life is over by the wall clock as it is now: the time it has is not changed by a step. */
  get expiryMs(): number | undefined {
    const { steppedMs } = this.store.engine.timers;
    // As it is where nothing was stepped: another number would take room for as long as a timer holds it.
    if (this.expiresAtMs === undefined || steppedMs === this.#steppedMs) return this.expiresAtMs;
    return this.expiresAtMs + steppedMs - this.#steppedMs;
  }

  /** How long it may live from its enqueuing on; `Infinity` for a message that never expires. */
  get lifeMs(): number {
    return this.expiresAtMs === undefined ? Number.POSITIVE_INFINITY : this.expiresAtMs - this.enqueuedAtMs;
  }

  override onDue(nowMs: number): void {
    this.store.onMessageDue(this, nowMs);
  }
}
