import type { Pipeline } from "../deserialization/pipeline.js";
import { ObservedTransport } from "../diagnostics/observed-transport.js";
import { WaybillError } from "../error.js";
import type { ReceivedMessage, UndecodedMessage } from "../message.js";
import type { MessageType } from "../message-types/message-type.js";
import type { RepliableMessage, ReplyOptions } from "../request-reply/reply.js";
import type {
  RequesterOptions,
  RequestManyOptions,
  RequestOptions,
} from "../request-reply/request-options.js";
import {
  type AddressedRequest,
  type ReplySourceOptions,
  RequestReply,
} from "../request-reply/request-reply.js";
import type { Requester } from "../request-reply/requester.js";
import { type Scheduler, systemScheduler } from "../scheduler.js";
import type {
  EntityAddress,
  ReceiveMode,
  SubQueue,
  Transport,
  TransportReceiver,
  TransportSender,
  TransportSessionReceiver,
} from "../transport.js";
import {
  type ResolvedClientOptions,
  resolveClientOptions,
  type WaybillClientOptions,
} from "./client-options.js";
import { durationMs } from "./duration.js";
import { type ListSessionsOptions, listSessions } from "./list-sessions.js";
import type { CloseSubscriptionOptions, MessageSubscription } from "./processor-options.js";
import { Receiver, type ReceiverSettings } from "./receiver.js";
import {
  type AcceptSessionReceiverOptions,
  defaultReceiverOptions,
  type ReceiverOptions,
  type UndecodedIn,
} from "./receiver-options.js";
import { Sender } from "./sender.js";
import {
  requireOnUndeserializable,
  type SessionMessageHandlers,
  type SubscribeSessionsOptions,
} from "./session-processor-options.js";
import { SessionReceiver } from "./session-receiver.js";
import { startSessionProcessor } from "./start-session-processor.js";
import { type HandlersByType, type TypedSubscribeOptions, typedHandlers } from "./typed-handlers.js";

/** Options under which everything that cannot be read is dead-lettered, so that no raw message reaches the application. */
type DeadLetteringOptions = ReceiverOptions & {
  readonly receiveMode?: "peekLock" | undefined;
  readonly subQueueType?: undefined;
};

const defaultSessionWaitMs = 60_000;

/** What a client closes with itself. */
type ClientPart = Pick<MessageSubscription, "close">;

/**
 * A Service Bus client whose bodies are values: it writes them with one serializer and reads them with that and any additional
 * deserializers. Senders and receivers are made at no cost; the transport connects on the first call. `Types` are its message types.
 */
export class WaybillClient<Types extends MessageType = never> implements AsyncDisposable {
  readonly #transport: Transport;
  readonly #options: ResolvedClientOptions;
  readonly #parts = new Set<ClientPart>();
  /** What the client itself sends to: the quarantine queue, and queues to which failed messages return later. */
  readonly #senders = new Map<string, TransportSender>();
  readonly #requestReply: RequestReply;
  #closing: Promise<void> | undefined;

