import { isDoneWithin, isPromise, LinkedSet } from "@waybill/foundation";
import type { Awaitable } from "../../contracts/serializer.js";
import type { DeliveredMessage, TransportSubscription } from "../../contracts/transport.js";
import { hasCode, WaybillError } from "../../errors/error.js";
import type { ReceivedMessage, UndecodedMessage } from "../../message/message.js";
import { type Delivery, isLockLost, openDelivery } from "../delivery/delivery.js";
import { isUnread, type ReadResult, readDelivery } from "../delivery/read-delivery.js";
import type { ReceiverContext } from "../delivery/receiver-context.js";
import type { HeldMessage } from "../holding/held-messages.js";
import { type ErrorReporter, errorReporter } from "./error-reporter.js";
import { Handling } from "./handling.js";
import { InFlightMessage } from "./in-flight-message.js";
import type { MessageHandlers } from "./processor-options.js";
import type { BlockCause, ProcessorSettings } from "./processor-settings.js";
import type { RunningProcessor } from "./starting-subscription.js";
import { UnreadMessages } from "./unread-messages.js";

/** How many completions per slot may be pending before further messages wait for them. */
const completionsPerCall = 8;

/** Handlers get at least four fifths of the time for closing; abandoning the remaining messages takes at most this long. In milliseconds. */
const maxSettlingMs = 5_000;

/**
 * Delivers messages to a handler until it is closed, and settles each according to the handler's result. The methods are in the order of a
 * message's way: it arrives, gets one of the call slots, is read and handled. `UnreadMessages` has those that cannot be read.
 */
