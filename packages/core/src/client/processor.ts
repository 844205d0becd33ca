import { isPromise } from "../deserialization/attempt.js";
import { WaybillError } from "../error.js";
import type { MessageId, ReceivedMessage, UndecodedMessage } from "../message.js";
import type { DeliveredMessage, TransportSubscription } from "../transport.js";
import type { DelayedAbandons } from "./delayed-abandons.js";
import { type Delivery, settle } from "./delivery.js";
import { type Intake, isUndeserializableEvent } from "./intake.js";
import { abandonUndecoded } from "./settle-undecoded.js";
import type { UndeserializableDisposition, UndeserializableEvent } from "./undeserializable-event.js";

/** What a processor was doing when an error came up. */
export type ErrorSource =
  | "receive"
  | "deserialize"
  | "deadLetter"
  | "quarantine"
  | "processMessageCallback"
  | "complete"
  | "abandon"
  | "renewLock";

/** What `processError` is told. */
export interface ProcessErrorArgs {
  /** What went wrong; a `WaybillError` unless the handler threw it. */
  readonly error: unknown;
  /** The step it happened in. */
  readonly errorSource: ErrorSource;
  /** The queue, subscription or dead-letter queue. */
  readonly entityPath: string;
  /** The message it happened with, if it happened with one. */
  readonly messageId?: MessageId | undefined;
  /** The message as it arrived, when its body could not be read. */
  readonly rawMessage?: UndecodedMessage | undefined;
  /** What became of `rawMessage`. With `handedOver` nobody else holds it: keep it here or lose it. */
  readonly disposition?: UndeserializableDisposition | undefined;
}

/** The functions that a processor calls. */
export interface MessageHandlers<Body = unknown, Undecoded extends UndecodedMessage = never> {
  /** Gets each message whose body was read. What it throws abandons the message. */
  processMessage(message: ReceivedMessage<Body> | Undecoded): Promise<void> | void;
  /** Gets everything that goes wrong, undeserializable messages included. What it throws is ignored. */
  processError(args: ProcessErrorArgs): Promise<void> | void;
}

/** How a processor works. */
export interface SubscribeMessagesOptions {
  /** How many messages may be with the handler at once. Default: 1. */
  readonly maxConcurrentCalls?: number;
  /** Completes a message when its handler has succeeded, unless the handler settled it. Default: true. */
  readonly autoCompleteMessages?: boolean;
  /** How long a message's lock is renewed, in milliseconds; 0 renews nothing. Default: the receiver's, 300 000. A session's is the receiver's. */
  readonly maxAutoLockRenewalDurationInMs?: number;
  /** Closes the subscription when it aborts. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** The defaults of {@link SubscribeMessagesOptions}; lock renewal follows the receiver. */
export const defaultSubscribeOptions = Object.freeze({ maxConcurrentCalls: 1, autoCompleteMessages: true });

/** A running processor. */
export interface MessageSubscription extends AsyncDisposable {
  /**
   * Stops new deliveries and resolves when every handler that runs has finished and its message is settled. Messages kept back for a
   * back-off are abandoned at once. Do not await it inside a handler: it would wait for itself.
   */
  close(): Promise<void>;
}

/** What a processor works with beside its handlers. */
export interface ProcessorSettings {
  readonly intake: Intake;
  readonly abandons: DelayedAbandons;
  readonly maxConcurrentCalls: number;
  readonly isAutoCompleting: boolean;
  readonly renewForMs: number;
  /** The client's hook. */
  readonly onUndeserializable: (event: UndeserializableEvent) => void;
  readonly onClosed: (processor: Processor) => void;
}

/** Delivers messages to a handler until it is closed, and settles each by what the handler did. */
export class Processor implements MessageSubscription {
  readonly #handlers: MessageHandlers<unknown, UndecodedMessage>;
  readonly #settings: ProcessorSettings;
  readonly #subscription: TransportSubscription;
  #closing: Promise<void> | undefined;

