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
import { Flight } from "./flight.js";
import { Handling } from "./handling.js";
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
  readonly #flights = new LinkedSet<Flight>();
  /** Received ahead, in order. */
  readonly #waiting: Flight[] = [];
  #busyCalls = 0;
  #isBlocked = false;
  #isFinishing = false;
  readonly #subscription: TransportSubscription;
  #closing: Promise<void> | undefined;
  #onAllLanded: (() => void) | undefined;

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
      toContext: session?.keeper === undefined ? (flight) => flight : session.keeper.toContext,
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
      this.#callNext(this.#takeOff(delivered, this.#open(delivered), resolve));
    });

  /** Handles a message that comes back from where it was set aside. */
  readonly #take = (delivered: DeliveredMessage): Promise<void> =>
    new Promise((resolve) => {
      const flight = this.#takeOff(delivered, this.#open(delivered), () => {});
      flight.onRead = resolve;
      this.#callNext(flight);
    });

  /** Reads a held message again, and handles it if it can be read. */
  readonly #readAgain = ({ delivered, delivery, free }: HeldMessage): Promise<void> =>
    new Promise((resolve) => {
      const flight = this.#takeOff(delivered, delivery, free);
      flight.wasHeld = true;
      flight.onRead = resolve;
      this.#callNext(flight);
    });

  #callNext(flight: Flight): void {
    // What cannot be given back has to be handled, whatever else is going on.
    if (!this.#isReceiving && flight.delivery !== undefined) void this.#giveBack(flight);
    else if (this.#busyCalls < this.#settings.maxConcurrentCalls) void this.#call(flight);
    else this.#waiting.push(flight);
  }

  readonly #open = (delivered: DeliveredMessage): Delivery | undefined => {
    const { intake, renewForMs } = this.#settings;
    return intake.open(delivered, renewForMs, this.#onRenewalError);
  };

  #takeOff(delivered: DeliveredMessage, delivery: Delivery | undefined, onEnd: () => void): Flight {
    const flight = new Flight(delivered, delivery, onEnd);
    if (this.#flights.size === 0) this.#settings.session?.keeper?.onActivity(true);
    this.#flights.add(flight);
    return flight;
  }

  #land(flight: Flight): void {
    flight.end();
    this.#leave(flight);
  }

  #leave(flight: Flight): void {
    if (!this.#flights.delete(flight)) return;
    flight.onRead?.();
    if (this.#flights.size > 0) return;
    this.#settings.session?.keeper?.onActivity(false);
    this.#onAllLanded?.();
  }

  /** Whether messages that come are wanted: not while closing or blocked. */
  get #isReceiving(): boolean {
    return this.#closing === undefined && !this.#isBlocked;
  }

  async #call(flight: Flight): Promise<void> {
    this.#pickUp(flight);
    try {
      if (!flight.isAborted) await this.#process(flight);
    } catch (error) {
      // Nothing above throws; if it did, a rejection here could end the subscription.
      await this.#report(WaybillError.from(error), "receive", flight.delivered.messageId);
    }
    if (flight.isHeld) {
      this.#freeCall(flight);
      this.#leave(flight);
      return;
    }
    if (flight.completing !== undefined) {
      if (this.#mayGoOn) this.#hangUp(flight);
      await flight.completing;
    }
    this.#hangUp(flight);
    this.#land(flight);
  }

  #pickUp(flight: Flight): void {
    this.#busyCalls += 1;
    flight.isCalling = true;
    if (!flight.wasHeld || flight.delivery === undefined) return;
    // While it was held its lock was renewed without end; now its handler has as long as any other.
    const { intake, renewForMs } = this.#settings;
    intake.renewal.forget(flight.delivery);
    intake.renewal.track(flight.delivery, renewForMs);
  }

  /** Frees the call that a message took, for the next one. */
  #hangUp(flight: Flight): void {
    if (!flight.isCalling) return;
    flight.end();
    this.#freeCall(flight);
  }

  #freeCall(flight: Flight): void {
    flight.isCalling = false;
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
    const completing = this.#flights.size - this.#busyCalls - this.#waiting.length;
    return session === undefined && completing < completionsPerCall * maxConcurrentCalls;
  }

  /** Without a frame of its own, which would show: most messages are read at once and only wait for their handler. */
  #process(flight: Flight): Promise<void> {
    const reading = this.#settings.intake.read(flight.delivered, flight.delivery, this.#policy);
    const pass = (result: IntakeResult) => {
      if (isUndeserializableEvent(result)) return this.#conclude(result, flight);
      flight.onRead?.();
      // It may have been given back while it was read.
      return flight.isAborted ? Promise.resolve() : this.#handling.handle(result, flight);
    };
    return isPromise(reading) ? (reading as Promise<IntakeResult>).then(pass) : pass(reading as IntakeResult);
  }

  async #conclude(event: UndeserializableEvent, flight: Flight): Promise<void> {
    if (event.disposition === "held") return this.#hold(event, flight);
    // Before anything that takes time: what comes behind it must not overtake it.
    if (event.disposition === "blocked") {
      this.#block(this.#settings.isBlocking ? "unreadable" : "circuitOpen");
    } else if (flight.delivery === undefined) this.#holdPlace(event, flight);
    await this.#tell(event);
    if (event.disposition !== "abandoned" || flight.delivery === undefined) return;
    this.#abandons ??= new DelayedAbandons(this.#settings.intake.settings.scheduler, this.#settings.backoff);
    if (this.#closing !== undefined) this.#abandons.flush();
    await abandonUndecoded(flight.delivery, this.#abandons, (error) => {
      void this.#report(error, "abandon", event.message.messageId);
    });
  }

  /** Keeps a message that cannot be read now: beside the others, or in its place where order counts. */
  async #hold(event: UndeserializableEvent, flight: Flight): Promise<void> {
    const { session } = this.#settings;
    if (session?.keeper !== undefined) {
      this.#block("unavailable");
      return this.#tell({ ...event, disposition: "blocked" });
    }
    if (this.#holding === undefined) {
      await this.#tell(event);
      return this.#readInPlace(flight, event);
    }
    flight.isHeld = true;
    const outcome = await this.#holding.hold(this.#toHeld(event, flight));
    if (outcome !== undefined && !(flight.wasHeld && outcome.disposition === "held"))
      await this.#tell(outcome);
  }

  /** What the broker has deleted already cannot be held, but keeps the next from being deleted too. */
  #holdPlace(event: UndeserializableEvent, flight: Flight): void {
    const held = this.#toHeld(event, flight);
    if (held.circuit === undefined) return;
    if (this.#settings.session?.keeper !== undefined) this.#block("circuitOpen");
    if (this.#holding === undefined) return;
    flight.isHeld = true;
    void this.#holding.hold(held);
  }

  #toHeld({ message }: UndeserializableEvent, flight: Flight): HeldMessage {
    const { delivered, delivery, end: free } = flight;
    const outcome = message.failure;
    const circuit =
      outcome.status === "undeserializable"
        ? this.#settings.breaker?.openCircuitOf(delivered, outcome.report)
        : undefined;
    return { delivered, delivery, outcome, circuit, opening: circuit?.opening ?? 0, free };
  }

  /** Reads a message of a session again and again: what lies behind it waits. */
  async #readInPlace(flight: Flight, event: UndeserializableEvent): Promise<void> {
    const { intake, breaker, backoff, session } = this.#settings;
    this.#waitingInPlace ??= new AbortController();
    if (this.#closing !== undefined) this.#waitingInPlace.abort();
    const result = await readInPlace(flight, event.error, {
      intake,
      breaker,
      backoff,
      keepLock: session?.keepLock,
      policy: this.#policy,
      signal: this.#waitingInPlace.signal,
    });
    if (result === undefined) {
      const isClosing = this.#closing !== undefined && !flight.isAborted;
      if (isClosing && flight.delivery !== undefined) await this.#handling.abandon(flight.delivery);
    } else if (isUndeserializableEvent(result)) await this.#conclude(result, flight);
    else await this.#handling.handle(result, flight);
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
    for (const flight of this.#waiting.splice(0)) this.#land(flight);
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
      for (const flight of this.#flights.toArray()) this.#land(flight);
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
      ...this.#waiting.splice(0).map((flight) => this.#giveBack(flight)),
    ]);
    if (this.#flights.size > 0) await new Promise<void>((resolve) => (this.#onAllLanded = resolve));
  }

  /** Takes their messages from the handlers that still run. */
  async #cutShort(): Promise<void> {
    const { entityPath } = this.#settings.intake.settings;
    const text =
      "Its handler was not done when the subscription had to be closed; the message is given back.";
    await Promise.all([
      this.#holding?.giveBack(),
      ...this.#flights.toArray().map(async (flight) => {
        if (flight.isCalling) {
          const { messageId } = flight.delivered;
          const error = new WaybillError("timeout", text, { entityPath, messageId });
          flight.abort(error);
          void this.#report(error, "processMessageCallback", messageId);
        }
        if (flight.delivery !== undefined) await this.#handling.abandon(flight.delivery);
        this.#land(flight);
      }),
    ]);
  }

  /** Gives back a message that no handler has seen. In a session that will be closed it needs no settling, and counts no delivery. */
  async #giveBack(flight: Flight): Promise<void> {
    const { delivery } = flight;
    const isReleased = this.#settings.session?.keeper !== undefined || this.#isBlocked;
    if (delivery !== undefined && !isReleased) await this.#handling.abandon(delivery);
    this.#land(flight);
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
    for (const flight of this.#flights.toArray()) flight.abort(error);
    this.#settings.session?.keeper?.onLost();
  };

  readonly #onRenewalError = (error: unknown, delivery: Delivery): void => {
    void this.#report(error, "renewLock", delivery.message.messageId);
    if (!isLockLost(error)) return;
    for (const flight of this.#flights.toArray()) if (flight.delivery === delivery) flight.abort(error);
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
