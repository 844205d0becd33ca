import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import type { DeliveredMessage, TransportSessionReceiver } from "../contracts/transport.js";
import { Intake } from "../delivery/intake.js";
import { steadyNow } from "../foundation/scheduler.js";
import type { UndecodedMessage } from "../message/message.js";
import type { ErrorReporter } from "../processing/error-reporter.js";
import type { Flight } from "../processing/flight.js";
import { Processor } from "../processing/processor.js";
import type { BlockCause, SessionKeeper } from "../processing/processor-settings.js";
import type {
  ResolvedSubscribeSessionsOptions,
  SessionMessageContext,
  SessionMessageHandlers,
} from "./session-processor-options.js";
import { SessionReceiver, type SessionReceiverSettings } from "./session-receiver.js";

/** What the run of one session works with. */
export interface SessionRunSettings {
  readonly receiver: SessionReceiverSettings;
  readonly handlers: SessionMessageHandlers<unknown, UndecodedMessage>;
  readonly options: ResolvedSubscribeSessionsOptions;
  readonly breaker: CircuitBreaker | undefined;
  readonly reporter: ErrorReporter;
  readonly events: SessionRunEvents;
}

/** What becomes of a session that is served. */
export interface SessionRunEvents {
  onBusy(run: SessionRun): void;
  onIdle(run: SessionRun): void;
  /** A message was read. */
  onDecoded(): void;
  /** Whether one more session may stop at a message whose circuit is open, instead of going on without it. */
  mayBlock(sequenceNumber: bigint): Promise<boolean>;
  onBlocked(run: SessionRun, cause: BlockCause): void;
  onEnded(run: SessionRun): void;
}

/** How many messages are peeked to see whether a session has any to deliver. */
const peekedMessages = 8;

/** One session from its acceptance until it is let go. */
export class SessionRun implements SessionKeeper {
  readonly session: SessionReceiver<UndecodedMessage>;
  readonly #settings: SessionRunSettings;
  readonly #transport: TransportSessionReceiver;
  /** From then on the lock is not renewed any more; without renewal, half of it is over. */
  readonly retireAtMs: number;
  readonly #intake: Intake;
  #processor: Processor | undefined;
  #lastSequenceNumber: bigint | undefined;
  #isBusy = false;
  #isIdle = false;
  #ending: Promise<void> | undefined;

