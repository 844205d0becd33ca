import { steadyNowOf } from "@waybill/foundation";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { UndecodedMessage } from "../message/message.js";
import { peek } from "../receive/delivery/observed-calls.js";
import type { ReceiverContext } from "../receive/delivery/receiver-context.js";
import { type ErrorReporter, errorReporter } from "../receive/processing/error-reporter.js";
import type { InFlightMessage } from "../receive/processing/in-flight-message.js";
import { Processor } from "../receive/processing/processor.js";
import type { BlockCause, SessionKeeper } from "../receive/processing/processor-settings.js";
import type {
  ResolvedSubscribeSessionsOptions,
  SessionMessageContext,
  SessionMessageHandlers,
} from "./session-processor-options.js";
import { type SessionOwner, SessionReceiver } from "./session-receiver.js";

/** Settings and dependencies for processing one session. */
export interface SessionRunSettings {
  readonly context: ReceiverContext;
  readonly owner: SessionOwner;
  readonly handlers: SessionMessageHandlers<unknown, UndecodedMessage>;
  readonly options: ResolvedSubscribeSessionsOptions;
  readonly events: SessionRunEvents;
}

/** Called for events of a session that is processed. */
export interface SessionRunEvents {
  onBusy(run: SessionRun): void;
  onIdle(run: SessionRun): void;
  onDecoded(): void;
  /** Whether the session may stop at a message whose circuit is open; otherwise the message is dead-lettered. */
  tryBlock(sequenceNumber: bigint): Promise<boolean>;
  onBlocked(run: SessionRun, cause: BlockCause): void;
  onEnded(run: SessionRun): void;
}

/** How many messages are peeked to find out whether a session has any to deliver. */
const peekedMessages = 8;

/** One session from its acceptance until its release. */
export class SessionRun implements SessionKeeper {
  readonly session: SessionReceiver<UndecodedMessage>;
  readonly #settings: SessionRunSettings;
  /** When its lock is no longer renewed; if renewal is disabled, when half of the lock has passed. */
  readonly retireAtMs: number;
  readonly #context: ReceiverContext;
  readonly #report: ErrorReporter;
  #processor: Processor | undefined;
  #lastSequenceNumber: bigint | undefined;
  #isBusy = false;
  #isIdle = false;
  #ending: Promise<void> | undefined;

  constructor(settings: SessionRunSettings) {
    const { context, owner, handlers } = settings;
    const { scheduler, entityPath, renewForMs } = context;
    this.#settings = settings;
    this.#context = context;
    this.session = new SessionReceiver<UndecodedMessage>(context, owner);
    this.#report = errorReporter(handlers, entityPath, this.session.sessionId);
    const halfLockMs = (this.session.sessionLockedUntilUtc.getTime() - scheduler.now()) / 2;
    this.retireAtMs = steadyNowOf(scheduler) + Math.max(renewForMs, halfLockMs);
  }

  /** Whether its handler has received no message yet. */
  get isFresh(): boolean {
    return this.#lastSequenceNumber === undefined;
  }

  /** Starts to pass its messages to the handler. Never rejects. */
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
    this.#becomeIdle();
  }

  #startProcessor(): Processor {
    const { handlers, options } = this.#settings;
    return new Processor(this.#context, handlers as never, {
      maxConcurrentCalls: options.maxConcurrentCallsPerSession,
      prefetchCount: options.prefetchCount,
      isAutoCompleting: options.autoCompleteMessages,
      renewForMs: this.#context.renewForMs,
      retry: undefined,
      keeper: this,
    });
  }

  /** Releases the session after its running handlers have finished. Never rejects. */
  end(closeTimeoutInMs = this.#settings.options.closeTimeoutInMs): Promise<void> {
    this.#ending ??= this.#end(closeTimeoutInMs);
    return this.#ending;
  }

  /** Whether peeking finds no message to deliver. */
  async isDrained(): Promise<boolean> {
    try {
      const messages = await peek(this.#context, {
        maxMessages: peekedMessages,
        fromSequenceNumber: this.#lastSequenceNumber,
      });
      return messages.every(({ state }) => state !== "active");
    } catch {
      return false;
    }
  }

  toContext = (inFlight: InFlightMessage): SessionMessageContext<UndecodedMessage> => {
    this.#lastSequenceNumber = inFlight.delivered.sequenceNumber;
    return new SessionContext(inFlight, this);
  };

  onActivity(isBusy: boolean): void {
    this.#isBusy = isBusy;
    if (this.#ending !== undefined) return;
    if (!isBusy && steadyNowOf(this.#context.scheduler) >= this.retireAtMs) void this.end();
    // A message that is waiting follows at once: peeking between two of them would cost more than handling them.
    else if (!isBusy) void Promise.resolve().then(() => this.#becomeIdle());
    else if (this.#isIdle) {
      this.#isIdle = false;
      this.#settings.events.onBusy(this);
    }
  }

  /** Ends now, or after the messages that are being handled. */
  retire(): void {
    if (!this.#isBusy) void this.end();
  }

  onDecoded(): void {
    this.#settings.events.onDecoded();
  }

  tryBlock({ sequenceNumber }: DeliveredMessage): Promise<boolean> {
    return this.#settings.events.tryBlock(sequenceNumber);
  }

  onBlocked(cause: BlockCause): void {
    if (this.#ending === undefined) this.#settings.events.onBlocked(this, cause);
  }

  onLost(): void {
    void this.end();
  }

  /** An idle session may be released for another one, but only after peeking has found no message: see `isDrained`. */
  #becomeIdle(): void {
    if (this.#isBusy || this.#isIdle || this.#ending !== undefined) return;
    this.#isIdle = true;
    this.#settings.events.onIdle(this);
  }

  async #end(closeTimeoutInMs: number): Promise<void> {
    const { handlers, events } = this.#settings;
    try {
      await this.#processor?.close(closeTimeoutInMs);
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
}

class SessionContext implements SessionMessageContext<UndecodedMessage> {
  readonly #inFlight: InFlightMessage;
  readonly #run: SessionRun;

  constructor(inFlight: InFlightMessage, run: SessionRun) {
    this.#inFlight = inFlight;
    this.#run = run;
  }

  get session(): SessionReceiver<UndecodedMessage> {
    return this.#run.session;
  }

  get abortSignal(): AbortSignal {
    return this.#inFlight.abortSignal;
  }

  /** A bound function, so that handlers can destructure the context. */
  readonly releaseSession = (): void => void this.#run.end();
}
