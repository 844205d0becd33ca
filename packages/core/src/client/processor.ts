import { isPromise } from "../deserialization/attempt.js";
import type { DeserializationReport } from "../deserialization/report.js";
import { WaybillError } from "../error.js";
import type { MessageId, UndecodedMessage } from "../message.js";
import type { DeliveredMessage, TransportSubscription } from "../transport.js";
import type { CircuitBreaker } from "./circuit-breaker.js";
import type { DelayedAbandons } from "./delayed-abandons.js";
import { type Delivery, isLockLost } from "./delivery.js";
import { durationMs } from "./duration.js";
import { ErrorReporter } from "./error-reporter.js";
import { Flight, type MessageContext } from "./flight.js";
import { Handling, type RetrySettings } from "./handling.js";
import {
  type Intake,
  type IntakeResult,
  isUndeserializableEvent,
  type Judge,
  type Verdict,
} from "./intake.js";
import { LinkedSet } from "./linked-set.js";
import { type HeldMessage, Probing } from "./probing.js";
import type { CloseSubscriptionOptions, MessageHandlers, MessageSubscription } from "./processor-options.js";
import { abandonUndecoded } from "./settle-undecoded.js";
import type { UndeserializableEvent } from "./undeserializable-event.js";
import { isDoneWithin } from "./within.js";

/** What a processor works with beside its handlers. */
export interface ProcessorSettings {
  readonly intake: Intake;
  readonly abandons: DelayedAbandons;
  readonly maxConcurrentCalls: number;
  readonly prefetchCount: number;
  readonly isAutoCompleting: boolean;
  readonly renewForMs: number;
  readonly closeTimeoutMs: number;
  readonly retry: RetrySettings | undefined;
  readonly breaker: CircuitBreaker | undefined;
  /** Whether it stops at a message that nobody can read, leaving it locked. */
  readonly isBlocking: boolean;
  /** The session that it serves. */
  readonly session: ProcessedSession | undefined;
  /** The client's hook. */
  readonly onUndeserializable: (event: UndeserializableEvent) => void;
  readonly onClosed: (processor: Processor) => void;
}

/** A session on which a processor runs, and whoever looks after it. */
export interface ProcessedSession {
  readonly sessionId: string;
  /** Whether somebody looks after it: sets it aside when it stops, and closes it when its processor is closed. */
  readonly keeper: SessionKeeper | undefined;
}

/** Is told what becomes of a session. */
export interface SessionKeeper {
  toContext(flight: Flight): MessageContext;
  /** A message came to a session that had none, or the last one is done. */
  onActivity(isBusy: boolean): void;
  /** The session stopped at a message that nobody can read. */
  onBlocked(): void;
  onLost(): void;
}

/** So many messages for each call may wait for the broker to confirm their completion, and hold no handler up. */
const completionsPerCall = 8;

/** Handlers get no less than four fifths of the time for closing; settling what they left takes at most this long. In milliseconds. */
const longestSettlingMs = 5_000;