  constructor(settings: SessionRunSettings) {
    const { receiver } = settings;
    this.#settings = settings;
    this.#transport = receiver.receiver;
    this.#intake = new Intake(receiver);
    this.session = new SessionReceiver<UndecodedMessage>(receiver, this.#intake);
    const { scheduler } = receiver;
    const halfLockMs = (this.session.sessionLockedUntilUtc.getTime() - scheduler.now()) / 2;
    this.retireAtMs = steadyNow(scheduler) + Math.max(receiver.renewForMs, halfLockMs);
  }

  /** Whether its handler has had no message yet. */
  get isFresh(): boolean {
    return this.#lastSequenceNumber === undefined;
  }

  /** Hands its messages to the handler from now on. Never rejects. */
  async start(): Promise<void> {
    const { handlers } = this.#settings;
    if (handlers.sessionInitializing !== undefined) {
      try {
        await handlers.sessionInitializing(this.session);
      } catch (error) {
        await this.#report(error, "sessionCallback");
        return this.end();
      }
    }
    if (this.#ending !== undefined) return;
    try {
      this.#processor = this.#startProcessor();
    } catch (error) {
      await this.#report(error, "receive");
      return this.end();
    }
    void this.#becomeIdle();
  }

  #startProcessor(): Processor {
    const { handlers, receiver, options, breaker } = this.#settings;
    return new Processor(handlers as never, {
      intake: this.#intake,
      backoff: receiver.backoff,
      canDefer: false,
      maxConcurrentCalls: options.maxConcurrentCallsPerSession,
      prefetchCount: options.prefetchCount,
      isAutoCompleting: options.autoCompleteMessages,
      renewForMs: receiver.renewForMs,
      closeTimeoutMs: options.closeTimeoutInMs,
      retry: undefined,
      breaker,
      isBlocking: receiver.isBlocking,
      session: { sessionId: this.session.sessionId, keeper: this },
      onUndeserializable: receiver.onUndeserializable,
      onClosed: () => {},
    });
  }

  /** Lets the session go, after the handlers that run. Never rejects. */
  end(closeTimeoutInMs = this.#settings.options.closeTimeoutInMs): Promise<void> {
    this.#ending ??= this.#end(closeTimeoutInMs);
    return this.#ending;
  }

  /** Whether nothing is there to deliver, as far as can be seen. */
  async isDrained(): Promise<boolean> {
    try {
      const messages = await this.#transport.peek({
        maxMessages: peekedMessages,
        fromSequenceNumber: this.#lastSequenceNumber,
      });
      return messages.every(({ state }) => state !== "active");
    } catch {
      return false;
    }
  }

  toContext = (flight: Flight): SessionMessageContext<UndecodedMessage> => {
    this.#lastSequenceNumber = flight.delivered.sequenceNumber;
    return new SessionContext(flight, this);
  };

  onActivity(isBusy: boolean): void {
    this.#isBusy = isBusy;
    if (this.#ending !== undefined) return;
    if (!isBusy && steadyNow(this.#settings.receiver.scheduler) >= this.retireAtMs) void this.end();
    else if (!isBusy) void this.#becomeIdle();
    else if (this.#isIdle) {
      this.#isIdle = false;
      this.#settings.events.onBusy(this);
    }
  }

  /** Ends now, or when the messages that are being handled are done. */
  retire(): void {
    if (!this.#isBusy) void this.end();
  }

  onDecoded(): void {
    this.#settings.events.onDecoded();
  }

  mayBlock({ sequenceNumber }: DeliveredMessage): Promise<boolean> {
    return this.#settings.events.mayBlock(sequenceNumber);
  }

  onBlocked(cause: BlockCause): void {
    if (this.#ending === undefined) this.#settings.events.onBlocked(this, cause);
  }

  onLost(): void {
    void this.end();
  }

  /** From a broker in this process the next message comes within these microtasks; then the session never was idle. */
  async #becomeIdle(): Promise<void> {
    for (let i = 0; i < 6 && !this.#isBusy; i += 1) await undefined;
    if (this.#isBusy || this.#isIdle || this.#ending !== undefined) return;
    this.#isIdle = true;
    this.#settings.events.onIdle(this);
  }

  async #end(closeTimeoutInMs: number): Promise<void> {
    const { handlers, events } = this.#settings;
    try {
      await this.#processor?.close({ closeTimeoutInMs });
    } catch (error) {
      await this.#report(error, "receive");
    }
    try {
      await handlers.sessionClosing?.(this.session);
    } catch (error) {
      await this.#report(error, "sessionCallback");
    }
    try {
      await this.session.close();
    } catch (error) {
      await this.#report(error, "closeSession");
    }
    events.onEnded(this);
  }

  #report(error: unknown, source: Parameters<ErrorReporter["report"]>[1]): Promise<void> {
    return this.#settings.reporter.report(error, source, undefined, undefined, this.session.sessionId);
  }
}

class SessionContext implements SessionMessageContext<UndecodedMessage> {
  readonly #flight: Flight;
  readonly #run: SessionRun;

  constructor(flight: Flight, run: SessionRun) {
    this.#flight = flight;
    this.#run = run;
  }

  get session(): SessionReceiver<UndecodedMessage> {
    return this.#run.session;
  }

  get abortSignal(): AbortSignal {
    return this.#flight.abortSignal;
  }

  /** A function of its own, so that it can be taken out of the context. */
  readonly releaseSession = (): void => void this.#run.end();
}
