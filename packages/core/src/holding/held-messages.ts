import type { Circuit } from "../circuit-breaker/circuit.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { Delivery } from "../delivery/delivery.js";
import type { LockRenewal } from "../delivery/lock-renewal.js";
import type { Scheduler, Timer } from "../foundation/scheduler.js";
import type { Unavailable, Undeserializable } from "../message/outcome.js";

/** A message that waits to be read again, locked unless it was received in receive-and-delete mode. */
export interface HeldMessage {
  readonly delivered: DeliveredMessage;
  readonly delivery: Delivery | undefined;
  readonly outcome: Undeserializable | Unavailable;
  /** The circuit by which it is held; undefined for what something out of reach keeps from being read. */
  readonly circuit: Circuit | undefined;
  /** Which opening of the circuit that was. */
  readonly opening: number;
  /** Frees its place with the transport, so that another message can come. */
  readonly free: () => void;
}

/** What held messages are kept with. */
export interface HeldMessagesSettings {
  readonly scheduler: Scheduler;
  readonly renewal: LockRenewal;
  /** How many give up their places; what is beyond keeps the transport from delivering more. */
  readonly maxMessages: number;
  /** How long until they are read again, in milliseconds, after so many attempts in vain. */
  readonly delayMs: (attempts: number) => number;
  /** Is called before they are read again. */
  readonly onRetry: () => void;
  /** Reads a message again; resolves when it is dealt with or held again. */
  readonly readAgain: (message: HeldMessage) => Promise<void>;
}

/** Bodies of more than this together keep their places, however few they are. */
const mostBytes = 64 * 1024 * 1024;

/** Messages that are kept locked and read again in intervals, or when somebody has reason to. */
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

  /** Those that keep their places. */
  get inPlace(): readonly HeldMessage[] {
    return [...this.#messages].filter((message) => !this.#freed.has(message));
  }

  /** Whether one more would give up its place. */
  hasRoomFor(message: HeldMessage): boolean {
    const { maxMessages } = this.#settings;
    const bytes = this.#freedBytes + bytesOf(message);
    return this.#freed.size < maxMessages && (bytes <= mostBytes || this.#freed.size === 0);
  }

  /** Keeps a message, and its place unless there is room. */
  add(message: HeldMessage): void {
    const { delivery } = message;
    if (delivery !== undefined) this.#settings.renewal.track(delivery, Number.POSITIVE_INFINITY);
    this.#messages.add(message);
    if (delivery !== undefined && this.hasRoomFor(message)) this.#free(message);
    if (!this.#isReading) this.#arm();
  }

  /** Lets a message go; the next takes its room. Returns whether it was there. */
  delete(message: HeldMessage): boolean {
    if (!this.#messages.delete(message)) return false;
    if (this.#freed.delete(message)) this.#freedBytes -= bytesOf(message);
    for (const other of this.inPlace) {
      if (other.delivery !== undefined && this.hasRoomFor(other)) this.#free(other);
    }
    return true;
  }

  /** Reads all again, at once, and again what failed while that was going on. */
  async readAgain(): Promise<void> {
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

  /** Stops reading; returns what is left, which keeps no place any more. */
  close(): HeldMessage[] {
    this.#isClosed = true;
    this.#disarm();
    const left = [...this.#messages];
    this.#messages.clear();
    return left;
  }

  async #readOnce(): Promise<void> {
    const messages = [...this.#messages].filter(({ delivery }) => delivery !== undefined);
    for (const message of messages) {
      this.#messages.delete(message);
      if (this.#freed.delete(message)) this.#freedBytes -= bytesOf(message);
    }
    // A lock that was lost in spite of all brings the message again.
    const open = messages.filter(({ delivery }) => delivery?.state === "open");
    for (const message of messages) if (!open.includes(message)) message.free();
    await Promise.all(open.map((message) => this.#settings.readAgain(message)));
    this.#attempts = this.#messages.size < open.length ? 0 : this.#attempts + 1;
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
