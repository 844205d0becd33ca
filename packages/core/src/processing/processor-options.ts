import type { MessageId, ReceivedMessage, UndecodedMessage } from "../message/message.js";
import type { UndeserializableDisposition } from "../message/undeserializable-event.js";
import type { MessageContext } from "./flight.js";
import type { RetryOptions } from "./retry.js";

/** What a processor was doing when an error came up. */
export type ErrorSource =
  | "acceptSession"
  | "receive"
  | "deserialize"
  | "deadLetter"
  | "quarantine"
  | "processMessageCallback"
  | "sessionCallback"
  | "complete"
  | "abandon"
  | "defer"
  | "retry"
  | "renewLock"
  | "closeSession";

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
  /** The session it happened in, if it happened in one. */
  readonly sessionId?: string | undefined;
  /** The message as it arrived, when its body could not be read. */
  readonly rawMessage?: UndecodedMessage | undefined;
  /** What became of `rawMessage`. With `handedOver` nobody else holds it: keep it here or lose it. */
  readonly disposition?: UndeserializableDisposition | undefined;
}

/** The functions that a processor calls. */
export interface MessageHandlers<
  Body = unknown,
  Undecoded extends UndecodedMessage = never,
  Context = MessageContext,
> {
  /**
   * Gets each message whose body was read. What it throws decides: a `DeadLetterError` dead-letters the message, a `DeferError` defers
   * it, anything else abandons it or, with `retry`, brings it back later.
   */
  processMessage(message: ReceivedMessage<Body> | Undecoded, context: Context): Promise<void> | void;
  /** Gets everything that goes wrong, undeserializable messages included. What it throws is ignored. */
  processError(args: ProcessErrorArgs): Promise<void> | void;
}

/** How every processor works. */
export interface ProcessorOptions {
  /** How many messages are received ahead, locked and renewed, while the handler is busy; in a session processor, for each session. Only in peek-lock mode. Default: 0. */
  readonly prefetchCount?: number;
  /** Completes a message when its handler has succeeded, unless the handler settled it. Default: true. */
  readonly autoCompleteMessages?: boolean;
  /**
   * How long closing may take, in milliseconds; `Infinity` waits for ever. Handlers that are not done by four fifths of it, at the latest
   * 5 seconds before, have their messages abandoned. Default: 25 000.
   */
  readonly closeTimeoutInMs?: number;
  /** Closes the subscription when it aborts. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** How a processor of one receiver works. */
export interface SubscribeMessagesOptions extends ProcessorOptions {
  /** How many messages may be with the handler at once. Default: 1. */
  readonly maxConcurrentCalls?: number;
  /** How long a message's lock is renewed, in milliseconds; 0 renews nothing. Default: the receiver's, 300 000. A session's is the receiver's. */
  readonly maxAutoLockRenewalDurationInMs?: number;
  /** Brings messages whose handler failed back after a delay. Only on queues without sessions. Default: they are abandoned and come at once. */
  readonly retry?: RetryOptions | undefined;
}

/** The defaults of {@link SubscribeMessagesOptions}; lock renewal follows the receiver. */
export const defaultSubscribeOptions = Object.freeze({
  maxConcurrentCalls: 1,
  prefetchCount: 0,
  autoCompleteMessages: true,
  closeTimeoutInMs: 25_000,
});

/** How a subscription is closed. */
export interface CloseSubscriptionOptions {
  /** How long it may take, in milliseconds. Default: the subscription's `closeTimeoutInMs`. */
  readonly closeTimeoutInMs?: number;
}

/** A running processor. */
export interface MessageSubscription extends AsyncDisposable {
  /**
   * Stops new deliveries and resolves when the message of every handler that runs is settled: as the handler ends, or abandoned when its
   * time is over. Messages that no handler has are abandoned at once. Do not await it inside a handler: it would wait for itself.
   */
  close(options?: CloseSubscriptionOptions): Promise<void>;
}
