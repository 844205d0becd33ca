import { afterwards, steadyNowOf } from "@waybill/foundation";
import type { DeliveredMessage } from "../../contracts/transport.js";
import type { WaybillError } from "../../errors/error.js";
import type { ReceivedMessage, UndecodedMessage } from "../../message/message.js";
import type { UndeserializableEvent } from "../../message/undeserializable-event.js";
import { type Delivery, openDelivery } from "../delivery/delivery.js";
import { type DecideUnread, isUnread, readDelivery } from "../delivery/read-delivery.js";
import { isOrdered, type ReceiverContext } from "../delivery/receiver-context.js";
import { backoffDelayMs } from "../delivery/unavailable-backoff.js";
import { heldMessage } from "./held-messages.js";
import { LookPast } from "./look-past.js";
import { SetAside } from "./set-aside.js";

/** A message that a call could not read, or one behind it in a session. */
export interface HeldForCall {
  readonly delivered: DeliveredMessage;
  readonly delivery: Delivery;
  /** Why it is held; undefined for a message that only waits behind another. */
  readonly event: UndeserializableEvent | undefined;
  /** Whether it was received by its sequence number. */
  readonly isDeferred: boolean;
}

type Received = ReceivedMessage | UndecodedMessage;

/**
 * Messages that calls of `receiveMessages` could not read: they stay locked, and the next call reads them again. So waiting for an unavailable
 * dependency does not increase the delivery count, and a consumer that has decoded nothing dead-letters nothing.
 */
export class HeldForCalls {
  readonly #context: ReceiverContext;
  readonly #onSettled: (event: UndeserializableEvent) => void;
  /** Undefined in a session, whose order does not allow setting a message aside. */
  readonly #aside: SetAside | undefined;
  readonly #lookPast: LookPast | undefined;
  #held: HeldForCall[] = [];
  #attempts = 0;
  #nextProbeAtMs = 0;

  constructor(context: ReceiverContext, onSettled: (event: UndeserializableEvent) => void) {
    this.#context = context;
    this.#onSettled = onSettled;
    if (this.#isOrdered) return;
    // The call itself rejects with the reason.
    const onError = () => {};
    // Nothing would bring them back when the circuit closes after the last call.
    const whenFull = context.breaker?.options.whenFull === "pause" ? "pause" : "deadLetter";
    this.#lookPast = LookPast.of(context, { onAllowance: undefined, onError });
    this.#aside = new SetAside(context, { take: (delivered) => this.#take(delivered), onError }, whenFull);
  }

  /** What to do with an undeserializable message: it is held while the circuit breaker says so. */
  readonly decide: DecideUnread = (delivered, report) => {
    const { breaker, isBlocking } = this.#context;
    // The order of a session matters more than who is at fault.
    if (isBlocking) return "block";
    return afterwards(breaker?.decideForCall(delivered, report), (circuit) =>
      circuit === undefined ? "deadLetter" : "hold",
    );
  };

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#aside?.hasProbes !== true;
  }

