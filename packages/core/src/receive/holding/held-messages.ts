import type { Scheduler, Timer } from "@waybill/foundation";
import type { DeliveredMessage } from "../../contracts/transport.js";
import type { Unavailable, Undeserializable } from "../../message/outcome.js";
import type { UndeserializableEvent } from "../../message/undeserializable-event.js";
import type { Circuit, Opening } from "../circuit-breaker/circuit.js";
import type { Delivery } from "../delivery/delivery.js";
import type { LockRenewal } from "../delivery/lock-renewal.js";
import type { ReceiverContext } from "../delivery/receiver-context.js";

/** A message that waits to be read again; locked unless it was received in receive-and-delete mode. */
export interface HeldMessage {
  readonly delivered: DeliveredMessage;
  readonly delivery: Delivery | undefined;
  readonly outcome: Undeserializable | Unavailable;
  /** The circuit that holds it; undefined if it waits for an unavailable dependency. */
  readonly circuit: Circuit | undefined;
  /** The circuit's opening that holds it. */
  readonly opening: Opening | undefined;
  /** Frees its place in the transport, which can then deliver another message. */
  readonly free: () => void;
  /** Whether it was reported as held: it is reported once, however often it is read again. */
  isReported: boolean;
}

/** The message to hold because of this event. */
export function heldMessage(
  { breaker }: ReceiverContext,
  {
    delivered,
    delivery,
    free,
    isReported,
  }: Pick<HeldMessage, "delivered" | "delivery" | "free" | "isReported">,
  { message: { failure: outcome } }: UndeserializableEvent,
): HeldMessage {
  const circuit =
    outcome.status === "undeserializable" ? breaker?.openCircuitOf(delivered, outcome.report) : undefined;
  return { delivered, delivery, outcome, circuit, opening: circuit?.opening, free, isReported };
}

/** Whether the circuit that holds a message has closed, or closed and opened again, so that the message has to be read again. */
export function isCircuitOver({ circuit, opening }: HeldMessage): boolean {
  return circuit?.opening !== opening;
}

/** Dependencies and limits of a list of held messages. */
export interface HeldMessagesSettings {
  readonly scheduler: Scheduler;
  readonly renewal: LockRenewal;
  /** How many of them free their places in the transport; further ones keep theirs, so that it delivers fewer messages. */
  readonly maxMessages: number;
  /** How long until they are read again, in milliseconds, by the number of failed attempts. */
  readonly delayMs: (attempts: number) => number;
  /** Called before they are read again. */
  readonly onRetry: () => void;
  /** Reads a message again; resolves when it is handled or held again. */
  readonly readAgain: (message: HeldMessage) => Promise<void>;
  /** Called when all of them were read. */
  readonly onEmpty: () => void;
}

/** Further messages also keep their places once the bodies without places take this many bytes together. */
const maxBytes = 64 * 1024 * 1024;

/** Messages that are kept locked and read again at intervals or on demand. */
export class HeldMessages {
  readonly #settings: HeldMessagesSettings;
  readonly #messages = new Set<HeldMessage>();
  readonly #freed = new Set<HeldMessage>();
  #freedBytes = 0;
  #attempts = 0;
  #timer: Timer | undefined;
  #isReading = false;
  #isReadingWanted = false;
  #isClosed = false;

  constructor(settings: HeldMessagesSettings) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#messages.size;
  }

  /** Those that keep their places in the transport. */
  get inPlaces(): readonly HeldMessage[] {
    return [...this.#messages].filter((message) => !this.#freed.has(message));
  }

  has(message: HeldMessage): boolean {
    return this.#messages.has(message);
  }

  /** Whether one more message would free its place. */
  hasRoomFor(message: HeldMessage): boolean {
    const { maxMessages } = this.#settings;
    const bytes = this.#freedBytes + bytesOf(message);
    // A single body may be larger than the limit.
    return this.#freed.size < maxMessages && (bytes <= maxBytes || this.#freed.size === 0);
  }

  /** Holds a message; its place is freed if there is room for it without one. */
  add(message: HeldMessage): void {
    const { delivery } = message;
    // However long that takes: if its lock ended, the broker would deliver it again and count the delivery.
    if (delivery !== undefined) this.#settings.renewal.track(delivery, Number.POSITIVE_INFINITY);
    this.#messages.add(message);
    if (delivery !== undefined && this.hasRoomFor(message)) this.#free(message);
    // While all are read, this one waits for the timer that is armed at the end.
    if (!this.#isReading) this.#arm();
  }

  /** Removes a message; the place of another may be freed instead. Returns whether it was held. */
  delete(message: HeldMessage): boolean {
    if (!this.#messages.delete(message)) return false;
    if (this.#freed.delete(message)) this.#freedBytes -= bytesOf(message);
    for (const other of this.inPlaces) {
      if (other.delivery !== undefined && this.hasRoomFor(other)) this.#free(other);
    }
    return true;
  }

  /** Reads all messages again now; once more if it is called while they are being read. */
  async readAgain(): Promise<void> {
    // A circuit may close while they are being read for another reason: those read before that would wait for the whole interval.
    this.#isReadingWanted = true;
    if (this.#isReading) return;
    this.#isReading = true;
    this.#disarm();
    while (this.#isReadingWanted && !this.#isClosed) {
      this.#isReadingWanted = false;
      await this.#readOnce();
    }
    this.#isReading = false;
    this.#arm();
  }

  /** Stops reading and returns the messages that are left; the caller has to free their places. */
  close(): HeldMessage[] {
    this.#isClosed = true;
    this.#disarm();
    const left = [...this.#messages];
    this.#messages.clear();
    return left;
  }

  async #readOnce(): Promise<void> {
    const messages = [...this.#messages].filter(({ delivery }) => delivery !== undefined);
    // Those that still cannot be read are added again by their owner.
    for (const message of messages) {
      // Not `delete`: what is read now must not give its room to others, because it may come back into it.
      this.#messages.delete(message);
      if (this.#freed.delete(message)) this.#freedBytes -= bytesOf(message);
    }
    // The broker delivers a message again whose lock was lost; a deferred one is received again by `SetAside`.
    const open = messages.filter(({ delivery }) => delivery?.state === "open");
    for (const message of messages) if (!open.includes(message)) message.free();
    await Promise.all(open.map((message) => this.#settings.readAgain(message)));
    // If some could be read, the dependency may be back: the delays begin anew.
    this.#attempts = this.#messages.size < open.length ? 0 : this.#attempts + 1;
    if (this.#messages.size === 0) this.#settings.onEmpty();
  }

  #free(message: HeldMessage): void {
    this.#freed.add(message);
    this.#freedBytes += bytesOf(message);
    message.free();
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#isClosed || this.#messages.size === 0) return;
    this.#timer = this.#settings.scheduler.schedule(this.#settings.delayMs(this.#attempts), () => {
      this.#timer = undefined;
      this.#settings.onRetry();
      void this.readAgain();
    });
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

function bytesOf({ delivered: { body } }: HeldMessage): number {
  return body instanceof Uint8Array ? body.length : 0;
}
