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
  /** How many of them are held without a place in the transport; further ones keep theirs, so that it delivers fewer messages. */
  readonly maxMessages: number;
  /** How long until they are read again, in milliseconds, by the number of failed attempts. */
  readonly delayMs: (attempts: number) => number;
  /** Called before they are read again because the time is up. */
  readonly onRetry?: () => void;
  /** Reads a message again, and adds it again if that fails. Resolves when it is read, before a handler has finished. */
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
  /** Those that are held without a place in the transport. One that was deleted on receipt never is. */
  readonly #withoutPlace = new Set<Delivery | undefined>();
  #bytesWithoutPlace = 0;
  /** Those that are being read again: they may come back, and until then no other message takes their room. */
  readonly #beingRead = new Set<Delivery | undefined>();
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

  /** Those that there is no room for without their places in the transport. */
  get inPlaces(): readonly HeldMessage[] {
    return [...this.#messages].filter(({ delivery }) => !this.#withoutPlace.has(delivery));
  }

  has(message: HeldMessage): boolean {
    return this.#messages.has(message);
  }

  /** Holds a message. */
  add(message: HeldMessage): void {
    const { delivery } = message;
    // However long that takes: if its lock ended, the broker would deliver it again and count the delivery.
    if (delivery !== undefined) this.#settings.renewal.track(delivery, Number.POSITIVE_INFINITY);
    this.#beingRead.delete(delivery);
    this.#messages.add(message);
    this.#freePlace(message);
    // While all are read, this one waits for the timer that is armed at the end.
    if (!this.#isReading) this.#arm();
  }

  /** Removes a message; the place of another may be freed instead. Returns whether it was held. */
  delete(message: HeldMessage): boolean {
    if (!this.#messages.delete(message)) return false;
    this.#giveRoom(message);
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
    const open: HeldMessage[] = [];
    for (const message of this.#messages) {
      const { delivery } = message;
      // Deleted on receipt, it cannot be read again.
      if (delivery === undefined) continue;
      this.#messages.delete(message);
      if (delivery.state === "open") {
        this.#beingRead.add(delivery);
        open.push(message);
      } else {
        // The broker delivers a message again whose lock was lost; a deferred one is received again by `SetAside`.
        message.free();
        this.#giveRoom(message);
      }
    }
    await Promise.all(
      open.map(async (message) => {
        await this.#settings.readAgain(message);
        // It did not come back.
        if (this.#beingRead.delete(message.delivery)) this.#giveRoom(message);
      }),
    );
    // If some could be read, the dependency may be back: the delays begin anew.
    this.#attempts = this.#messages.size < open.length ? 0 : this.#attempts + 1;
    if (this.#messages.size === 0) this.#settings.onEmpty();
  }

  /** Frees the place of a message if there is room for it without one. */
  #freePlace(message: HeldMessage): void {
    const { delivery } = message;
    const { size } = this.#withoutPlace;
    const bytes = this.#bytesWithoutPlace + bytesOf(message);
    // A single body may be larger than the limit.
    const hasRoom = size < this.#settings.maxMessages && (bytes <= maxBytes || size === 0);
    if (delivery === undefined || this.#withoutPlace.has(delivery) || !hasRoom) return;
    this.#withoutPlace.add(delivery);
    this.#bytesWithoutPlace = bytes;
    message.free();
  }

  /** Gives the room of a message that is not held any more to others. */
  #giveRoom(message: HeldMessage): void {
    if (!this.#withoutPlace.delete(message.delivery)) return;
    this.#bytesWithoutPlace -= bytesOf(message);
    for (const other of this.inPlaces) this.#freePlace(other);
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#isClosed || this.#messages.size === 0) return;
    this.#timer = this.#settings.scheduler.schedule(this.#settings.delayMs(this.#attempts), () => {
      this.#timer = undefined;
      this.#settings.onRetry?.();
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