export class Processor implements RunningProcessor {
  readonly #context: ReceiverContext;
  readonly #settings: ProcessorSettings;
  readonly #report: ErrorReporter;
  readonly #handling: Handling;
  readonly #unread: UnreadMessages;
  readonly #subscription: TransportSubscription;
  /** In order of delivery. */
  readonly #inFlight = new LinkedSet<InFlightMessage>();
  /** Prefetched messages that wait for a call slot, in order. */
  readonly #waiting: InFlightMessage[] = [];
  #busyCalls = 0;
  #isBlocked = false;
  #isClosing = false;
  #onIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    context: ReceiverContext,
    handlers: MessageHandlers<unknown, UndecodedMessage>,
    settings: ProcessorSettings,
  ) {
    const { receiver, entityPath, session } = context;
    const { keeper, maxConcurrentCalls, prefetchCount } = settings;
    this.#context = context;
    this.#settings = settings;
    this.#report = errorReporter(handlers, entityPath, session?.sessionId);
    this.#handling = new Handling(context, handlers, this.#report, settings);
    this.#unread = new UnreadMessages(context, keeper, this.#report, {
      read: (inFlight) => this.#read(inFlight),
      readAgain: (held) => this.#readAgain(held),
      take: (delivered) => this.#take(delivered),
      abandon: (inFlight) => this.#abandon(inFlight),
      freeSlot: (inFlight) => this.#freeSlot(inFlight),
      block: (cause) => this.#block(cause),
      onError: this.#onError,
    });
    this.#subscription = receiver.subscribe(
      { onMessage: this.#onMessage, onError: this.#onError, onStopping: this.#onStopping },
      { maxConcurrentCalls: maxConcurrentCalls + prefetchCount },
    );
  }

  /** A message arrives: its lock is renewed from now on. Resolves when its place in the transport is free. */
  readonly #onMessage = (delivered: DeliveredMessage): Promise<void> => {
    const { observer, entityPath } = this.#context;
    let free = () => {};
    const freed = new Promise<void>((resolve) => (free = resolve));
    const inFlight = new InFlightMessage(delivered, this.#open(delivered), free);
    // Inside the span of its processing, so that the handler's spans are children of it.
    if (observer?.isTracing) {
      return observer.process(entityPath, delivered, () => {
        this.#start(inFlight);
        return freed;
      });
    }
    this.#start(inFlight);
    return freed;
  };

  /** A message that was held is read again; resolves when that is done. */
  #readAgain({ delivered, delivery, free, isReported }: HeldMessage): Promise<void> {
    const inFlight = new InFlightMessage(delivered, delivery, free);
    inFlight.wasHeld = true;
    inFlight.isReported = isReported;
    return this.#startAndRead(inFlight);
  }

  /** A message that was deferred has been received again; resolves with its delivery when it is read. */
  async #take(delivered: DeliveredMessage): Promise<Delivery | undefined> {
    const delivery = this.#open(delivered);
    await this.#startAndRead(new InFlightMessage(delivered, delivery, () => {}));
    return delivery;
  }

  #startAndRead(inFlight: InFlightMessage): Promise<void> {
    return new Promise((resolve) => {
      inFlight.onRead = resolve;
      this.#start(inFlight);
    });
  }

  #open(delivered: DeliveredMessage): Delivery | undefined {
    return openDelivery(this.#context, delivered, this.#settings.renewForMs, this.#onRenewalError);
  }

  /** It gets a call slot, or waits for one. */
  #start(inFlight: InFlightMessage): void {
    if (this.#inFlight.size === 0) this.#settings.keeper?.onActivity(true);
    this.#inFlight.add(inFlight);
    const isReceiving = !this.#isClosing && !this.#isBlocked;
    // A message without a lock cannot be abandoned, so it has to be handled even while closing.
    if (!isReceiving && inFlight.delivery !== undefined) void this.#abandonAndEnd(inFlight);
    else if (this.#busyCalls < this.#settings.maxConcurrentCalls) void this.#process(inFlight);
    else this.#waiting.push(inFlight);
  }

  /** It is read, handled and settled, or held. Stays synchronous up to the handler while the serializer is. */
  async #process(inFlight: InFlightMessage): Promise<void> {
    this.#busyCalls++;
    inFlight.hasSlot = true;
    try {
      if (inFlight.wasHeld) this.#restartRenewal(inFlight);
      const reading = inFlight.isAborted ? undefined : this.#read(inFlight);
      let result = isPromise(reading) ? await reading : reading;
      if (result !== undefined && isUnread(result)) result = await this.#unread.followUp(inFlight, result);
      if (result !== undefined) await this.#handle(inFlight, result);
    } catch (error) {
      // Nothing above is expected to throw; a rejection here could end the subscription.
      await this.#report(WaybillError.from(error), "receive", inFlight.delivered.messageId);
    }
    // The next handler may run while this message is being completed.
    if (inFlight.completing !== undefined) {
      if (this.#mayGoOn) this.#release(inFlight);
      await inFlight.completing;
    }
    // The place of a held message in the transport is for `Holding` to free.
    if (inFlight.isHeld) this.#freeSlot(inFlight);
    else this.#release(inFlight);
    this.#leave(inFlight);
  }

  #read({ delivered, delivery }: InFlightMessage): Awaitable<ReadResult> {
    return readDelivery(this.#context, delivered, delivery, this.#unread.decide);
  }

  #handle(inFlight: InFlightMessage, message: ReceivedMessage | UndecodedMessage): Promise<void> | undefined {
    this.#unread.onDecoded();
    inFlight.onRead?.();
    // It may have been abandoned while it was read.
    return inFlight.isAborted ? undefined : this.#handling.handle(message, inFlight);
  }

  /** While it was held, its lock was renewed without limit; from now on the usual limit applies. */
  #restartRenewal({ delivery }: InFlightMessage): void {
    if (delivery === undefined) return;
    this.#context.renewal.forget(delivery);
    this.#context.renewal.track(delivery, this.#settings.renewForMs);
  }

  /**
   * Whether the next message may start while completions are pending, as in the official SDK. Not in a session, where a message whose
   * completion failed would be delivered again after a later one.
   */
  get #mayGoOn(): boolean {
    const completing = this.#inFlight.size - this.#busyCalls - this.#waiting.length;
    const maxCompleting = completionsPerCall * this.#settings.maxConcurrentCalls;
    return this.#context.session === undefined && completing < maxCompleting;
  }

  /** Frees the message's place in the transport, and its call slot. */
  #release(inFlight: InFlightMessage): void {
    inFlight.free();
    this.#freeSlot(inFlight);
  }

  /** Passes the call slot of a message to the next one. */
  #freeSlot(inFlight: InFlightMessage): void {
    if (!inFlight.hasSlot) return;
    inFlight.hasSlot = false;
    this.#busyCalls--;
    const next = this.#waiting.shift();
    if (next !== undefined) void this.#process(next);
  }

  /** The message is settled, or it is held. */
  #leave(inFlight: InFlightMessage): void {
    // Its handler may finish after the time for closing was up.
    if (!this.#inFlight.delete(inFlight)) return;
    inFlight.onRead?.();
    if (this.#inFlight.size > 0) return;
    this.#settings.keeper?.onActivity(false);
    this.#onIdle?.();
  }

  #end(inFlight: InFlightMessage): void {
    inFlight.free();
    this.#leave(inFlight);
  }

  /** Stops at a message: it and those behind it stay locked until the session is closed. */
  #block(cause: BlockCause): void {
    this.#isBlocked = true;
    this.#subscription.stop().catch(this.#onError);
    // The transport stops only when their places are free.
    for (const inFlight of this.#waiting.splice(0)) this.#end(inFlight);
    this.#settings.keeper?.onBlocked(cause);
  }

  /** Abandons and ends a message that no handler has received. */
  async #abandonAndEnd(inFlight: InFlightMessage): Promise<void> {
    await this.#abandon(inFlight);
    this.#end(inFlight);
  }

  /** Abandons a message, except in a session that will be closed: closing releases it without increasing its delivery count. */
  async #abandon({ delivery }: InFlightMessage): Promise<void> {
    const isReleased = this.#settings.keeper !== undefined || this.#isBlocked;
    if (delivery !== undefined && !isReleased) await this.#handling.abandon(delivery);
  }

  /**
   * Stops receiving, abandons messages that no handler has received, and waits for the running handlers; when the time is up, their messages
   * are abandoned, too. Messages that could not be settled stay locked until their locks expire.
   */
  close(timeoutMs: number): Promise<void> {
    this.#closing ??= this.#close(timeoutMs);
    return this.#closing;
  }

  async #close(timeoutMs: number): Promise<void> {
    const { scheduler } = this.#context;
    this.#isClosing = true;
    const settlingMs = timeoutMs === Number.POSITIVE_INFINITY ? 0 : Math.min(timeoutMs / 5, maxSettlingMs);
    try {
      // The last fifth of the time is for abandoning what the handlers have not finished.
      if (await isDoneWithin(this.#finish(), timeoutMs - settlingMs, scheduler)) return;
      await isDoneWithin(this.#cutShort(), settlingMs, scheduler);
    } finally {
      // Handlers that hang must not keep the transport from closing.
      for (const inFlight of this.#inFlight.toArray()) this.#end(inFlight);
    }
  }

  async #finish(): Promise<void> {
    // First, so that what is abandoned now is not delivered here again.
    const stopped = this.#subscription.stop();
    const waiting = this.#waiting.splice(0).map((inFlight) => this.#abandonAndEnd(inFlight));
    await Promise.all([stopped, this.#unread.close(stopped), ...waiting]);
    if (this.#inFlight.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** Aborts the handlers that are still running and abandons their messages. */
  async #cutShort(): Promise<void> {
    const messages = this.#inFlight.toArray();
    await Promise.all([this.#unread.abandonHeld(), ...messages.map((each) => this.#takeFromHandler(each))]);
  }

  async #takeFromHandler(inFlight: InFlightMessage): Promise<void> {
    if (inFlight.hasSlot) {
      const { entityPath } = this.#context;
      const { messageId } = inFlight.delivered;
      const text =
        "The message was still being processed when the subscription had to close; it is abandoned.";
      const error = new WaybillError("timeout", text, { entityPath, messageId });
      inFlight.abort(error);
      void this.#report(error, "processMessageCallback", messageId);
    }
    if (inFlight.delivery !== undefined) await this.#handling.abandon(inFlight.delivery);
    this.#end(inFlight);
  }

  /** Called when the transport begins to stop, perhaps before the processor closes: held messages must not delay it. */
  readonly #onStopping = (): void => {
    if (!this.#isClosing) this.#unread.stop();
  };

  readonly #onError = (error: unknown): void => {
    void this.#report(error, "receive");
    if (!hasCode(error, "session-lock-lost")) return;
    const { health, receiver } = this.#context;
    health.sessionLost(receiver);
    for (const inFlight of this.#inFlight.toArray()) inFlight.abort(error);
    this.#settings.keeper?.onLost();
  };

  readonly #onRenewalError = (error: unknown, delivery: Delivery): void => {
    void this.#report(error, "renewLock", delivery.message.messageId);
    // The message will be delivered again, so its handler should not go on.
    if (!isLockLost(error)) return;
    for (const inFlight of this.#inFlight.toArray())
      if (inFlight.delivery === delivery) inFlight.abort(error);
  };
}
