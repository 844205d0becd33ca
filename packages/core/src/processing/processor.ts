import type { DeliveredMessage, TransportSubscription } from "../contracts/transport.js";
import { DelayedAbandons } from "../delivery/delayed-abandons.js";
import { type Delivery, isLockLost } from "../delivery/delivery.js";
import { type IntakeResult, isUndeserializableEvent, type UnreadablePolicy } from "../delivery/intake.js";
import { abandonUndecoded } from "../delivery/settle-undecoded.js";
import { WaybillError } from "../errors/error.js";
import { durationMs } from "../foundation/duration.js";
import { isPromise } from "../foundation/is-promise.js";
import { LinkedSet } from "../foundation/linked-set.js";
import { isDoneWithin } from "../foundation/within.js";
import type { HeldMessage } from "../holding/held-messages.js";
import { Holding } from "../holding/holding.js";
import { processorPolicy } from "../holding/unreadable-policy.js";
import type { MessageId, UndecodedMessage } from "../message/message.js";
import type { UndeserializableEvent } from "../message/undeserializable-event.js";
import { ErrorReporter } from "./error-reporter.js";
import { Handling } from "./handling.js";
import { InFlightMessage } from "./in-flight-message.js";
import type { CloseSubscriptionOptions, MessageHandlers, MessageSubscription } from "./processor-options.js";
import type { BlockCause, ProcessorSettings } from "./processor-settings.js";
import { readInPlace } from "./read-in-place.js";

/** So many messages for each call may wait for the broker to confirm their completion, and hold no handler up. */
const completionsPerCall = 8;

/** Handlers get no less than four fifths of the time for closing; settling what they left takes at most this long. In milliseconds. */
const longestSettlingMs = 5_000;