  constructor(handlers: MessageHandlers<unknown, UndecodedMessage>, settings: ProcessorSettings) {
    this.#handlers = handlers;
    this.#settings = settings;
    this.#subscription = settings.intake.settings.receiver.subscribe(
      { onMessage: this.#onMessage, onError: (error) => void this.#report(error, "receive") },
      { maxConcurrentCalls: settings.maxConcurrentCalls },
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #stop(): Promise<void> {
    const stopped = this.#subscription.stop();
    this.#settings.abandons.flush();
    await stopped;
    this.#settings.onClosed(this);
  }

  readonly #onMessage = async (delivered: DeliveredMessage): Promise<void> => {
    try {
      const { intake, renewForMs } = this.#settings;
      const reading = intake.read(delivered, renewForMs, this.#onRenewalError);
      const result = isPromise(reading) ? await reading : reading;
      if (isUndeserializableEvent(result)) await this.#conclude(result);
      else await this.#process(result as ReceivedMessage | UndecodedMessage, delivered);
    } catch (error) {
      // Nothing above throws; if it did, a rejection here could end the subscription.
      await this.#report(WaybillError.from(error), "receive", delivered.messageId);
    }
  };

  async #process(message: ReceivedMessage | UndecodedMessage, delivered: DeliveredMessage): Promise<void> {
    const delivery = message.settlement as Delivery | undefined;
    const told = this.#beginTelling(delivered);
    try {
      await this.#handlers.processMessage(message);
      told?.(undefined);
    } catch (error) {
      told?.(error);
      await this.#report(error, "processMessageCallback", message.messageId);
      if (delivery !== undefined) await this.#settle(delivery, "abandon");
      return;
    }
    if (delivery === undefined) return;
    if (this.#settings.isAutoCompleting) await this.#settle(delivery, "complete");
    else if (delivery.state === "settling") await this.#outlast(delivery);
  }

  /** Returns who tells how the handler ended, if anybody wants to know. */
  #beginTelling(delivered: DeliveredMessage): ((error: unknown) => void) | undefined {
    const { observer, entityPath } = this.#settings.intake.settings;
    if (observer === undefined || !observer.isOn) return undefined;
    return observer.processing(entityPath, delivered);
  }

  /** Settles what the handler left open. If that fails, the lock is left to run out and the message comes again. */
  async #settle(delivery: Delivery, verb: "complete" | "abandon"): Promise<void> {
    if (delivery.state === "settled") return;
    if (delivery.state === "settling") return this.#outlast(delivery);
    try {
      await settle(delivery, verb);
    } catch (error) {
      this.#settings.intake.renewal.forget(delivery);
      await this.#report(error, verb, delivery.message.messageId);
    }
  }

  /** Waits for a settlement that the handler began and did not wait for. Its failure belongs to who began it. */
  async #outlast(delivery: Delivery): Promise<void> {
    try {
      await delivery.settling;
    } catch {
      this.#settings.intake.renewal.forget(delivery);
    }
  }

  async #conclude(event: UndeserializableEvent): Promise<void> {
    this.#settings.onUndeserializable(event);
    const { message, disposition, error, settlementError } = event;
    if (settlementError !== undefined) {
      const source = disposition === "unsettled" ? "deadLetter" : "quarantine";
      await this.#report(settlementError, source, message.messageId);
    }
    await this.#report(error, "deserialize", message.messageId, event);
    if (disposition !== "abandoned") return;
    await abandonUndecoded(message.settlement as Delivery, this.#settings.abandons, (abandonError) => {
      void this.#report(abandonError, "abandon", message.messageId);
    });
  }

  readonly #onRenewalError = (error: unknown, delivery: Delivery): void => {
    void this.#report(error, "renewLock", delivery.message.messageId);
  };

  async #report(
    error: unknown,
    errorSource: ErrorSource,
    messageId?: MessageId,
    event?: UndeserializableEvent,
  ): Promise<void> {
    const { entityPath } = this.#settings.intake.settings;
    try {
      await this.#handlers.processError({
        error,
        errorSource,
        entityPath,
        messageId,
        rawMessage: event?.message,
        disposition: event?.disposition,
      });
    } catch {
      // The handler of errors has nobody above it to tell.
    }
  }
}
