import type { MessageId, ReceivedMessage, UndecodedMessage } from "../../message/message.js";
import type { UndeserializableDisposition } from "../../message/undeserializable-event.js";
import type { MessageContext } from "./in-flight-message.js";
import type { RetryOptions } from "./retry-options.js";

/** What a processor was doing when an error occurred. */
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

/** The argument of `processError`. */
export interface ProcessErrorArgs {
  /** A `WaybillError`, unless the handler threw it. */
  readonly error: unknown;
  /** The step in which it occurred. */
  readonly errorSource: ErrorSource;
  /** The queue, subscription or dead-letter queue. */
  readonly entityPath: string;
  /** The `messageId` of the message, if the error concerns one. */
  readonly messageId?: MessageId | undefined;
  /** The session id, if the error occurred in a session. */
  readonly sessionId?: string | undefined;
  /** The message with its raw body, if its body could not be read. */
  readonly rawMessage?: UndecodedMessage | undefined;
  /** What happened to `rawMessage`. `handedOver`: it is no longer on the broker and is lost unless this handler stores it. */
  readonly disposition?: UndeserializableDisposition | undefined;
}

/** The functions that a processor calls. */
export interface MessageHandlers<
  Body = unknown,
  Undecoded extends UndecodedMessage = never,
  Context = MessageContext,
> {
  /**
   * Called with each message whose body was read. If it throws a `DeadLetterError`, the message is dead-lettered; if it throws a `DeferError`,
   * the message is deferred; after any other error it is abandoned or, with `retry`, retried after a delay.
   */
  processMessage(message: ReceivedMessage<Body> | Undecoded, context: Context): Promise<void> | void;
  /**
   * Called with every error except a `DeferError` of the handler, including undeserializable messages. Its own errors are ignored. A message
   * keeps its call slot until it resolves, except a held one.
   */
  processError(args: ProcessErrorArgs): Promise<void> | void;
}

/** Options of every processor. */
export interface ProcessorOptions {
  /** How many messages are prefetched, with renewed locks, while the handler is busy; in a session processor, for each session. Only in peek-lock mode. Default: 0. */
  readonly prefetchCount?: number;
  /** Completes a message after its handler succeeded, unless the handler settled it. Default: true. */
  readonly autoCompleteMessages?: boolean;
  /**
   * How long closing may take, in milliseconds; `Infinity` waits for all handlers. The last fifth, at most 5 seconds, is for abandoning the
   * messages of handlers that are still running. Default: 25 000.
   */
  readonly closeTimeoutInMs?: number;
  /** Closes the subscription when it aborts. Default: none. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** Options of a processor of one receiver. */
export interface SubscribeMessagesOptions extends ProcessorOptions {
  /** How many messages are handled concurrently. Default: 1. */
  readonly maxConcurrentCalls?: number;
  /** How long a message's lock is renewed, in milliseconds; 0 disables renewal. Default: that of the receiver, 300 000 unless set. In a session, that of the receiver always applies. */
  readonly maxAutoLockRenewalDurationInMs?: number;
  /** After a delay, retries messages whose handler failed. Only on queues without sessions. Default: they are abandoned and delivered again at once. */
  readonly retry?: RetryOptions | undefined;
}

/** The defaults of {@link SubscribeMessagesOptions}; lock renewal follows the receiver. */
export const defaultSubscribeOptions = Object.freeze({
  maxConcurrentCalls: 1,
  prefetchCount: 0,
  autoCompleteMessages: true,
  closeTimeoutInMs: 25_000,
  retry: undefined,
  abortSignal: undefined,
});

/** Options of closing a subscription. */
export interface CloseSubscriptionOptions {
  /** How long it may take, in milliseconds. Default: the subscription's `closeTimeoutInMs`. */
  readonly closeTimeoutInMs?: number;
}

/** A running processor. */
export interface MessageSubscription extends AsyncDisposable {
  /**
   * Stops deliveries and resolves when the messages of all running handlers are settled: each when its handler finishes, or by abandoning it when
   * the time is up. Messages without a handler yet are abandoned at once. Do not await it inside a handler: it would wait for itself.
   */
  close(options?: CloseSubscriptionOptions): Promise<void>;
}