  /** Whether no more messages may be received until one of these can be read. */
  get isFull(): boolean {
    const { backoff, breaker } = this.#context;
    if (this.#isOrdered && this.#waiting.length > 0) return true;
    const unavailable = this.#waiting.filter(isUnavailable).length;
    const maxHeld = breaker?.options.maxHeldMessages ?? Number.POSITIVE_INFINITY;
    return unavailable >= backoff.maxHeldMessages || this.#waiting.length - unavailable >= maxHeld;
  }

  /** How long to wait before they are read again, in milliseconds. */
  get delayMs(): number {
    return backoffDelayMs(this.#context.backoff, this.#attempts);
  }

  /** Why the first of them cannot be read. */
  get error(): WaybillError | undefined {
    const event = this.#waiting.find(({ event }) => event !== undefined)?.event;
    return event === undefined ? undefined : this.explain(event);
  }

  /** The error that a call rejects with. */
  explain({ error }: UndeserializableEvent): WaybillError {
    return this.#context.breaker?.explain(error) ?? error;
  }

  add(held: HeldForCall): void {
    const { renewal, renewForMs } = this.#context;
    if (!this.#isOrdered) renewal.track(held.delivery, renewForMs);
    this.#held.push(held);
  }

  /** Reads the held messages again and returns up to `maxMessages` that can be read now; the others stay held. Never rejects. */
  async readAgain(maxMessages: number): Promise<Received[]> {
    if (!this.#waiting.every(isUnavailable)) this.#context.breaker?.beginProbe();
    // First: what was deferred is older than what is held, and is read with it below.
    await this.#probe();
    const waiting = this.#takeHeld(({ isDeferred }) => !isDeferred);
    if (waiting.length === 0) return [];
    const messages = await (this.#isOrdered
      ? this.#readInOrder(waiting, maxMessages)
      : this.#readAll(waiting, maxMessages));
    this.#attempts = messages.length > 0 ? 0 : this.#attempts + 1;
    if (messages.length === 0) await this.#makeRoom();
    return messages;
  }

  /** Reads those of these deferred messages again that are held. */
  readDeferred(sequenceNumbers: readonly bigint[]): {
    readonly found: readonly bigint[];
    readonly messages: Promise<Received[]>;
  } {
    const asked = this.#takeHeld(
      ({ isDeferred, delivered }) => isDeferred && sequenceNumbers.includes(delivered.sequenceNumber),
    );
    const found = asked.map(({ delivered }) => delivered.sequenceNumber);
    return { found, messages: this.#readAll(asked, asked.length) };
  }

  /** Abandons all held messages. Never rejects. */
  async close(): Promise<void> {
    const held = this.#held.splice(0);
    await Promise.all(
      held.map(async ({ delivery }) => {
        // Closing a session releases its messages and does not increase their delivery count.
        if (delivery.state !== "open" || this.#isOrdered) return;
        await delivery.settle("abandon").catch(() => this.#context.renewal.forget(delivery));
      }),
    );
  }

  get #waiting(): readonly HeldForCall[] {
    return this.#held.filter(({ isDeferred }) => !isDeferred);
  }

  /** Removes the messages that match and returns those that are still locked; the broker delivers the others again. */
  #takeHeld(matches: (held: HeldForCall) => boolean): HeldForCall[] {
    const nowMs = this.#context.scheduler.now();
    const taken = this.#held.filter(matches);
    this.#held = this.#held.filter((held) => !taken.includes(held));
    return taken.filter(
      ({ delivery }) => delivery.state === "open" && (this.#isOrdered || delivery.lockedUntilMs > nowMs),
    );
  }

  async #readAll(waiting: readonly HeldForCall[], maxMessages: number): Promise<Received[]> {
    const results = await Promise.all(waiting.map((held) => this.#read(held)));
    const messages: Received[] = [];
    for (const [i, result] of results.entries()) {
      if (typeof result === "string") continue;
      // More can be read than were asked for: the rest is returned by the next call.
      if (messages.length < maxMessages) messages.push(result);
      else this.add({ ...waiting[i], event: undefined } as HeldForCall);
    }
    return messages;
  }

  /** Reads until the first message that still cannot be read. */
  async #readInOrder(waiting: readonly HeldForCall[], maxMessages: number): Promise<Received[]> {
    const messages: Received[] = [];
    let next = 0;
    while (next < waiting.length && messages.length < maxMessages) {
      const result = await this.#read(waiting[next++] as HeldForCall);
      if (result === "stuck") break;
      if (result !== "settled") messages.push(result);
    }
    // They lose their reason, because the first one is what the session waits for.
    for (const behind of waiting.slice(next)) this.add({ ...behind, event: undefined });
    return messages;
  }

  async #read(held: HeldForCall): Promise<Received | "settled" | "stuck"> {
    const { delivered, delivery } = held;
    const result = await readDelivery(this.#context, delivered, delivery, this.decide);
    if (!isUnread(result)) {
      this.onDecoded();
      return result;
    }
    if (result.disposition === "held") {
      this.add({ ...held, event: result });
      return "stuck";
    }
    this.#onSettled(result);
    return result.disposition === "blocked" ? "stuck" : "settled";
  }

  /** Dead-letters messages held by an open circuit and defers unavailable ones, so that readable ones can be received. */
  async #makeRoom(): Promise<void> {
    if (!this.isFull) return;
    for (const held of this.#waiting) {
      if (held.event === undefined || this.#aside === undefined) continue;
      const message = heldMessage(this.#context, { ...held, free: () => {}, isReported: true }, held.event);
      if (!this.#aside.accepts(message)) continue;
      // The allowance is for all, so it is used up for those behind it as well.
      if (!(await this.#lookPast?.tryPass(held.delivered.sequenceNumber))) return;
      // A concurrent call may have read it again meanwhile.
      if (!this.#remove(held)) continue;
      const event = await this.#aside.setAside(message, held.delivery);
      if (event === undefined) return this.add(held);
      this.#onSettled(event);
    }
  }

  /** Returns whether it was held. */
  #remove(held: HeldForCall): boolean {
    const index = this.#held.indexOf(held);
    if (index >= 0) this.#held.splice(index, 1);
    return index >= 0;
  }

  /** Receives deferred messages again that can be read now, at growing intervals while there are none. */
  async #probe(): Promise<void> {
    const { scheduler } = this.#context;
    if (this.#aside?.hasProbes !== true || steadyNowOf(scheduler) < this.#nextProbeAtMs) return;
    await this.#aside.probe();
    this.#nextProbeAtMs = steadyNowOf(scheduler) + this.#aside.probeDelayMs;
  }

  /** A deferred message that was received again is read with the held ones. */
  async #take(delivered: DeliveredMessage): Promise<Delivery | undefined> {
    const delivery = openDelivery(this.#context, delivered, this.#context.renewForMs, () => {});
    if (delivery !== undefined) this.add({ delivered, delivery, event: undefined, isDeferred: false });
    return delivery;
  }

  onDecoded(): void {
    this.#lookPast?.onDecoded();
  }

  get #isOrdered(): boolean {
    return isOrdered(this.#context);
  }
}

function isUnavailable({ event }: HeldForCall): boolean {
  return event?.error.code === "unavailable";
}
