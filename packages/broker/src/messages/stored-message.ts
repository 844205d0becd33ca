import type { Page } from "../collections/page.js";
import type { MessageStore } from "../entities/message-store.js";
import { takeArrival } from "../entities/numbering.js";
import type { Session } from "../entities/session.js";
import { TimerEntry } from "../timing/timing-wheel.js";
import type { ApplicationProperties, MessageState } from "./message.js";
import type { MessageContent } from "./message-content.js";
import type { MessageLock } from "./message-lock.js";

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

/** What only messages have that were scheduled, forwarded, changed or sent to a partitioned entity. */
interface Past extends Omit<Carried, "content"> {
  /** Absent where messages are delivered in the order of their sequence numbers. */
  readonly arrival: number | undefined;
}

/** Of most messages: one object for all of them, since each field of a message counts in the memory of a long queue. */
const noPast: Past = Object.freeze({
  propertyChanges: undefined,
  enqueuedSequence: undefined,
  wasScheduled: false,
  hops: 0,
  deadLetterSource: undefined,
  arrival: undefined,
});

/** The timer of a message that is not locked: for its activation or its expiry. */
class MessageTimer extends TimerEntry {
  readonly #message: StoredMessage;

  constructor(message: StoredMessage) {
    super();
    this.#message = message;
  }

  override onDue(nowMs: number): void {
    this.#message.store.engine.onMessageDue(this.#message, nowMs);
  }
}

/**
 * One message in one store. Most wait for nothing, and there may be very many: what only some of them have is in objects of its own. A
 * message that moves to another store becomes a new one with the same content.
 */
export class StoredMessage {
  readonly store: MessageStore;
  readonly content: MessageContent;
  /** Unique and ascending within the store; in a partitioned entity the upper bits are the partition. */
  readonly sequence: number;
  readonly enqueuedAtMs: number;
  /** `undefined` for a message that never expires. By the wall clock at enqueuing; compare `expiryMs` with the current time instead. */
  readonly expiresAtMs: number | undefined;
  /** How far the wall clock was ahead of steady time at enqueuing. */
  readonly #steppedMs: number;
  /** `gone` after it has left its store for any reason. */
  state: MessageState | "gone" = "active";
  /** Failed deliveries so far. */
  deliveryCount = 0;
  /** The current lock. */
  lock: MessageLock | undefined = undefined;
  /** Its session, in stores with sessions. */
  session: Session | undefined = undefined;
  /** What follows it in its ready queue. */
  nextReady: StoredMessage | Page<StoredMessage> | undefined = undefined;
  /** Replaced, never modified. */
  #past: Past;
  #timer: MessageTimer | undefined = undefined;

  constructor(store: MessageStore, carried: Carried, sequence: number, enqueuedAtMs: number, lifeMs: number) {
    this.store = store;
    this.content = carried.content;
    this.sequence = sequence;
    this.enqueuedAtMs = enqueuedAtMs;
    this.#steppedMs = store.engine.timers.steppedMs;
    this.expiresAtMs = lifeMs === Number.POSITIVE_INFINITY ? undefined : enqueuedAtMs + lifeMs;
    this.#past = pastOf(store, carried, sequence);
  }

  /** Its position in the delivery order: its sequence number, or in a partitioned entity its order of arrival. */
  get arrival(): number {
    return this.#past.arrival ?? this.sequence;
  }

  set arrival(arrival: number) {
    if (arrival !== this.arrival) this.#past = { ...this.#past, arrival };
  }

  /** The sequence number in the first entity it was sent to. */
  get enqueuedSequence(): number {
    return this.#past.enqueuedSequence ?? this.sequence;
  }

  /** Whether it became active at its scheduled time. */
  get wasScheduled(): boolean {
    return this.#past.wasScheduled;
  }

  /** Application properties changed by settlements and rules; `undefined` means removed. Replaced, never modified. */
  get propertyChanges(): ApplicationProperties | undefined {
    return this.#past.propertyChanges;
  }

  set propertyChanges(propertyChanges: ApplicationProperties | undefined) {
    this.#past = { ...this.#past, propertyChanges };
  }

  /** How many times it was forwarded automatically. */
  get hops(): number {
    return this.#past.hops;
  }

  /** Path of the entity that dead-lettered it, after it was forwarded from there. */
  get deadLetterSource(): string | undefined {
    return this.#past.deadLetterSource;
  }

  /** Whether it waits for its first delivery and has, beside its content, only what each message has: its number and its time. */
  get isUntouched(): boolean {
    return (
      this.state === "active" &&
      this.deliveryCount === 0 &&
      this.lock === undefined &&
      this.session === undefined &&
      this.expiresAtMs === undefined &&
      this.#timer === undefined &&
      this.#past === noPast
    );
  }

  get isLocked(): boolean {
    return this.lock !== undefined;
  }

  /** When the lock expires. A session's lock covers its messages. */
  get lockedUntilMs(): number | undefined {
    const lock = this.session === undefined ? this.lock : this.session.lock;
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

  /** When its timer is due, by the current wall clock; undefined while it is not armed. */
  get dueMs(): number | undefined {
    const timer = this.lock ?? this.#timer;
    return timer === undefined || timer.timerSlot < 0 ? undefined : this.store.engine.timers.instantOf(timer);
  }

  /** Arms its only timer: for the end of its lock while it is locked, for its activation while it is scheduled, else for its expiry. */
  arm(dueMs: number): void {
    const { timers } = this.store.engine;
    if (this.lock !== undefined) {
      timers.arm(this.lock, dueMs);
    } else {
      this.#timer ??= new MessageTimer(this);
      timers.arm(this.#timer, dueMs);
    }
  }

  /** Disarms its timer. */
  disarm(): void {
    const timer = this.lock ?? this.#timer;
    if (timer !== undefined) this.store.engine.timers.disarm(timer);
  }
}

function pastOf(store: MessageStore, carried: Carried, sequence: number): Past {
  const { propertyChanges, hops, deadLetterSource } = carried;
  const enqueuedSequence = carried.enqueuedSequence === sequence ? undefined : carried.enqueuedSequence;
  const wasScheduled = carried.wasScheduled && store.kind === "main";
  const place = takeArrival(store.owner, sequence);
  const arrival = place === sequence ? undefined : place;
  const isUntouched =
    propertyChanges === undefined &&
    enqueuedSequence === undefined &&
    !wasScheduled &&
    hops === 0 &&
    deadLetterSource === undefined &&
    arrival === undefined;
  if (isUntouched) return noPast;
  return { propertyChanges, enqueuedSequence, wasScheduled, hops, deadLetterSource, arrival };
}
