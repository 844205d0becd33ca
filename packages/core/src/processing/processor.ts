import type { DeliveredMessage, TransportSubscription } from "../contracts/transport.js";
import { type Delivery, isLockLost } from "../delivery/delivery.js";
import type { IntakePolicy } from "../delivery/intake.js";
import { hasCode, WaybillError } from "../errors/error.js";
import { durationMs } from "../foundation/numbers.js";
import type { HeldMessage } from "../holding/held-messages.js";
import { Holding } from "../holding/holding.js";
import { processorPolicy } from "../holding/intake-policy.js";
import type { UndecodedMessage } from "../message/message.js";
import { CallSlots } from "./call-slots.js";
import { drain } from "./drain.js";
import { type ErrorReporter, errorReporter } from "./error-reporter.js";
import { Handling } from "./handling.js";
import { InFlightMessage } from "./in-flight-message.js";
import { InFlightMessages } from "./in-flight-messages.js";
import { MessageRunner } from "./message-runner.js";
import { PendingWaits } from "./pending-waits.js";
import type { CloseSubscriptionOptions, MessageHandlers, MessageSubscription } from "./processor-options.js";
import type { BlockCause, ProcessorSettings } from "./processor-settings.js";

/** How many completions per slot may be pending before further messages wait for them. */
const completionsPerCall = 8;

/**
 * Delivers messages to a handler until it is closed, and settles each according to the handler's result. `CallSlots` limits how many run
 * concurrently, `MessageRunner` runs one: it reads it, and `Handling` calls the handler and settles it. `drain` ends them.
 */
export class Processor implements MessageSubscription {
  readonly #settings: ProcessorSettings;
  readonly #report: ErrorReporter;
  readonly #messages: InFlightMessages;
  readonly #slots: CallSlots;
  readonly #waits: PendingWaits;
  readonly #handling: Handling;
  /** Undefined in a session in peek-lock mode: its order does not allow holding a message while others go on. */
  readonly #holding: Holding | undefined;
  readonly #runner: MessageRunner;
  readonly #subscription: TransportSubscription;
  #isBlocked = false;
  #isClosing = false;
  #closing: Promise<void> | undefined;

  constructor(handlers: MessageHandlers<unknown, UndecodedMessage>, settings: ProcessorSettings) {
    const { intake, session, maxConcurrentCalls, backoff } = settings;
    const keeper = session?.keeper;
    this.#settings = settings;
    this.#report = errorReporter(handlers, intake.settings.entityPath, session?.sessionId);
    const toContext = keeper === undefined ? (inFlight: InFlightMessage) => inFlight : keeper.toContext;
    this.#handling = new Handling(handlers, this.#report, { ...settings, toContext });
    this.#messages = new InFlightMessages(keeper && ((isBusy) => keeper.onActivity(isBusy)));
    this.#slots = new CallSlots(maxConcurrentCalls, (inFlight) => void this.#call(inFlight));
    this.#waits = new PendingWaits(intake.settings.scheduler, backoff);
    const isOrdered = session !== undefined && intake.settings.receiver.receiveMode === "peekLock";
    this.#holding = isOrdered || keeper !== undefined ? undefined : this.#createHolding();
    this.#runner = this.#createRunner();
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

  #createHolding(): Holding {
    return new Holding({
      ...this.#settings,
      readAgain: this.#readAgain,
      take: this.#take,
      onSettled: (event) => void this.#runner.notify(event),
      onError: this.#onError,
    });
  }

