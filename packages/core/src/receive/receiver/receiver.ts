import { afterwards, isPromise } from "@waybill/foundation";
import type { Awaitable } from "../../contracts/serializer.js";
import type { SettleableMessage } from "../../contracts/settlement.js";
import type { CallOptions, ReceiveMode } from "../../contracts/transport.js";
import type {
  ApplicationProperties,
  PeekedMessage,
  ReceivedMessage,
  UndecodedMessage,
} from "../../message/message.js";
import type { ReceiverContext } from "../delivery/receiver-context.js";
import type {
  MessageHandlers,
  MessageSubscription,
  SubscribeMessagesOptions,
} from "../processing/processor-options.js";
import { StartingSubscription } from "../processing/starting-subscription.js";
import { requireHandlers, resolveSubscribeOptions } from "../processing/subscribe-settings.js";
import type { LoadedReceiver } from "./loaded-receiver.js";
import type { MessageIteratorOptions } from "./message-iterator.js";
import type {
  DeadLetterMessageOptions,
  PeekMessagesOptions,
  ReceiveMessagesOptions,
} from "./receiver-options.js";
import { type ReceiverState, requireOpen } from "./receiver-state.js";

/** The client or the session that a receiver belongs to. */
export interface ReceiverOwner {
  /** Whether it was created for one subscription, and closes with it. */
  readonly isForSubscription: boolean;
  readonly onClosed: (receiver: Receiver<UndecodedMessage>) => void;
}

/** What a receiver works with until its code is loaded. */
export interface ReceiverSettings
  extends ReceiverOwner,
    Pick<ReceiverContext, "receiver" | "scheduler" | "backoff" | "renewForMs" | "retrySender"> {
  /** Loads the code of receivers, if that was not done before; the function that it returns makes what the receiver does from then on. */
  readonly load: () => Awaitable<(state: ReceiverState) => LoadedReceiver>;
}

/**
 * Receives from a queue, a subscription or one of their dead-letter queues, and settles the received messages. Bodies are decoded;
 * undeserializable messages are dead-lettered at their first delivery and not returned. Where that is impossible, in a dead-letter queue
 * or in receive-and-delete mode, they are returned as `Undecoded`, with their raw body.
 */
export class Receiver<Undecoded extends UndecodedMessage = never> implements AsyncDisposable {
  readonly #settings: ReceiverSettings;
  #loaded: LoadedReceiver | undefined;
  readonly #subscriptions = new Set<MessageSubscription>();
  #closing: Promise<void> | undefined;

  constructor(settings: ReceiverSettings) {
    this.#settings = settings;
    // Now, so that the first call need not wait for it; if it fails, that call tries again and has the error.
    const opening = this.#opened();
    if (isPromise(opening)) opening.catch(() => {});
  }

  /** The path of the queue, subscription or dead-letter queue. */
  get entityPath(): string {
    return this.#settings.receiver.entityPath;
  }