/** Delivers messages to a handler until it is closed, and settles each by what the handler did. */
export class Processor implements MessageSubscription {
  readonly #settings: ProcessorSettings;
  readonly #reporter: ErrorReporter;
  readonly #handling: Handling;
  readonly #policy: UnreadablePolicy | undefined;
  /** Undefined in a session, whose order leaves nothing to hold beside it. */
  readonly #holding: Holding | undefined;
  /** Made when there is something to give back later, and something to wait for. */
  #abandons: DelayedAbandons | undefined;
  #waitingInPlace: AbortController | undefined;
  readonly #inFlightMessages = new LinkedSet<InFlightMessage>();
  /** Received ahead, in order. */
  readonly #waiting: InFlightMessage[] = [];
  #busyCalls = 0;
  #isBlocked = false;
  #isFinishing = false;
  readonly #subscription: TransportSubscription;
  #closing: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(handlers: MessageHandlers<unknown, UndecodedMessage>, settings: ProcessorSettings) {
    const { intake, session, isAutoCompleting, retry } = settings;
    this.#settings = settings;
    this.#reporter = new ErrorReporter(
      (args) => handlers.processError(args),
      intake.settings.entityPath,
      session?.sessionId,
    );
    this.#handling = new Handling(handlers, this.#reporter, {
      intake: intake.settings,
      renewal: intake.renewal,
      isAutoCompleting,
      retry,
      toContext: session?.keeper === undefined ? (inFlight) => inFlight : session.keeper.toContext,
    });
    const isOrdered = session !== undefined && intake.settings.receiver.receiveMode === "peekLock";
    this.#holding = isOrdered || session?.keeper !== undefined ? undefined : this.#createHolding();
    this.#policy = this.#createPolicy();
    this.#subscription = this.#subscribe();
  }

  close(options: CloseSubscriptionOptions = {}): Promise<void> {
    this.#closing ??= this.#close(
      durationMs("closeTimeoutInMs", options.closeTimeoutInMs, this.#settings.closeTimeoutMs),
    );
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #subscribe(): TransportSubscription {
    const { intake, maxConcurrentCalls, prefetchCount } = this.#settings;
    return intake.settings.receiver.subscribe(
      { onMessage: this.#onMessage, onError: this.#onError, onStopping: this.#onStopping },
      { maxConcurrentCalls: maxConcurrentCalls + prefetchCount },
    );
  }

  #createHolding(): Holding {
    const { intake, breaker, backoff, canDefer } = this.#settings;
    return new Holding({
      intake,
      breaker,
      backoff,
      canDefer,
      readAgain: this.#readAgain,
      take: this.#take,
      onSettled: (event) => void this.#tell(event),
      onError: this.#onError,
    });
  }

  #createPolicy(): UnreadablePolicy | undefined {
    const { breaker, isBlocking, session } = this.#settings;
    const keeper = session?.keeper;
    const holding = this.#holding;
    return processorPolicy({
      breaker,
      isBlocking,
      onDecoded: () => (keeper ?? holding)?.onDecoded(),
      whileOpen:
        keeper === undefined
          ? () => "hold"
          : async (delivered) => ((await keeper.mayBlock(delivered)) ? "block" : "deadLetter"),
    });
  }

  readonly #onMessage = (delivered: DeliveredMessage): Promise<void> =>
    new Promise((resolve) => {
      this.#callNext(this.#addInFlight(delivered, this.#open(delivered), resolve));
    });

  /** Handles a message that comes back from where it was set aside. */
  readonly #take = (delivered: DeliveredMessage): Promise<void> =>
    new Promise((resolve) => {
      const inFlight = this.#addInFlight(delivered, this.#open(delivered), () => {});
      inFlight.onRead = resolve;
      this.#callNext(inFlight);
    });

  /** Reads a held message again, and handles it if it can be read. */
  readonly #readAgain = ({ delivered, delivery, free }: HeldMessage): Promise<void> =>
    new Promise((resolve) => {
      const inFlight = this.#addInFlight(delivered, delivery, free);
      inFlight.wasHeld = true;
      inFlight.onRead = resolve;
      this.#callNext(inFlight);
    });

  #callNext(inFlight: InFlightMessage): void {
    // What cannot be given back has to be handled, whatever else is going on.
    if (!this.#isReceiving && inFlight.delivery !== undefined) void this.#giveBack(inFlight);
    else if (this.#busyCalls < this.#settings.maxConcurrentCalls) void this.#call(inFlight);
    else this.#waiting.push(inFlight);
  }

  readonly #open = (delivered: DeliveredMessage): Delivery | undefined => {
    const { intake, renewForMs } = this.#settings;
    return intake.open(delivered, renewForMs, this.#onRenewalError);
  };

  #addInFlight(
    delivered: DeliveredMessage,
    delivery: Delivery | undefined,
    onEnd: () => void,
  ): InFlightMessage {
    const inFlight = new InFlightMessage(delivered, delivery, onEnd);
    if (this.#inFlightMessages.size === 0) this.#settings.session?.keeper?.onActivity(true);
    this.#inFlightMessages.add(inFlight);
    return inFlight;
  }

  #removeInFlight(inFlight: InFlightMessage): void {
    inFlight.end();
    this.#leave(inFlight);
  }

  #leave(inFlight: InFlightMessage): void {
    if (!this.#inFlightMessages.delete(inFlight)) return;
    inFlight.onRead?.();
    if (this.#inFlightMessages.size > 0) return;
    this.#settings.session?.keeper?.onActivity(false);
    this.#onIdle?.();
  }

  /** Whether messages that come are wanted: not while closing or blocked. */
  get #isReceiving(): boolean {
    return this.#closing === undefined && !this.#isBlocked;
  }

  async #call(inFlight: InFlightMessage): Promise<void> {
    this.#acquireSlot(inFlight);
    try {
      if (!inFlight.isAborted) await this.#process(inFlight);
    } catch (error) {
      // Nothing above throws; if it did, a rejection here could end the subscription.
      await this.#report(WaybillError.from(error), "receive", inFlight.delivered.messageId);
    }
    if (inFlight.isHeld) {
      this.#freeCall(inFlight);
      this.#leave(inFlight);
      return;
    }
    if (inFlight.completing !== undefined) {
      if (this.#mayGoOn) this.#releaseSlot(inFlight);
      await inFlight.completing;
    }
    this.#releaseSlot(inFlight);
    this.#removeInFlight(inFlight);
  }

  #acquireSlot(inFlight: InFlightMessage): void {
    this.#busyCalls += 1;
    inFlight.isCalling = true;
    if (!inFlight.wasHeld || inFlight.delivery === undefined) return;
    // While it was held its lock was renewed without end; now its handler has as long as any other.
    const { intake, renewForMs } = this.#settings;
    intake.renewal.forget(inFlight.delivery);
    intake.renewal.track(inFlight.delivery, renewForMs);
  }

  /** Frees the call that a message took, for the next one. */
  #releaseSlot(inFlight: InFlightMessage): void {
    if (!inFlight.isCalling) return;
    inFlight.end();
    this.#freeCall(inFlight);
  }

  #freeCall(inFlight: InFlightMessage): void {
    inFlight.isCalling = false;
    this.#busyCalls -= 1;
    const next = this.#waiting.shift();
    if (next !== undefined) void this.#call(next);
  }

  /**
   * Whether the next message need not wait until one is completed, as with the SDK. In a session it must: what could not be completed
   * would come again behind it.
   */
  get #mayGoOn(): boolean {
    const { session, maxConcurrentCalls } = this.#settings;
    const completing = this.#inFlightMessages.size - this.#busyCalls - this.#waiting.length;
    return session === undefined && completing < completionsPerCall * maxConcurrentCalls;
  }

  /** Without a frame of its own, which would show: most messages are read at once and only wait for their handler. */
  #process(inFlight: InFlightMessage): Promise<void> {
    const reading = this.#settings.intake.read(inFlight.delivered, inFlight.delivery, this.#policy);
    const pass = (result: IntakeResult) => {
      if (isUndeserializableEvent(result)) return this.#conclude(result, inFlight);
      inFlight.onRead?.();
      // It may have been given back while it was read.
      return inFlight.isAborted ? Promise.resolve() : this.#handling.handle(result, inFlight);
    };
    return isPromise(reading) ? (reading as Promise<IntakeResult>).then(pass) : pass(reading as IntakeResult);
  }

  async #conclude(event: UndeserializableEvent, inFlight: InFlightMessage): Promise<void> {
    if (event.disposition === "held") return this.#hold(event, inFlight);
    // Before anything that takes time: what comes behind it must not overtake it.
    if (event.disposition === "blocked") {
      this.#block(this.#settings.isBlocking ? "unreadable" : "circuitOpen");
    } else if (inFlight.delivery === undefined) this.#holdPlace(event, inFlight);
    await this.#tell(event);
    if (event.disposition !== "abandoned" || inFlight.delivery === undefined) return;
    this.#abandons ??= new DelayedAbandons(this.#settings.intake.settings.scheduler, this.#settings.backoff);
    if (this.#closing !== undefined) this.#abandons.flush();
    await abandonUndecoded(inFlight.delivery, this.#abandons, (error) => {
      void this.#report(error, "abandon", event.message.messageId);
    });
  }

  /** Keeps a message that cannot be read now: beside the others, or in its place where order counts. */
  async #hold(event: UndeserializableEvent, inFlight: InFlightMessage): Promise<void> {
    const { session } = this.#settings;
    if (session?.keeper !== undefined) {
      this.#block("unavailable");
      return this.#tell({ ...event, disposition: "blocked" });
    }
    if (this.#holding === undefined) {
      await this.#tell(event);
      return this.#readInPlace(inFlight, event);
    }
    inFlight.isHeld = true;
    const outcome = await this.#holding.hold(this.#toHeld(event, inFlight));
    if (outcome !== undefined && !(inFlight.wasHeld && outcome.disposition === "held"))
      await this.#tell(outcome);
  }

  /** What the broker has deleted already cannot be held, but keeps the next from being deleted too. */
  #holdPlace(event: UndeserializableEvent, inFlight: InFlightMessage): void {
    const held = this.#toHeld(event, inFlight);
    if (held.circuit === undefined) return;
    if (this.#settings.session?.keeper !== undefined) this.#block("circuitOpen");
    if (this.#holding === undefined) return;
    inFlight.isHeld = true;
    void this.#holding.hold(held);
  }

  #toHeld({ message }: UndeserializableEvent, inFlight: InFlightMessage): HeldMessage {
    const { delivered, delivery, end: free } = inFlight;
    const outcome = message.failure;
    const circuit =
      outcome.status === "undeserializable"
        ? this.#settings.breaker?.openCircuitOf(delivered, outcome.report)
        : undefined;
    return { delivered, delivery, outcome, circuit, opening: circuit?.opening ?? 0, free };
  }

  /** Reads a message of a session again and again: what lies behind it waits. */
  async #readInPlace(inFlight: InFlightMessage, event: UndeserializableEvent): Promise<void> {
    const { intake, breaker, backoff, session } = this.#settings;
    this.#waitingInPlace ??= new AbortController();
    if (this.#closing !== undefined) this.#waitingInPlace.abort();
    const result = await readInPlace(inFlight, event.error, {
      intake,
      breaker,
      backoff,
      keepLock: session?.keepLock,
      policy: this.#policy,
      signal: this.#waitingInPlace.signal,
    });
    if (result === undefined) {
      const isClosing = this.#closing !== undefined && !inFlight.isAborted;
      if (isClosing) await this.#letGo(inFlight);
    } else if (isUndeserializableEvent(result)) await this.#conclude(result, inFlight);
    else await this.#handling.handle(result, inFlight);
  }

  async #tell(event: UndeserializableEvent): Promise<void> {
    const { message, disposition, error, settlementError } = event;
    this.#settings.onUndeserializable(event);
    if (settlementError !== undefined) {
      const source = disposition === "unsettled" ? "deadLetter" : "quarantine";
      await this.#report(settlementError, source, message.messageId);
    }
    const explained = this.#settings.breaker?.explain(error) ?? error;
    await this.#report(explained, "deserialize", message.messageId, event);
  }

  /** Stops at a message for good: it and all that came with it stay locked until the session is closed. */
  #block(cause: BlockCause): void {
    this.#isBlocked = true;
    this.#subscription.stop().catch(this.#onError);
    for (const inFlight of this.#waiting.splice(0)) this.#removeInFlight(inFlight);
    this.#settings.session?.keeper?.onBlocked(cause);
  }

  async #close(timeoutMs: number): Promise<void> {
    const { intake, onClosed } = this.#settings;
    const { scheduler } = intake.settings;
    const settlingMs =
      timeoutMs === Number.POSITIVE_INFINITY ? 0 : Math.min(timeoutMs / 5, longestSettlingMs);
    const finished = this.#finish();
    this.#abandons?.flush();
    try {
      if (await isDoneWithin(finished, timeoutMs - settlingMs, scheduler)) return;
      await isDoneWithin(this.#cutShort(), settlingMs, scheduler);
    } finally {
      // What even so is not settled stays locked until its lock runs out.
      for (const inFlight of this.#inFlightMessages.toArray()) this.#removeInFlight(inFlight);
      onClosed(this);
    }
  }

  async #finish(): Promise<void> {
    this.#isFinishing = true;
    const stopped = this.#subscription.stop();
    this.#waitingInPlace?.abort();
    await Promise.all([
      stopped,
      this.#holding?.close(stopped),
      ...this.#waiting.splice(0).map((inFlight) => this.#giveBack(inFlight)),
    ]);
    if (this.#inFlightMessages.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** Takes their messages from the handlers that still run. */
  async #cutShort(): Promise<void> {
    const { entityPath } = this.#settings.intake.settings;
    const text =
      "Its handler was not done when the subscription had to be closed; the message is given back.";
    await Promise.all([
      this.#holding?.giveBack(),
      ...this.#inFlightMessages.toArray().map(async (inFlight) => {
        if (inFlight.isCalling) {
          const { messageId } = inFlight.delivered;
          const error = new WaybillError("timeout", text, { entityPath, messageId });
          inFlight.abort(error);
          void this.#report(error, "processMessageCallback", messageId);
        }
        if (inFlight.delivery !== undefined) await this.#handling.abandon(inFlight.delivery);
        this.#removeInFlight(inFlight);
      }),
    ]);
  }

  /** Gives back a message that no handler has seen. */
  async #giveBack(inFlight: InFlightMessage): Promise<void> {
    await this.#letGo(inFlight);
    this.#removeInFlight(inFlight);
  }

  /** Abandons a message. In a session that will be closed it needs no settling, and counts no delivery. */
  async #letGo({ delivery }: InFlightMessage): Promise<void> {
    const isReleased = this.#settings.session?.keeper !== undefined || this.#isBlocked;
    if (delivery !== undefined && !isReleased) await this.#handling.abandon(delivery);
  }

  /** The transport closes, perhaps before the processor: what only waits must not hold it up. */
  readonly #onStopping = (): void => {
    if (!this.#isFinishing) this.#holding?.letGo();
    this.#waitingInPlace?.abort();
  };

  readonly #onError = (error: unknown): void => {
    void this.#report(error, "receive");
    if (!(error instanceof WaybillError) || error.code !== "session-lock-lost") return;
    const { health, receiver } = this.#settings.intake.settings;
    health.sessionLost(receiver);
    for (const inFlight of this.#inFlightMessages.toArray()) inFlight.abort(error);
    this.#settings.session?.keeper?.onLost();
  };

  readonly #onRenewalError = (error: unknown, delivery: Delivery): void => {
    void this.#report(error, "renewLock", delivery.message.messageId);
    if (!isLockLost(error)) return;
    for (const inFlight of this.#inFlightMessages.toArray())
      if (inFlight.delivery === delivery) inFlight.abort(error);
  };

  #report(
    error: unknown,
    source: Parameters<ErrorReporter["report"]>[1],
    messageId?: MessageId,
    event?: UndeserializableEvent,
  ): Promise<void> {
    return this.#reporter.report(error, source, messageId, event);
  }
}
