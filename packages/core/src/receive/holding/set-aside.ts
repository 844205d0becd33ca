import type { DeliveredMessage, TransportDeadLetterOptions } from "../../contracts/transport.js";
import { hasCode, WaybillError } from "../../errors/error.js";
import type { Undeserializable } from "../../message/outcome.js";
import type { UndeserializableEvent } from "../../message/undeserializable-event.js";
import type { WhenFull } from "../circuit-breaker/circuit-breaker-options.js";
import { type Delivery, isLockLost } from "../delivery/delivery.js";
import { peek, receiveDeferred } from "../delivery/observed-calls.js";
import { deadLetter } from "../delivery/read-delivery.js";
import type { ReceiverContext } from "../delivery/receiver-context.js";
import { undeserializableEvent } from "../delivery/settle-undecoded.js";
import { backoffDelayMs } from "../delivery/unavailable-backoff.js";
import { readBody } from "../reading/read-body.js";
import { type HeldMessage, isCircuitOver } from "./held-messages.js";

/** The application property of a deferred unreadable message: since when it has been held, as an ISO 8601 instant. */
const heldSinceProperty = "waybill-held-since";

/** Who holds the messages, and gets them back: a processor, or a receiver for its calls. */
export interface SetAsideOwner {
  /** Handles a message that was received by its sequence number; resolves with its delivery when it is read. */
  take(delivered: DeliveredMessage): Promise<Delivery | undefined>;
  onError(error: unknown): void;
}

/** How many deferred messages are peeked at once, or received in one call. */
const pageSize = 32;

/** How many sequence numbers are kept at most, to bound the memory. */
const maxSetAside = 100_000;

/** Returns whether the circuit of a message has closed or opened again since it was set aside. */
type IsOver = () => boolean;

/** Why a message is deferred; `"others"`: another process did it, perhaps one that has ended; `"returned"`: it was received again, and not settled. */
type Reason = IsOver | "unavailable" | "others" | "returned";

/**
 * Held messages beyond the limit, which keep others from being received: unavailable ones are deferred, undeserializable ones are deferred or
 * dead-lettered. What is deferred is received again by sequence number later: messages of a circuit when it closes, all others once peeking
 * finds them readable. Peeking counts no delivery. Each is marked with a property, so that those of a process that ended are found.
 */
export class SetAside {
  readonly #context: ReceiverContext;
  readonly #owner: SetAsideOwner;
  readonly #whenFull: WhenFull;
  /** Whether messages can be deferred, so that some of an earlier process may wait to be found. */
  readonly canDefer: boolean;
  readonly #entries = new Map<bigint, Reason>();
  /** Those that were received again and are not settled yet. */
  readonly #received = new Map<bigint, Delivery>();
  /** Messages without room for one more property: without their mark no other process would find them. */
  readonly #unmarkable = new WeakSet<Delivery>();
  /** Probes in a row that found nothing to receive. */
  #vainProbes = 0;
  #returning: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** `whenFull`: what happens to undeserializable messages. */
  constructor(context: ReceiverContext, owner: SetAsideOwner, whenFull: WhenFull) {
    this.#context = context;
    this.#owner = owner;
    this.#whenFull = whenFull;
    this.canDefer = context.canDefer && !context.isSubQueue && context.receiver.receiveMode === "peekLock";
  }

