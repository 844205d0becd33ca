import type { MessageStore } from "../entities/message-store.js";
import { takeArrival } from "../entities/numbering.js";
import type { Session } from "../entities/session.js";
import { TimerEntry } from "../timing/timing-wheel.js";
import type { ApplicationProperties, MessageState } from "./message.js";
import type { MessageContent } from "./message-content.js";

/** What a message keeps on its way from store to store. */
export interface Carried {
  readonly content: MessageContent;
  readonly propertyChanges: ApplicationProperties | undefined;
  /** Absent until the first entity assigned its sequence number. */
  readonly enqueuedSequence: number | undefined;
  /** Whether it was scheduled. */
  readonly wasScheduled: boolean;
  readonly hops: number;
  readonly deadLetterSource: string | undefined;
}

/**
 * One message in one store. It has a single timer: for its lock while it is locked, for its activation while it is scheduled, else for its
 * expiry. A message that moves to another store becomes a new one with the same content.
 */
export class StoredMessage extends TimerEntry {
  readonly store: MessageStore;
  readonly content: MessageContent;
  /** Unique and ascending within the store; in a partitioned entity the upper bits are the partition. */
  readonly sequence: number;
  /** Its position in the delivery order: its sequence number, or in a partitioned entity its order of arrival. */
  arrival: number;
  /** The sequence number in the first entity it was sent to. */
  readonly enqueuedSequence: number;
  readonly enqueuedAtMs: number;
  /** `undefined` for a message that never expires. By the wall clock at enqueuing; compare `expiryMs` with the current time instead. */
  readonly expiresAtMs: number | undefined;
  /** How far the wall clock was ahead of steady time at enqueuing. */
  readonly #steppedMs: number;
  /** `gone` after it has left its store for any reason. */
  state: MessageState | "gone" = "active";
  /** Whether it became active at its scheduled time. */
  wasScheduled = false;
  /** Failed deliveries so far. */
  deliveryCount = 0;
  /** With `lockSecret` the random bits of the current lock; 0 while the message is not locked. */
  lockSerial = 0;
  lockSecret = 0;
  /** Application properties changed by settlements and rules; `undefined` means removed. Replaced, never modified. */
  propertyChanges: ApplicationProperties | undefined = undefined;
  /** Its session, in stores with sessions. */
  session: Session | undefined = undefined;
  /** How many times it was forwarded automatically. */
  hops = 0;
  /** Path of the entity that dead-lettered it, after it was forwarded from there. */
  deadLetterSource: string | undefined = undefined;
  /** The next message in its ready queue. */
  nextReady: StoredMessage | undefined = undefined;

  constructor(store: MessageStore, carried: Carried, sequence: number, enqueuedAtMs: number, lifeMs: number) {
    super();
    this.store = store;
    this.content = carried.content;
    this.sequence = sequence;
    this.arrival = takeArrival(store.owner, sequence);
    this.enqueuedSequence = carried.enqueuedSequence ?? sequence;
    this.enqueuedAtMs = enqueuedAtMs;
    this.#steppedMs = store.engine.timers.steppedMs;
    this.expiresAtMs = lifeMs === Number.POSITIVE_INFINITY ? undefined : enqueuedAtMs + lifeMs;
    this.propertyChanges = carried.propertyChanges;
    this.hops = carried.hops;
    this.deadLetterSource = carried.deadLetterSource;
    this.wasScheduled = carried.wasScheduled && store.kind === "main";
  }

  get isLocked(): boolean {
    return this.lockSerial !== 0;
  }

  /** When the lock expires. A session's lock covers its messages. */
  get lockedUntilMs(): number | undefined {
    const lock = this.session === undefined ? this : this.session.lock;
    return lock && this.store.engine.timers.instantOf(lock);
  }

  /** When it expires by the current wall clock: a step of the clock does not change its remaining time. */
  get expiryMs(): number | undefined {
    const { steppedMs } = this.store.engine.timers;
    // Returns the same number if the clock was not stepped: a new one would allocate memory while a timer holds it.
    if (this.expiresAtMs === undefined || steppedMs === this.#steppedMs) return this.expiresAtMs;
    return this.expiresAtMs + steppedMs - this.#steppedMs;
  }

  /** Time to live from its enqueuing on; `Infinity` for a message that never expires. */
  get lifeMs(): number {
    return this.expiresAtMs === undefined ? Number.POSITIVE_INFINITY : this.expiresAtMs - this.enqueuedAtMs;
  }

  override onDue(nowMs: number): void {
    this.store.engine.onMessageDue(this, nowMs);
  }
}