  #createRunner(): MessageRunner {
    return new MessageRunner({
      settings: this.#settings,
      report: this.#report,
      handling: this.#handling,
      holding: this.#holding,
      policy: this.#createPolicy(),
      waits: this.#waits,
      block: this.#block,
      abandon: this.#abandon,
    });
  }

  #createPolicy(): IntakePolicy | undefined {
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
          : async (delivered) => ((await keeper.tryBlock(delivered)) ? "block" : "deadLetter"),
    });
  }

  #subscribe(): TransportSubscription {
    const { intake, maxConcurrentCalls, prefetchCount } = this.#settings;
    const { receiver, observer, entityPath } = intake.settings;
    const onMessage = (delivered: DeliveredMessage): Promise<void> =>
      observer?.isTracing
        ? observer.process(entityPath, delivered, this.#onMessage)
        : this.#onMessage(delivered);
    return receiver.subscribe(
      { onMessage, onError: this.#onError, onStopping: this.#onStopping },
      { maxConcurrentCalls: maxConcurrentCalls + prefetchCount },
    );
  }

  readonly #onMessage = (delivered: DeliveredMessage): Promise<void> =>
    new Promise((resolve) => this.#start(new InFlightMessage(delivered, this.#open(delivered), resolve)));

  /** Handles a message that was deferred and received again. */
  readonly #take = (delivered: DeliveredMessage): Promise<void> =>
    new Promise((resolve) => {
      const inFlight = new InFlightMessage(delivered, this.#open(delivered), () => {});
      inFlight.onRead = resolve;
      this.#start(inFlight);
    });

  /** Reads a held message again, and handles it if it can be read. */
  readonly #readAgain = ({ delivered, delivery, free }: HeldMessage): Promise<void> =>
    new Promise((resolve) => {
      const inFlight = new InFlightMessage(delivered, delivery, free);
      inFlight.wasHeld = true;
      inFlight.onRead = resolve;
      this.#start(inFlight);
    });

  #open(delivered: DeliveredMessage): Delivery | undefined {
    const { intake, renewForMs } = this.#settings;
    return intake.open(delivered, renewForMs, this.#onRenewalError);
  }

  #start(inFlight: InFlightMessage): void {
    this.#messages.add(inFlight);
    const isReceiving = !this.#isClosing && !this.#isBlocked;
    // A message without a lock cannot be abandoned, so it has to be handled even while closing.
    if (!isReceiving && inFlight.delivery !== undefined) void this.#giveBack(inFlight);
    else this.#slots.acquire(inFlight);
  }

  /** Runs a message that has acquired its slot, until it is settled or held. */
  async #call(inFlight: InFlightMessage): Promise<void> {
    if (inFlight.wasHeld) this.#restartRenewal(inFlight);
    try {
      if (!inFlight.isAborted) await this.#runner.run(inFlight);
    } catch (error) {
      // Nothing above is expected to throw; a rejection here could end the subscription.
      await this.#report(WaybillError.from(error), "receive", inFlight.delivered.messageId);
    }
    if (inFlight.isHeld) {
      this.#slots.release(inFlight);
      this.#messages.leave(inFlight);
      return;
    }
    if (inFlight.completing !== undefined) {
      if (this.#mayGoOn) this.#release(inFlight);
      await inFlight.completing;
    }
    this.#release(inFlight);
    this.#messages.end(inFlight);
  }

  /** While it was held, its lock was renewed without limit; from now on the usual limit applies. */
  #restartRenewal({ delivery }: InFlightMessage): void {
    if (delivery === undefined) return;
    const { intake, renewForMs } = this.#settings;
    intake.renewal.forget(delivery);
    intake.renewal.track(delivery, renewForMs);
  }

  /** Releases the message's slots of the transport and of the processor. */
  #release(inFlight: InFlightMessage): void {
    if (!inFlight.isCalling) return;
    inFlight.end();
    this.#slots.release(inFlight);
  }

  /**
   * Whether the next message may start while completions are pending, as in the official SDK. Not in a session, where a message whose
   * completion failed would be delivered again after a later one.
   */
  get #mayGoOn(): boolean {
    const { session, maxConcurrentCalls } = this.#settings;
    const completing = this.#messages.size - this.#slots.size;
    return session === undefined && completing < completionsPerCall * maxConcurrentCalls;
  }

  /** Stops at a message: it and those behind it stay locked until the session is closed. */
  readonly #block = (cause: BlockCause): void => {
    this.#isBlocked = true;
    this.#subscription.stop().catch(this.#onError);
    for (const inFlight of this.#slots.takeWaiting()) this.#messages.end(inFlight);
    this.#settings.session?.keeper?.onBlocked(cause);
  };

  async #close(timeoutMs: number): Promise<void> {
    this.#isClosing = true;
    try {
      const parts = {
        settings: this.#settings,
        subscription: this.#subscription,
        messages: this.#messages,
        slots: this.#slots,
        waits: this.#waits,
        holding: this.#holding,
        handling: this.#handling,
        report: this.#report,
        giveBack: this.#giveBack,
      };
      await drain(parts, timeoutMs);
    } finally {
      this.#settings.onClosed(this);
    }
  }

  /** Abandons and ends a message that no handler has received. */
  readonly #giveBack = async (inFlight: InFlightMessage): Promise<void> => {
    await this.#abandon(inFlight);
    this.#messages.end(inFlight);
  };

  /** Abandons a message, except in a session that will be closed: closing releases it without increasing its delivery count. */
  readonly #abandon = async ({ delivery }: InFlightMessage): Promise<void> => {
    const isReleased = this.#settings.session?.keeper !== undefined || this.#isBlocked;
    if (delivery !== undefined && !isReleased) await this.#handling.abandon(delivery);
  };

  /** Called when the transport begins to stop, perhaps before the processor closes: held messages must not delay it. */
  readonly #onStopping = (): void => {
    if (!this.#isClosing) this.#holding?.releaseSlots();
    this.#waits.endInPlace();
  };

  readonly #onError = (error: unknown): void => {
    void this.#report(error, "receive");
    if (!hasCode(error, "session-lock-lost")) return;
    const { health, receiver } = this.#settings.intake.settings;
    health.sessionLost(receiver);
    for (const inFlight of this.#messages.toArray()) inFlight.abort(error);
    this.#settings.session?.keeper?.onLost();
  };

  readonly #onRenewalError = (error: unknown, delivery: Delivery): void => {
    void this.#report(error, "renewLock", delivery.message.messageId);
    if (!isLockLost(error)) return;
    for (const inFlight of this.#messages.toArray())
      if (inFlight.delivery === delivery) inFlight.abort(error);
  };
}