  get #isFull(): boolean {
    return this.#entries.size >= maxSetAside;
  }

  /** Whether `probe` has anything to do. */
  get hasProbes(): boolean {
    if (this.#received.size > 0) return true;
    for (const reason of this.#entries.values()) if (isProbed(reason)) return true;
    return false;
  }

  /** How long to wait before the next probe, in milliseconds: longer after each that found nothing. */
  get probeDelayMs(): number {
    return backoffDelayMs(this.#context.backoff, this.#vainProbes);
  }

  /** Whether this message can be set aside, if others can be read. */
  accepts({ outcome, delivery }: HeldMessage): boolean {
    const isMarkable = delivery !== undefined && !this.#unmarkable.has(delivery);
    // An unavailable message is never dead-lettered: nothing is wrong with it.
    if (outcome.status === "unavailable") return this.canDefer && !this.#isFull && isMarkable;
    return this.#whenFull === "defer" && this.canDefer ? isMarkable : this.#whenFull !== "pause";
  }

  /** Defers or dead-letters a message, and frees its place. Resolves with undefined when that is not possible now. */
  async setAside(message: HeldMessage, delivery: Delivery): Promise<UndeserializableEvent | undefined> {
    const isUnavailable = message.outcome.status === "unavailable";
    const isDeferred = isUnavailable || this.#whenFull === "defer";
    if (!this.canDefer || this.#isFull || !isDeferred)
      return isUnavailable ? undefined : this.#deadLetter(message, delivery);
    // Asked again when a circuit closes, and by then it may be open for the second time.
    const isOver = () => isCircuitOver(message);
    if (!(await this.#defer(delivery, isUnavailable ? "unavailable" : isOver))) return undefined;
    message.free();
    // Its circuit closed while it was being deferred, too late for the listener that brings back what is deferred.
    if (isOver()) void this.bringBack();
    return undeserializableEvent(message, this.#context, "deferred");
  }

  async #deadLetter(message: HeldMessage, delivery: Delivery): Promise<UndeserializableEvent> {
    const { delivered } = message;
    const outcome = message.outcome as Undeserializable;
    const event = await deadLetter(this.#context, { delivered, outcome, delivery });
    message.free();
    return event;
  }

  /** Defers a message until its circuit is over, or until it can be read. Resolves with whether it was deferred. */
  async #defer(delivery: Delivery, reason: IsOver | "unavailable"): Promise<boolean> {
    const { sequenceNumber, applicationProperties } = delivery.message;
    // A message that comes back and is deferred again is held since the first time.
    const since =
      applicationProperties[heldSinceProperty] ?? new Date(this.#context.scheduler.now()).toISOString();
    const propertiesToModify = { [heldSinceProperty]: since };
    try {
      await delivery.settle("defer", { propertiesToModify } as TransportDeadLetterOptions);
    } catch (error) {
      // The broker delivers it again anyway, so there is nothing to report.
      if (isLockLost(error)) return false;
      // Otherwise it would be tried again with every look, and fail each time.
      if (!(error instanceof WaybillError && error.retryable)) this.#unmarkable.add(delivery);
      this.#owner.onError(error);
      return false;
    }
    this.#entries.set(sequenceNumber, reason);
    return true;
  }

  /** Receives the messages again whose circuit is over. Resolves when they are read; never rejects. */
  async bringBack(): Promise<void> {
    const over = [...this.#entries].filter(([, reason]) => typeof reason === "function" && reason());
    await this.#receive(over.map(([sequenceNumber]) => sequenceNumber));
  }

  /** Peeks at the others in turn and receives those that can be read now. Resolves with whether there were any; never rejects. */
  async probe(): Promise<boolean> {
    this.#recallReturned();
    const hasFound = await this.#probePages();
    this.#vainProbes = hasFound ? 0 : this.#vainProbes + 1;
    return hasFound;
  }

  async #probePages(): Promise<boolean> {
    const numbers = [...this.#entries].filter(([, reason]) => isProbed(reason)).map(([number]) => number);
    for (let i = 0; i < numbers.length && !this.#isStopped; i += pageSize) {
      const page = numbers.slice(i, i + pageSize);
      const isDue = await Promise.all(page.map((number) => this.#isDueNow(number)));
      const due = page.filter((_, index) => isDue[index]);
      await this.#receive(due);
      // One page without success is enough: while a dependency is down, peeking at all of them would load the broker.
      if (due.length > 0) continue;
      this.#moveToEnd(page);
      // Then an earlier page had some, and only this one had none.
      return i > 0;
    }
    return numbers.length > 0;
  }

  /** Peeks for messages that other processes set aside, and receives those that can be read now. Never rejects. */
  async discover(): Promise<void> {
    try {
      for (let from = 0n; !this.#isStopped; ) {
        const page = await peek(this.#context, { maxMessages: 100, fromSequenceNumber: from });
        const last = page.at(-1);
        // A broker that ignores the number to start from would be peeked for ever.
        if (last === undefined || last.sequenceNumber < from) return;
        from = last.sequenceNumber + 1n;
        await this.#adopt(
          page.filter((message) => isSetAside(message) && !this.#entries.has(message.sequenceNumber)),
        );
      }
    } catch (error) {
      if (!this.#isStopped) this.#owner.onError(error);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #adopt(messages: readonly DeliveredMessage[]): Promise<void> {
    const due: bigint[] = [];
    for (const message of messages) {
      if (!this.#isFull) this.#entries.set(message.sequenceNumber, "others");
      if (await this.#isDue(message)) due.push(message.sequenceNumber);
    }
    await this.#receive(due);
  }

  /** A deferred message stays deferred when it is abandoned or its lock ends: unlike others, the broker delivers it to nobody. */
  #recallReturned(): void {
    const nowMs = this.#context.scheduler.now();
    for (const [number, delivery] of this.#received) {
      const isReturned = delivery.isReturned(nowMs);
      if (isReturned && !this.#entries.has(number)) this.#entries.set(number, "returned");
      if (isReturned || delivery.state === "settled") this.#received.delete(number);
    }
  }

  /** The next probe begins with the others. */
  #moveToEnd(numbers: readonly bigint[]): void {
    for (const number of numbers) {
      const reason = this.#entries.get(number);
      if (reason !== undefined && this.#entries.delete(number)) this.#entries.set(number, reason);
    }
  }

  async #isDueNow(sequenceNumber: bigint): Promise<boolean> {
    if (typeof this.#entries.get(sequenceNumber) === "function") return true;
    try {
      const [message] = await peek(this.#context, { maxMessages: 1, fromSequenceNumber: sequenceNumber });
      // The mark, because behind a failover pair the number may have become that of another message.
      const isThere = message?.sequenceNumber === sequenceNumber && isSetAside(message);
      // Another receiver has taken it.
      if (!isThere) this.#entries.delete(sequenceNumber);
      return isThere && (await this.#isDue(message));
    } catch (error) {
      if (!this.#isStopped) this.#owner.onError(error);
      return false;
    }
  }

  /** An undeserializable one of another process waits until its time is over, because a circuit may hold it there. */
  async #isDue(message: DeliveredMessage): Promise<boolean> {
    const { pipeline, breaker, scheduler } = this.#context;
    const { status } = await readBody(pipeline, message);
    if (status !== "undeserializable") return status !== "unavailable";
    const reason = this.#entries.get(message.sequenceNumber) ?? "others";
    if (reason !== "others" || breaker === undefined) return true;
    // The instant was written by another process, so the wall clock is what both have.
    const heldMs = scheduler.now() - Date.parse(String(message.applicationProperties[heldSinceProperty]));
    return !breaker.isOpen && heldMs >= breaker.options.maxHoldDurationInMs;
  }

  /** One call after the other, so that not all messages that come back are locked at once. */
  #receive(numbers: readonly bigint[]): Promise<void> {
    const entries = new Map(numbers.map((number) => [number, this.#entries.get(number) ?? "others"]));
    // A probe meanwhile must not ask for them, too.
    for (const number of numbers) this.#entries.delete(number);
    this.#returning = this.#returning.then(async () => {
      for (let i = 0; i < numbers.length && !this.#isStopped; i += pageSize) {
        const messages = await this.#receivePage(numbers.slice(i, i + pageSize), entries);
        await Promise.all(messages.map((message) => this.#take(message)));
      }
    });
    return this.#returning;
  }

  async #take(message: DeliveredMessage): Promise<void> {
    const delivery = await this.#owner.take(message);
    if (delivery !== undefined) this.#received.set(message.sequenceNumber, delivery);
  }

  /** If one message is gone because another receiver has taken it, the call for several fails, and each is received alone. */
  async #receivePage(
    numbers: readonly bigint[],
    entries: ReadonlyMap<bigint, Reason>,
  ): Promise<DeliveredMessage[]> {
    try {
      return await receiveDeferred(this.#context, numbers);
    } catch (error) {
      if (hasCode(error, "message-not-found")) {
        if (numbers.length === 1) return [];
        return (await Promise.all(numbers.map((number) => this.#receivePage([number], entries)))).flat();
      }
      // They stay deferred, and are received later.
      for (const number of numbers) this.#entries.set(number, entries.get(number) ?? "others");
      if (!this.#isStopped) this.#owner.onError(error);
      return [];
    }
  }
}

/** Whether a message may come back now: its circuit is over, or peeking tells. */
function isProbed(reason: Reason): boolean {
  return typeof reason === "string" || reason();
}

function isSetAside({ state, applicationProperties }: DeliveredMessage): boolean {
  return state === "deferred" && typeof applicationProperties[heldSinceProperty] === "string";
}
