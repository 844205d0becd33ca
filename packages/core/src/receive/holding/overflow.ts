import type { Undeserializable } from "../../message/outcome.js";
import type { UndeserializableEvent } from "../../message/undeserializable-event.js";
import type { WhenFull } from "../circuit-breaker/circuit-breaker-options.js";
import type { Delivery } from "../delivery/delivery.js";
import { deadLetter } from "../delivery/read-delivery.js";
import type { ReceiverContext } from "../delivery/receiver-context.js";
import { undeserializableEvent } from "../delivery/settle-undecoded.js";
import { backoffDelayMs } from "../delivery/unavailable-backoff.js";
import { type HeldMessage, isCircuitOver } from "./held-messages.js";
import { LookPast } from "./look-past.js";
import { SetAside, type SetAsideOwner } from "./set-aside.js";

/** Who holds the messages: a processor, or a receiver for its calls. */
export interface OverflowOwner extends SetAsideOwner {
  /** Called when `mayPass` would succeed after it failed; undefined if the owner polls. */
  readonly onOpened: (() => void) | undefined;
  /** What happens to undeserializable messages beyond the limit. */
  readonly whenFull: WhenFull;
}

/**
 * Held messages beyond the limit, which keep others from being received. While readable messages are behind them, unavailable ones are
 * deferred, undeserializable ones are deferred or dead-lettered; deferred ones are received again once they can be read.
 */
export class Overflow {
  readonly #context: ReceiverContext;
  readonly #whenFull: WhenFull;
  /** Undefined for dead-letter queues, and like the next one where messages cannot be deferred. */
  readonly #lookPast: LookPast | undefined;
  readonly #aside: SetAside | undefined;
  /** Probes in a row that found nothing to receive. */
  #vainProbes = 0;

  constructor(context: ReceiverContext, owner: OverflowOwner) {
    const { lookAhead, scheduler, breaker, receiver, canDefer } = context;
    const { whenFull, onOpened, onError } = owner;
    this.#context = context;
    this.#whenFull = whenFull;
    if (lookAhead === undefined) return;
    const isPeekLock = receiver.receiveMode === "peekLock";
    // A message that was deleted on receipt cannot be set aside, so one that decodes does not let others be.
    const settings = { isRefilled: isPeekLock, onOpened, onError };
    this.#lookPast = new LookPast({ lookAhead, scheduler, breaker }, settings);
    if (canDefer && isPeekLock) this.#aside = new SetAside(context, owner);
  }

  /** Whether messages can be deferred, so that some of an earlier process may wait to be found. */
  get canDefer(): boolean {
    return this.#aside !== undefined;
  }

  /** Whether `probe` has anything to do. */
  get hasProbes(): boolean {
    return this.#aside?.hasProbes === true;
  }

  /** How long to wait before the next probe, in milliseconds: longer after each that found nothing. */
  get probeDelayMs(): number {
    return backoffDelayMs(this.#context.backoff, this.#vainProbes);
  }

  onDecoded(): void {
    this.#lookPast?.onDecoded();
  }

  /** Forgets what was seen behind the held messages, once none is held any more. */
  reset(): void {
    this.#lookPast?.reset();
  }

  stop(): void {
    this.#lookPast?.stop();
    this.#aside?.stop();
  }

  /** Whether this message can be set aside, if others can be read. */
  canSetAside({ outcome, delivery }: HeldMessage): boolean {
    // An unavailable message is never dead-lettered: nothing is wrong with it.
    if (outcome.status === "unavailable") return this.#aside?.canDefer(delivery) === true;
    if (this.#whenFull !== "defer" || this.#aside === undefined) return this.#whenFull !== "pause";
    return !this.#aside.isUnmarkable(delivery);
  }

  /** Whether it may be set aside now, because messages behind it can be read. Uses up an allowance. */
  async mayPass(message: HeldMessage): Promise<boolean> {
    if (this.#lookPast === undefined || !this.canSetAside(message)) return false;
    return this.#lookPast.tryPass(message.delivered.sequenceNumber);
  }

  /** Defers or dead-letters a message, and frees its place. Resolves with undefined when that is not possible now. */
  async setAside(message: HeldMessage, delivery: Delivery): Promise<UndeserializableEvent | undefined> {
    const isUnavailable = message.outcome.status === "unavailable";
    const isDeferred = isUnavailable || this.#whenFull === "defer";
    if (this.#aside === undefined || this.#aside.isFull || !isDeferred) {
      return isUnavailable ? undefined : this.#deadLetter(message, delivery);
    }
    // Asked again when a circuit closes, and by then it may be open for the second time.
    const isOver = () => isCircuitOver(message);
    if (!(await this.#aside.defer(delivery, isUnavailable ? "unavailable" : isOver))) return undefined;
    message.free();
    // Its circuit closed while it was being deferred, too late for the listener that brings back what is deferred.
    if (isOver()) void this.#aside.bringBack();
    return undeserializableEvent(message, this.#context, "deferred");
  }

  /** Receives the messages again whose circuit is over. Resolves when they are read; never rejects. */
  async bringBack(): Promise<void> {
    await this.#aside?.bringBack();
  }

  /** Receives deferred messages again that can be read now. Never rejects. */
  async probe(): Promise<void> {
    this.#vainProbes = (await this.#aside?.probe()) ? 0 : this.#vainProbes + 1;
  }

  /** Finds messages that a process deferred which has ended since. Never rejects. */
  async discover(): Promise<void> {
    await this.#aside?.discover();
  }

  async #deadLetter(message: HeldMessage, delivery: Delivery): Promise<UndeserializableEvent> {
    const { delivered } = message;
    const outcome = message.outcome as Undeserializable;
    const event = await deadLetter(this.#context, { delivered, outcome, delivery });
    message.free();
    return event;
  }
}