  get receiveMode(): ReceiveMode {
    return this.#settings.receiver.receiveMode;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Resolves with 1 to `maxMessageCount` messages as soon as there are any, or with none after the wait. Undeserializable messages are
   * settled and reported to `onUndeserializable`. If no message could be read, rejects with `unavailable` when a dependency is unavailable,
   * and with `deserialization-failed` when the client has decoded nothing yet and can read none of the waiting messages; the messages stay
   * locked, and the next call reads them again.
   */
  receiveMessages<Body = unknown>(
    maxMessageCount: number,
    options: ReceiveMessagesOptions = {},
  ): Promise<(ReceivedMessage<Body> | Undecoded)[]> {
    return this.#call((loaded) => loaded.receiveMessages(maxMessageCount, options)) as Promise<
      (ReceivedMessage<Body> | Undecoded)[]
    >;
  }

  /**
   * Delivers messages to the handlers until the subscription or the receiver is closed. Throws `TypeError` for invalid options,
   * `configuration-invalid` for `retry` where no copy can be scheduled and for `prefetchCount` in receive-and-delete mode, `closed` once
   * the receiver is closed.
   */
  subscribe<Body = unknown>(
    handlers: MessageHandlers<Body, Undecoded>,
    options: SubscribeMessagesOptions = {},
  ): MessageSubscription {
    const { scheduler, backoff, isForSubscription } = this.#settings;
    const settings = resolveSubscribeOptions(options, this.#settings);
    requireHandlers(handlers);
    requireOpen(this);
    const untyped = handlers as MessageHandlers<unknown, UndecodedMessage>;
    const subscription = new StartingSubscription({
      load: () => afterwards(this.#opened(), (loaded) => () => loaded.process(untyped, settings)),
      handlers,
      errorSource: "receive",
      entityPath: this.entityPath,
      closeTimeoutInMs: settings.closeTimeoutMs,
      abortSignal: options.abortSignal,
      scheduler,
      backoff,
      onClosed: (closed) => {
        this.#subscriptions.delete(closed);
        if (isForSubscription) this.close().catch(() => {});
      },
    });
    this.#subscriptions.add(subscription);
    return subscription;
  }

  /**
   * Receives one message after the other until the receiver is closed. A message whose dependency is unavailable is reported to the client's hook
   * and read again later; the loop continues. While the circuit breaker holds what cannot be deserialized, and nothing else is there, it throws
   * `deserialization-failed`; a new loop reads it again. With `autoCompleteMessages`, a message is completed when the loop requests the next one. If that
   * fails or the loop ends early, the current message and prefetched ones are abandoned.
   */
  getMessageIterator<Body = unknown>(
    options: MessageIteratorOptions = {},
  ): AsyncGenerator<ReceivedMessage<Body> | Undecoded, void, undefined> {
    const messages = this.#loaded?.iterate(options) ?? this.#iterateLater(options);
    return messages as AsyncGenerator<ReceivedMessage<Body> | Undecoded, void, undefined>;
  }

  /**
   * Reads active, locked, deferred and scheduled messages without locking them, in order of sequence number. A message whose body cannot
   * be read is returned with its raw body and `failure`. Rejects with `TypeError` for an invalid count or option, `closed` once the
   * receiver is closed.
   */
  peekMessages<Body = unknown>(
    maxMessageCount: number,
    options: PeekMessagesOptions = {},
  ): Promise<PeekedMessage<Body>[]> {
    return this.#call((loaded) => loaded.peekMessages(maxMessageCount, options)) as Promise<
      PeekedMessage<Body>[]
    >;
  }

  /** Receives deferred messages by sequence number. Rejects with `message-not-found` if one does not exist. */
  receiveDeferredMessages<Body = unknown>(
    sequenceNumbers: bigint | readonly bigint[],
    options: CallOptions = {},
  ): Promise<(ReceivedMessage<Body> | Undecoded)[]> {
    return this.#call((loaded) => loaded.receiveDeferredMessages(sequenceNumbers, options)) as Promise<
      (ReceivedMessage<Body> | Undecoded)[]
    >;
  }

  /**
   * Removes the message from the entity. Like every settlement, rejects with `message-lock-lost` if its lock expired, with
   * `operation-invalid` if it was settled already.
   */
  completeMessage(message: SettleableMessage): Promise<void> {
    return this.#call((loaded) => loaded.completeMessage(message));
  }

  /** Releases the message, so that it is delivered again at once with a higher delivery count. */
  abandonMessage(message: SettleableMessage, propertiesToModify?: ApplicationProperties): Promise<void> {
    return this.#call((loaded) => loaded.abandonMessage(message, propertiesToModify));
  }

  /** Defers the message, which can then only be received by its sequence number. */
  deferMessage(message: SettleableMessage, propertiesToModify?: ApplicationProperties): Promise<void> {
    return this.#call((loaded) => loaded.deferMessage(message, propertiesToModify));
  }

  /**
   * Moves the message to the dead-letter queue. Also rejects with `operation-invalid` for a reason or description of more than 4096
   * characters and for an invalid application property.
   */
  deadLetterMessage(message: SettleableMessage, options: DeadLetterMessageOptions = {}): Promise<void> {
    return this.#call((loaded) => loaded.deadLetterMessage(message, options));
  }

  /**
   * Renews the message's lock for the entity's lock duration and resolves with its new expiry. Rejects with `message-lock-lost` if it has
   * expired, with `operation-invalid` for a message without a lock of this receiver. In a session, renew the session's lock instead.
   */
  renewMessageLock(message: SettleableMessage): Promise<Date> {
    return this.#call((loaded) => loaded.renewMessageLock(message));
  }

  /**
   * Closes its subscriptions, waiting for running handlers, and then the receiver. Messages that were received but not settled stay locked
   * until their locks expire.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    // Pending calls would otherwise wait for the rest of their time.
    this.#loaded?.stopWaiting();
    try {
      await Promise.all(Array.from(this.#subscriptions, (subscription) => subscription.close()));
      await this.#loaded?.releaseHeld();
    } finally {
      this.#loaded?.stopRenewal();
      this.#settings.onClosed(this as Receiver<UndecodedMessage>);
      await this.#settings.receiver.close();
    }
  }

  /** Makes a call, as soon as the code for it is loaded. */
  #call<Result>(call: (loaded: LoadedReceiver) => Promise<Result>): Promise<Result> {
    return afterwards(this.#opened(), call) as Promise<Result>;
  }

  async *#iterateLater(options: MessageIteratorOptions) {
    yield* (await this.#opened()).iterate(options);
  }

  #opened(): Awaitable<LoadedReceiver> {
    if (this.#loaded !== undefined) return this.#loaded;
    return afterwards(this.#settings.load(), (open) => {
      // Several calls may have waited for the same code.
      this.#loaded ??= open(this);
      return this.#loaded;
    });
  }
}