/** Delivers messages to a handler until it is closed, and settles each by what the handler did. */
export class Processor implements MessageSubscription {
  readonly #settings: ProcessorSettings;
  readonly #reporter: ErrorReporter;
  readonly #handling: Handling;
  readonly #judge: Judge | undefined;
  readonly #flights = new LinkedSet<Flight>();
  /** Received ahead, in order. */
  readonly #waiting: Flight[] = [];
  #busyCalls = 0;
  #isBlocked = false;
  #subscription: TransportSubscription;
  #probing: Probing | undefined;
  #probed: Promise<void> | undefined;
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
    this.#judge = toJudge(settings);
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
      { onMessage: this.#onMessage, onError: this.#onError },
      { maxConcurrentCalls: maxConcurrentCalls + prefetchCount },
    );
  }

  readonly #onMessage = (delivered: DeliveredMessage): Promise<void> =>
    new Promise((resolve) => {
      const flight = this.#takeOff(delivered, this.#open(delivered), resolve);
      // What cannot be given back has to be handled, whatever else is going on.
      if (!this.#isReceiving && flight.delivery !== undefined) void this.#giveBack(flight);
      else if (this.#busyCalls < this.#settings.maxConcurrentCalls) void this.#call(flight);
      else this.#waiting.push(flight);
    });

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
    if (!this.#flights.delete(flight)) return;
    flight.end();
    if (this.#flights.size > 0) return;
    this.#settings.session?.keeper?.onActivity(false);
    this.#onAllLanded?.();
  }

  /** Whether messages that come are wanted: not while closing, blocked or probing. */
  get #isReceiving(): boolean {
    return this.#closing === undefined && !this.#isBlocked && this.#probing === undefined;
  }

  async #call(flight: Flight): Promise<void> {
    this.#pickUp(flight);
    try {
      if (!flight.isAborted) await this.#process(flight);
    } catch (error) {
      // Nothing above throws; if it did, a rejection here could end the subscription.
      await this.#report(WaybillError.from(error), "receive", flight.delivered.messageId);
    }
    if (this.#settings.breaker?.isOpen) this.#probe();
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
  }

  /** Frees the call that a message took, for the next one. */
  #hangUp(flight: Flight): void {
    if (!flight.isCalling) return;
    flight.isCalling = false;
    this.#busyCalls -= 1;
    flight.end();
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
    const reading = this.#settings.intake.read(flight.delivered, flight.delivery, this.#judge);
    const pass = (result: IntakeResult) =>
      isUndeserializableEvent(result)
        ? this.#conclude(result, flight)
        : this.#handling.handle(result, flight);
    return isPromise(reading) ? (reading as Promise<IntakeResult>).then(pass) : pass(reading as IntakeResult);
  }

  async #conclude(event: UndeserializableEvent, flight: Flight): Promise<void> {
    // Before anything that takes time: what comes behind it must not overtake it.
    if (event.disposition === "blocked") this.#block();
    if (event.disposition === "held") await this.#probe()?.hold(flight);
    await this.#tell(event);
    if (event.disposition !== "abandoned") return;
    await abandonUndecoded(flight.delivery!, this.#settings.abandons, (error) => {
      void this.#report(error, "abandon", event.message.messageId);
    });
  }

  async #tell(event: UndeserializableEvent): Promise<void> {
    const { message, disposition, error, settlementError } = event;
    this.#settings.onUndeserializable(event);
    if (settlementError !== undefined) {
      const source = disposition === "unsettled" ? "deadLetter" : "quarantine";
      await this.#report(settlementError, source, message.messageId);
    }
    await this.#report(error, "deserialize", message.messageId, event);
  }

  /** Stops at a message for good: it and all that came with it stay locked until the session is closed. */
  #block(): void {
    this.#isBlocked = true;
    this.#subscription.stop().catch(this.#onError);
    for (const flight of this.#waiting.splice(0)) this.#land(flight);
    this.#settings.session?.keeper?.onBlocked();
  }

  /** Stops receiving, to receive again when the breaker has closed. */
  #probe(): Probing | undefined {
    const { breaker, intake, session } = this.#settings;
    if (this.#probing !== undefined) return this.#probing;
    // Whoever keeps many sessions tries them one by one instead.
    if (!this.#isReceiving || breaker === undefined || session?.keeper !== undefined) return undefined;
    this.#probing = new Probing({
      breaker,
      receiver: intake.settings.receiver,
      renewal: intake.renewal,
      scheduler: intake.settings.scheduler,
      isOrdered: session !== undefined,
      read: this.#readProbe,
      open: this.#open,
      onError: this.#onError,
    });
    this.#probed = this.#runProbing(this.#probing);
    return this.#probing;
  }

  async #runProbing(probing: Probing): Promise<void> {
    for (const flight of this.#waiting.splice(0)) void this.#giveBack(flight);
    await this.#subscription.stop().catch(this.#onError);
    await probing.run();
    this.#probing = undefined;
    if (!this.#isReceiving) return;
    try {
      this.#subscription = this.#subscribe();
    } catch (error) {
      this.#onError(error);
    }
  }

  readonly #readProbe = async (
    { delivered, delivery }: HeldMessage,
    isHeldAlready: boolean,
  ): Promise<boolean> => {
    const flight = this.#takeOff(delivered, delivery, () => {});
    this.#pickUp(flight);
    try {
      const reading = this.#settings.intake.read(delivered, delivery, this.#judge);
      const result = isPromise(reading) ? await reading : reading;
      if (!isUndeserializableEvent(result)) {
        await this.#handling.handle(result, flight);
        await flight.completing;
        return false;
      }
      if (result.disposition !== "held") await this.#conclude(result, flight);
      else if (!isHeldAlready) await this.#tell(result);
      return result.disposition === "held" || delivery === undefined;
    } finally {
      this.#hangUp(flight);
      this.#land(flight);
    }
  };

  async #close(timeoutMs: number): Promise<void> {
    const { intake, abandons, onClosed } = this.#settings;
    const { scheduler } = intake.settings;
    const settlingMs =
      timeoutMs === Number.POSITIVE_INFINITY ? 0 : Math.min(timeoutMs / 5, longestSettlingMs);
    const finished = this.#finish();
    abandons.flush();
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
    const stopped = this.#subscription.stop();
    this.#probing?.stop();
    await Promise.all([
      stopped,
      this.#probed,
      ...this.#waiting.splice(0).map((flight) => this.#giveBack(flight)),
    ]);
    if (this.#flights.size > 0) await new Promise<void>((resolve) => (this.#onAllLanded = resolve));
  }

  /** Takes their messages from the handlers that still run. */
  async #cutShort(): Promise<void> {
    const { entityPath } = this.#settings.intake.settings;
    const text =
      "Its handler was not done when the subscription had to be closed; the message is given back.";
    await Promise.all(
      this.#flights.toArray().map(async (flight) => {
        if (flight.isCalling) {
          const { messageId } = flight.delivered;
          const error = new WaybillError("timeout", text, { entityPath, messageId });
          flight.abort(error);
          void this.#report(error, "processMessageCallback", messageId);
        }
        if (flight.delivery !== undefined) await this.#handling.abandon(flight.delivery);
        this.#land(flight);
      }),
    );
  }

  /** Gives back a message that no handler has seen. In a session that will be closed it needs no settling, and counts no delivery. */
  async #giveBack(flight: Flight): Promise<void> {
    const { delivery } = flight;
    const isReleased = this.#settings.session?.keeper !== undefined || this.#isBlocked;
    if (delivery !== undefined && !isReleased) await this.#handling.abandon(delivery);
    this.#land(flight);
  }

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

function toJudge({ breaker, isBlocking, session }: ProcessorSettings): Judge | undefined {
  if (breaker === undefined && !isBlocking) return undefined;
  const whileOpen: Verdict = isBlocking || session?.keeper !== undefined ? "block" : "hold";
  return {
    onDecoded: ({ subject }: DeliveredMessage, report: DeserializationReport) =>
      breaker?.onDecoded(report.messageType ?? subject, report),
    onUndeserializable({ subject }, report) {
      const isHeld = breaker?.onUndeserializable(report.messageType ?? subject, report) ?? false;
      if (isHeld) return whileOpen;
      return isBlocking ? "block" : "deadLetter";
    },
  };
}
