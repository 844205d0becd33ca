import type { DeliveredMessage, TransportDeadLetterOptions } from "../contracts/transport.js";
import { type Delivery, isLockLost } from "../delivery/delivery.js";
import type { Intake } from "../delivery/intake.js";
import { readBody } from "../delivery/read-body.js";
import { hasCode, WaybillError } from "../errors/error.js";

/** The application property of a deferred undeserializable message: since when it has been held, as an ISO 8601 instant. */
const heldSinceProperty = "waybill-held-since";

/** Dependencies for setting messages aside. */
export interface SetAsideSettings {
  readonly intake: Intake;
  /** Whether an undeserializable message, set aside at this instant, has waited long enough to be dead-lettered. */
  readonly isDue: (sinceMs: number) => boolean;
  /** Handles a message that was received by its sequence number; resolves when that is done. */
  readonly take: (delivered: DeliveredMessage) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** How many deferred messages are received in one call. */
const pageSize = 32;

/** How many sequence numbers are kept at most, to bound the memory. */
const maxSetAside = 100_000;

/** A message that was set aside, and whether its circuit has closed or opened again since. */
interface Entry {
  readonly sequenceNumber: bigint;
  readonly isOver: () => boolean;
}

/**
 * Undeserializable messages that were deferred so that others can be received, and are received again by sequence number later. Each is
 * marked with a property, so that those of a process that ended are found by peeking.
 */
export class SetAside {
  readonly #settings: SetAsideSettings;
  #entries: Entry[] = [];
  #returning: Promise<void> | undefined;
  #hasOthers = false;
  #isStopped = false;

  constructor(settings: SetAsideSettings) {
    this.#settings = settings;
  }

  get isFull(): boolean {
    return this.#entries.length >= maxSetAside;
  }

  /** Defers a message until `isOver` returns true. Resolves with whether it was deferred. */
  async defer(delivery: Delivery, isOver: () => boolean): Promise<boolean> {
    const { sequenceNumber, applicationProperties } = delivery.message;
    const since =
      applicationProperties[heldSinceProperty] ??
      new Date(this.#settings.intake.settings.scheduler.now()).toISOString();
    try {
      await this.#settleDeferred(delivery, { [heldSinceProperty]: since });
    } catch (error) {
      if (!isLockLost(error)) this.#settings.onError(error);
      return false;
    }
    this.#entries.push({ sequenceNumber, isOver });
    return true;
  }

  /** Receives the messages again whose `isOver` returns true. Resolves when they are handled; never rejects. */
  async bringBack(): Promise<void> {
    const isOver = this.#entries.filter((entry) => entry.isOver());
    this.#entries = this.#entries.filter((entry) => !isOver.includes(entry));
    const returned = (this.#returning ?? Promise.resolve()).then(() =>
      this.#receive(isOver.map(({ sequenceNumber }) => sequenceNumber)),
    );
    this.#returning = returned;
    await returned;
    if (this.#hasOthers) await this.discover();
  }

  /** Peeks for messages that other processes set aside, and receives those that can be read now. Never rejects. */
  async discover(): Promise<void> {
    const { intake, onError } = this.#settings;
    this.#hasOthers = false;
    const mine = new Set(this.#entries.map(({ sequenceNumber }) => sequenceNumber));
    try {
      for (let from = 0n; !this.#isStopped; ) {
        const page = await intake.peek({ maxMessages: 100, fromSequenceNumber: from });
        const last = page.at(-1);
        if (last === undefined || last.sequenceNumber < from) return;
        from = last.sequenceNumber + 1n;
        await this.#receive(await this.#dueOf(page.filter((message) => isAside(message, mine))));
      }
    } catch (error) {
      if (!this.#isStopped) onError(error);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #dueOf(messages: readonly DeliveredMessage[]): Promise<bigint[]> {
    const due: bigint[] = [];
    for (const message of messages) {
      const { status } = await readBody(this.#settings.intake.settings.pipeline, message);
      const sinceMs = Date.parse(String(message.applicationProperties[heldSinceProperty]));
      const isDue = status === "undeserializable" && this.#settings.isDue(sinceMs);
      if (status === "decoded" || isDue) due.push(message.sequenceNumber);
      else this.#hasOthers = true;
    }
    return due;
  }

  /** If the message has no room for one more property, it is deferred without the mark. */
  async #settleDeferred(delivery: Delivery, propertiesToModify: Record<string, unknown>): Promise<void> {
    try {
      await delivery.settle("defer", { propertiesToModify } as TransportDeadLetterOptions);
    } catch (error) {
      if (isLockLost(error) || (error instanceof WaybillError && error.retryable)) throw error;
      await delivery.settle("defer");
    }
  }

  async #receive(numbers: readonly bigint[]): Promise<void> {
    for (let i = 0; i < numbers.length && !this.#isStopped; i += pageSize) {
      const messages = await this.#receivePage(numbers.slice(i, i + pageSize));
      await Promise.all(messages.map((message) => this.#settings.take(message)));
    }
  }

  /** If one message is gone because another receiver has taken it, the call for several fails, and each is received alone. */
  async #receivePage(numbers: readonly bigint[]): Promise<DeliveredMessage[]> {
    const { intake, onError } = this.#settings;
    try {
      return await intake.receiveDeferred(numbers);
    } catch (error) {
      const isGone = hasCode(error, "message-not-found");
      if (isGone && numbers.length === 1) return [];
      if (isGone) return (await Promise.all(numbers.map((number) => this.#receivePage([number])))).flat();
      // They stay deferred and marked, so a later `discover` finds them.
      this.#hasOthers = true;
      if (!this.#isStopped) onError(error);
      return [];
    }
  }
}

function isAside(
  { state, applicationProperties, sequenceNumber }: DeliveredMessage,
  mine: ReadonlySet<bigint>,
): boolean {
  return (
    state === "deferred" &&
    typeof applicationProperties[heldSinceProperty] === "string" &&
    !mine.has(sequenceNumber)
  );
}