  constructor(transport: Transport, options: WaybillClientOptions<Types>) {
    this.#options = resolveClientOptions(options);
    const { observer, pipeline } = this.#options;
    this.#transport = observer === undefined ? transport : new ObservedTransport(transport, observer);
    this.#requestReply = new RequestReply({
      client: this,
      scheduler: transport.scheduler ?? systemScheduler,
      pipeline,
      onOpened: (requester) => this.#parts.add(requester),
      onClosed: this.#forget,
    });
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** A sender to a queue or topic. */
  createSender(queueOrTopic: string): Sender {
    this.#requireOpen();
    const sender = new Sender({
      sender: this.#transport.createSender(queueOrTopic),
      pipeline: this.#options.pipeline,
      onClosed: this.#forget,
    });
    this.#parts.add(sender);
    return sender;
  }

  /**
   * A receiver of a queue or a subscription. In receive-and-delete mode and from dead-letter queues it also returns messages whose body
   * nobody can read, raw and marked by `failure`.
   */
  createReceiver(queue: string, options?: DeadLetteringOptions): Receiver;
  createReceiver(queue: string, options: ReceiverOptions): Receiver<UndecodedMessage>;
  createReceiver(topic: string, subscription: string, options?: DeadLetteringOptions): Receiver;
  createReceiver(topic: string, subscription: string, options: ReceiverOptions): Receiver<UndecodedMessage>;
  createReceiver(
    queueOrTopic: string,
    second?: string | ReceiverOptions,
    third?: ReceiverOptions,
  ): Receiver<UndecodedMessage> {
    this.#requireOpen();
    const [subscription, options = {}] = typeof second === "string" ? [second, third] : [undefined, second];
    return this.#createReceiver(queueOrTopic, subscription, options, this.#options.pipeline);
  }

  /**
   * Delivers the messages of a queue or a subscription to the handler of their type, each in the type's current version. A message of a type
   * without a handler is dead-lettered as `UnhandledMessageType`, unless `processUnhandled` takes it. Closing the subscription closes
   * all that it opened. Throws `TypeError` for a handler of a type that the client does not know.
   */
  subscribe(
    queue: string,
    handlers: HandlersByType<Types>,
    options: TypedSubscribeOptions,
  ): MessageSubscription;
  subscribe(
    topic: string,
    subscription: string,
    handlers: HandlersByType<Types>,
    options: TypedSubscribeOptions,
  ): MessageSubscription;
  subscribe(
    queueOrTopic: string,
    ...rest:
      | [HandlersByType<Types>, TypedSubscribeOptions]
      | [string, HandlersByType<Types>, TypedSubscribeOptions]
  ): MessageSubscription {
    this.#requireOpen();
    const [topicSubscription, handlers, options] = rest.length === 3 ? rest : [undefined, ...rest];
    const typed = typedHandlers(this.#options.pipeline, handlers, options);
    const { receiveMode } = options;
    const receiver = this.#createReceiver(queueOrTopic, topicSubscription, { receiveMode }, typed.pipeline);
    const subscription = receiver.subscribe(typed.handlers, options);
    const close = (closing?: CloseSubscriptionOptions) =>
      subscription.close(closing).finally(() => receiver.close());
    return { close, [Symbol.asyncDispose]: close };
  }

  /** Locks the named session. Rejects with `session-cannot-be-locked` when another receiver holds it. */
  acceptSession<Mode extends ReceiveMode = "peekLock">(
    queue: string,
    sessionId: string,
    options?: AcceptSessionReceiverOptions<Mode>,
  ): Promise<SessionReceiver<UndecodedIn<Mode>>>;
  acceptSession<Mode extends ReceiveMode = "peekLock">(
    topic: string,
    subscription: string,
    sessionId: string,
    options?: AcceptSessionReceiverOptions<Mode>,
  ): Promise<SessionReceiver<UndecodedIn<Mode>>>;
  acceptSession(
    queueOrTopic: string,
    second: string,
    third?: string | AcceptSessionReceiverOptions,
    fourth?: AcceptSessionReceiverOptions,
  ): Promise<SessionReceiver<UndecodedMessage>> {
    return typeof third === "string"
      ? this.#accept(queueOrTopic, second, third, fourth)
      : this.#accept(queueOrTopic, undefined, second, third);
  }

  /** Locks the next session that has messages and no receiver. Rejects with `timeout` when none came in time. */
  acceptNextSession<Mode extends ReceiveMode = "peekLock">(
    queue: string,
    options?: AcceptSessionReceiverOptions<Mode>,
  ): Promise<SessionReceiver<UndecodedIn<Mode>>>;
  acceptNextSession<Mode extends ReceiveMode = "peekLock">(
    topic: string,
    subscription: string,
    options?: AcceptSessionReceiverOptions<Mode>,
  ): Promise<SessionReceiver<UndecodedIn<Mode>>>;
  acceptNextSession(
    queueOrTopic: string,
    second?: string | AcceptSessionReceiverOptions,
    third?: AcceptSessionReceiverOptions,
  ): Promise<SessionReceiver<UndecodedMessage>> {
    return typeof second === "string"
      ? this.#accept(queueOrTopic, second, undefined, third)
      : this.#accept(queueOrTopic, undefined, undefined, second);
  }

  /**
   * Serves the sessions of a queue or subscription until the returned subscription or the client is closed: several at once, each in
   * order, each as long as it has messages. Throws `TypeError` for options no program should pass.
   */
  subscribeSessions<Body = unknown, Mode extends ReceiveMode = "peekLock">(
    queue: string,
    handlers: SessionMessageHandlers<Body, UndecodedIn<Mode>>,
    options?: SubscribeSessionsOptions<Mode>,
  ): MessageSubscription;
  subscribeSessions<Body = unknown, Mode extends ReceiveMode = "peekLock">(
    topic: string,
    subscription: string,
    handlers: SessionMessageHandlers<Body, UndecodedIn<Mode>>,
    options?: SubscribeSessionsOptions<Mode>,
  ): MessageSubscription;
  subscribeSessions(
    queueOrTopic: string,
    second: string | SessionMessageHandlers,
    third?: SessionMessageHandlers | SubscribeSessionsOptions,
    fourth?: SubscribeSessionsOptions,
  ): MessageSubscription {
    return typeof second === "string"
      ? this.#subscribeSessions(entityAddress(queueOrTopic, second, undefined), third as never, fourth)
      : this.#subscribeSessions(
          entityAddress(queueOrTopic, undefined, undefined),
          second as never,
          third as never,
        );
  }

  /**
   * The ids of the sessions that have messages, or whose state was set after an instant, page by page. Rejects with `not-supported` where
   * the transport lacks the capability `sessionEnumeration`.
   */
  listSessions(queue: string, options?: ListSessionsOptions): AsyncGenerator<string, void, undefined>;
  listSessions(
    topic: string,
    subscription: string,
    options?: ListSessionsOptions,
  ): AsyncGenerator<string, void, undefined>;
  listSessions(
    queueOrTopic: string,
    second?: string | ListSessionsOptions,
    third?: ListSessionsOptions,
  ): AsyncGenerator<string, void, undefined> {
    this.#requireOpen();
    const [subscription, options] = typeof second === "string" ? [second, third] : [undefined, second];
    return listSessions(this.#transport, entityAddress(queueOrTopic, subscription, undefined), options);
  }

  /** A requester whose replies come to a queue, its own or one shared by session, or to a topic's subscription. */
  createRequester(queue: string, options?: RequesterOptions): Requester;
  createRequester(topic: string, subscription: string, options?: RequesterOptions): Requester;
  createRequester(
    queueOrTopic: string,
    second?: string | RequesterOptions,
    third?: RequesterOptions,
  ): Requester {
    this.#requireOpen();
    return typeof second === "string"
      ? this.#requestReply.createRequester(queueOrTopic, second, third ?? {})
      : this.#requestReply.createRequester(queueOrTopic, undefined, second ?? {});
  }

  /**
   * Sends a request and resolves with its first reply, as {@link Requester.request} does. The client keeps the requester for the
   * `replyTo` and session that the request names.
   */
  async request<Reply = unknown>(
    queueOrTopic: string,
    request: AddressedRequest,
    options: RequestOptions & ReplySourceOptions = {},
  ): Promise<ReceivedMessage<Reply>> {
    this.#requireOpen();
    return this.#requestReply.request(queueOrTopic, request, options) as Promise<ReceivedMessage<Reply>>;
  }

  /** Sends a request and iterates over its replies, as {@link Requester.requestMany} does. */
  requestMany<Reply = unknown>(
    queueOrTopic: string,
    request: AddressedRequest,
    options: RequestManyOptions<Reply> & ReplySourceOptions = {},
  ): AsyncIterableIterator<ReceivedMessage<Reply>, undefined> {
    this.#requireOpen();
    return this.#requestReply.requestMany(queueOrTopic, request, options) as AsyncIterableIterator<
      ReceivedMessage<Reply>,
      undefined
    >;
  }

  /**
   * Answers a received message: sends the body to its `replyTo`, with its `messageId` as `correlationId` and its `replyToSessionId` as
   * `sessionId`, in the format that its `Accept` asks for. Settling the request is still to do. Rejects with `operation-invalid` when it
   * names no `replyTo`, with `serialization-failed` when no serializer writes what it accepts.
   */
  async reply(request: RepliableMessage, body: unknown, options: ReplyOptions = {}): Promise<void> {
    this.#requireOpen();
    await this.#requestReply.reply(request, body, options);
  }

  /** Closes every sender, receiver and requester, waiting for the handlers that run, and then the transport. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    try {
      // Every one of them, even when one fails: what is closed first must not cut off the handlers of another.
      const closed = await Promise.allSettled(Array.from(this.#parts, (part) => part.close()));
      for (const result of closed) if (result.status === "rejected") throw result.reason;
    } finally {
      await this.#transport.close();
    }
  }

  #createReceiver(
    queueOrTopic: string,
    subscription: string | undefined,
    options: ReceiverOptions,
    pipeline: Pipeline,
  ): Receiver<UndecodedMessage> {
    const { receiveMode = defaultReceiverOptions.receiveMode, subQueueType } = options;
    requireReceiveMode(receiveMode);
    const address = entityAddress(queueOrTopic, subscription, subQueueType);
    const receiver = this.#transport.createReceiver(address, receiveMode);
    const canRetry =
      subscription === undefined &&
      subQueueType === undefined &&
      receiveMode === "peekLock" &&
      this.#transport.capabilities.has("scheduling");
    const retrySender = canRetry ? () => this.#sender(queueOrTopic) : undefined;
    return this.#add(new Receiver({ ...this.#receiverSettings(receiver, options), pipeline, retrySender }));
  }

  async #accept(
    queueOrTopic: string,
    subscription: string | undefined,
    sessionId: string | undefined,
    options: AcceptSessionReceiverOptions = {},
  ): Promise<SessionReceiver<UndecodedMessage>> {
    this.#requireOpen();
    const address = entityAddress(queueOrTopic, subscription, undefined);
    const { receiveMode = defaultReceiverOptions.receiveMode, abortSignal } = options;
    requireReceiveMode(receiveMode);
    const maxWaitTimeMs = durationMs("maxWaitTimeInMs", options.maxWaitTimeInMs, defaultSessionWaitMs);
    const isBlocking = requireOnUndeserializable(options.onUndeserializable) === "block";
    const accepting = { receiveMode, maxWaitTimeMs, abortSignal };
    const receiver = await this.#transport.acceptSession(address, sessionId, accepting);
    const settings = { ...this.#receiverSettings(receiver, options), isSession: true, isBlocking };
    const session = new SessionReceiver<UndecodedMessage>(settings);
    if (!this.isClosed) return this.#add(session);
    await session.close();
    throw closedError();
  }

  #subscribeSessions(
    address: EntityAddress,
    handlers: SessionMessageHandlers<unknown, UndecodedMessage>,
    options: SubscribeSessionsOptions = {},
  ): MessageSubscription {
    this.#requireOpen();
    if (options.receiveMode !== undefined) requireReceiveMode(options.receiveMode);
    const entityPath =
      "queue" in address ? address.queue : `${address.topic}/Subscriptions/${address.subscription}`;
    const { onCircuitBreaker } = this.#options;
    return this.#add(
      startSessionProcessor(handlers, options, {
        transport: this.#transport,
        address,
        entityPath,
        scheduler: this.#scheduler,
        circuitBreaker: this.#options.circuitBreaker,
        onCircuitBreaker,
        settingsOf: (receiver, maxAutoLockRenewalDurationInMs) =>
          this.#receiverSettings(receiver, { maxAutoLockRenewalDurationInMs }),
        onClosed: this.#forget,
      }),
    );
  }

  #receiverSettings<R extends TransportReceiver | TransportSessionReceiver>(
    receiver: R,
    options: ReceiverOptions,
  ): ReceiverSettings & { receiver: R } {
    const { pipeline, observer, consumerVersion, unavailableBackoff, onUndeserializable } = this.#options;
    const { circuitBreaker, onCircuitBreaker, quarantineQueue } = this.#options;
    return {
      receiver,
      pipeline,
      observer,
      entityPath: receiver.entityPath,
      scheduler: this.#scheduler,
      isSubQueue: options.subQueueType !== undefined,
      isSession: false,
      isBlocking: false,
      retrySender: undefined,
      circuitBreaker,
      onCircuitBreaker,
      renewForMs: durationMs(
        "maxAutoLockRenewalDurationInMs",
        options.maxAutoLockRenewalDurationInMs,
        defaultReceiverOptions.maxAutoLockRenewalDurationInMs,
      ),
      backoff: unavailableBackoff,
      consumerVersion,
      quarantine: () => (quarantineQueue === undefined ? undefined : this.#sender(quarantineQueue)),
      onUndeserializable,
      onClosed: this.#forget,
    };
  }

  get #scheduler(): Scheduler {
    return this.#transport.scheduler ?? systemScheduler;
  }

  #sender(queueOrTopic: string): TransportSender {
    let sender = this.#senders.get(queueOrTopic);
    if (sender === undefined) {
      sender = this.#transport.createSender(queueOrTopic);
      this.#senders.set(queueOrTopic, sender);
    }
    return sender;
  }

  readonly #forget = (part: ClientPart): void => {
    this.#parts.delete(part);
  };

  #add<Part extends ClientPart>(part: Part): Part {
    this.#parts.add(part);
    return part;
  }

  #requireOpen(): void {
    if (this.isClosed) throw closedError();
  }
}

function closedError(): WaybillError {
  return new WaybillError("closed", "The client is closed.");
}

function entityAddress(
  queueOrTopic: string,
  subscription: string | undefined,
  subQueue: SubQueue | undefined,
): EntityAddress {
  const part = subQueue === undefined ? {} : { subQueue };
  return subscription === undefined
    ? { queue: queueOrTopic, ...part }
    : { topic: queueOrTopic, subscription, ...part };
}

function requireReceiveMode(receiveMode: unknown): asserts receiveMode is ReceiveMode {
  if (receiveMode === "peekLock" || receiveMode === "receiveAndDelete") return;
  throw new TypeError(
    `receiveMode must be "peekLock" or "receiveAndDelete", not ${JSON.stringify(receiveMode)}.`,
  );
}
