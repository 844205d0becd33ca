import type { ReceiveMode, Transport } from "../contracts/transport.js";
import type { ClientHealth } from "../diagnostics/client-health.js";
import type { ReceivedMessage, UndecodedMessage } from "../message/message.js";
import type { MessageType } from "../message-types/message-type.js";
import type { MessageHandlers, MessageSubscription } from "../receive/processing/processor-options.js";
import type { TypedMessageHandlers, TypedSubscribeOptions } from "../receive/processing/typed-handlers.js";
import type { Receiver } from "../receive/receiver/receiver.js";
import type {
  AcceptSessionReceiverOptions,
  ReceiverOptions,
  UndecodedIn,
} from "../receive/receiver/receiver-options.js";
import type { RehearsalReport } from "../rehearsal/rehearsal-report.js";
import type { RehearseOptions } from "../rehearsal/rehearse-options.js";
import type { RepliableMessage, ReplyOptions } from "../request-reply/reply.js";
import type {
  AddressedRequest,
  ReplySourceOptions,
  RequesterOptions,
  RequestManyOptions,
  RequestOptions,
} from "../request-reply/request-options.js";
import { RequestReply } from "../request-reply/request-reply.js";
import type { Requester } from "../request-reply/requester.js";
import type { RuleManager } from "../rules/rule-manager.js";
import type { Sender } from "../sending/sender.js";
import type { ListSessionsOptions } from "../sessions/list-sessions.js";
import type {
  SessionMessageHandlers,
  SubscribeSessionsOptions,
  TypedSessionMessageHandlers,
} from "../sessions/session-processor-options.js";
import type { SessionReceiver } from "../sessions/session-receiver.js";
import {
  type ResolvedClientOptions,
  resolveClientOptions,
  type WaybillClientOptions,
} from "./client-options.js";
import { ClientParts } from "./client-parts.js";
import { type EntityArguments, entityFirst, requireName } from "./entity-address.js";

/** Options with which every undeserializable message is dead-lettered, so that no raw message is returned. */
type DeadLetteringOptions = ReceiverOptions & {
  readonly receiveMode?: "peekLock" | undefined;
  readonly subQueueType?: undefined;
};

/**
 * A Service Bus client that serializes and deserializes bodies: it writes them with one serializer and reads them with that and any
 * additional deserializers. Creating senders and receivers is cheap; the transport connects on the first call. Several clients may share a
 * transport, each with its own serializers. `Types` are its message types.
 */
export class WaybillClient<Types extends MessageType = never> implements AsyncDisposable {
  readonly #options: ResolvedClientOptions;
  readonly #parts: ClientParts;
  readonly #requestReply: RequestReply;

  /** Throws `TypeError` for an invalid transport or option, `configuration-invalid` for serializers or message types that conflict. */
  constructor(transport: Transport, options: WaybillClientOptions<Types>) {
    this.#options = resolveClientOptions(options);
    this.#parts = new ClientParts(transport, this.#options);
    this.#requestReply = new RequestReply(this.#parts, this.#options.pipeline);
  }

  get isClosed(): boolean {
    return this.#parts.isClosed;
  }

  /** The host of the namespace, such as `shop.servicebus.windows.net`; undefined if the transport does not know it. */
  get fullyQualifiedNamespace(): string | undefined {
    return this.#parts.fullyQualifiedNamespace;
  }

  /** The transport's name for the broker, such as the `identifier` of the official SDK's client; undefined if it has none. */
  get identifier(): string | undefined {
    return this.#parts.identifier;
  }

  /**
   * The health of the client for readiness probes: its links, when the last message was delivered, and failures within the last minutes. Does
   * not contact the broker.
   */
  health(): ClientHealth {
    return this.#parts.health();
  }

  /** Creates a sender to a queue or topic. Throws `TypeError` for a name that is not a string, `closed` once the client is closed. */
  createSender(queueOrTopic: string): Sender {
    return this.#parts.createSender(queueOrTopic);
  }

  /**
   * Creates a receiver of a queue or a subscription. In receive-and-delete mode and from dead-letter queues it also returns undeserializable
   * messages, with their raw body and `failure`. Throws `TypeError` for an invalid name or option, `closed` once the client is closed.
   */
  createReceiver(queue: string, options?: DeadLetteringOptions): Receiver;
  createReceiver(queue: string, options: ReceiverOptions): Receiver<UndecodedMessage>;
  createReceiver(topic: string, subscription: string, options?: DeadLetteringOptions): Receiver;
  createReceiver(topic: string, subscription: string, options: ReceiverOptions): Receiver<UndecodedMessage>;
  createReceiver(
    ...args: EntityArguments<[options?: ReceiverOptions | undefined]>
  ): Receiver<UndecodedMessage> {
    return this.#parts.createReceiver(...entityFirst(args));
  }

  /**
   * Delivers the messages of a queue or a subscription to a handler until the returned subscription or the client is closed.
   * `processMessage` is one handler, or an object of handlers by message type, which get messages in the type's current version: a message of
   * a type without a handler is then dead-lettered with the reason `UnhandledMessageType`, unless there is `processUnhandled`. Throws
   * `TypeError` for invalid options, and for a handler of a type that the client does not know.
   */
  subscribe(
    queue: string,
    handlers: TypedMessageHandlers<Types>,
    options?: TypedSubscribeOptions,
  ): MessageSubscription;
  subscribe(
    topic: string,
    subscription: string,
    handlers: TypedMessageHandlers<Types>,
    options?: TypedSubscribeOptions,
  ): MessageSubscription;
  subscribe<Body = unknown, Mode extends ReceiveMode = "peekLock">(
    queue: string,
    handlers: MessageHandlers<Body, UndecodedIn<Mode>>,
    options?: TypedSubscribeOptions<Mode>,
  ): MessageSubscription;
  subscribe<Body = unknown, Mode extends ReceiveMode = "peekLock">(
    topic: string,
    subscription: string,
    handlers: MessageHandlers<Body, UndecodedIn<Mode>>,
    options?: TypedSubscribeOptions<Mode>,
  ): MessageSubscription;
  subscribe(
    ...args: EntityArguments<[handlers: object, options?: TypedSubscribeOptions | undefined]>
  ): MessageSubscription {
    const [entity, handlers, options] = entityFirst(args);
    return this.#parts.subscribe(entity, handlers as never, options);
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
  async acceptSession(
    queueOrTopic: string,
    second: string,
    third?: string | AcceptSessionReceiverOptions,
    fourth?: AcceptSessionReceiverOptions,
  ): Promise<SessionReceiver<UndecodedMessage>> {
    requireName("The session", second); // Otherwise undefined would accept the next session.
    return typeof third === "string"
      ? this.#parts.acceptSession({ queueOrTopic, subscription: second }, third, fourth)
      : this.#parts.acceptSession({ queueOrTopic, subscription: undefined }, second, third);
  }

  /** Locks the next session that has messages and no receiver. Rejects with `timeout` when none was available in time. */
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
    ...args: EntityArguments<[options?: AcceptSessionReceiverOptions | undefined]>
  ): Promise<SessionReceiver<UndecodedMessage>> {
    const [entity, options] = entityFirst(args);
    return this.#parts.acceptSession(entity, undefined, options);
  }

  /**
   * Processes the sessions of a queue or subscription until the returned subscription or the client is closed: several concurrently, each in
   * order and as long as it has messages. `processMessage` is one handler, or an object of handlers by message type. Throws `TypeError` for
   * invalid options.
   */
  subscribeSessions(
    queue: string,
    handlers: TypedSessionMessageHandlers<Types>,
    options?: SubscribeSessionsOptions,
  ): MessageSubscription;
  subscribeSessions(
    topic: string,
    subscription: string,
    handlers: TypedSessionMessageHandlers<Types>,
    options?: SubscribeSessionsOptions,
  ): MessageSubscription;
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
    ...args: EntityArguments<[handlers: object, options?: SubscribeSessionsOptions | undefined]>
  ): MessageSubscription {
    const [entity, handlers, options] = entityFirst(args);
    return this.#parts.subscribeSessions(entity, handlers as never, options);
  }

  /**
   * The ids of the sessions that have messages, or whose state was set after an instant, page by page. Rejects with `not-supported` if the
   * transport lacks the capability `sessionEnumeration`.
   */
  listSessions(queue: string, options?: ListSessionsOptions): AsyncGenerator<string, void, undefined>;
  listSessions(
    topic: string,
    subscription: string,
    options?: ListSessionsOptions,
  ): AsyncGenerator<string, void, undefined>;
  listSessions(
    ...args: EntityArguments<[options?: ListSessionsOptions | undefined]>
  ): AsyncGenerator<string, void, undefined> {
    return this.#parts.listSessions(...entityFirst(args));
  }

  /**
   * Peeks the waiting messages, reads them as a receiver would, and reports what would happen to them: by content type, serializer, outcome and
   * reason, with the option that would make undeserializable ones readable. Locks nothing, counts no delivery and writes nothing.
   */
  rehearse(queue: string, options?: RehearseOptions): Promise<RehearsalReport>;
  rehearse(topic: string, subscription: string, options?: RehearseOptions): Promise<RehearsalReport>;
  rehearse(...args: EntityArguments<[options?: RehearseOptions | undefined]>): Promise<RehearsalReport> {
    return this.#parts.rehearse(...entityFirst(args));
  }

  /** Creates a manager for the rules of a topic's subscription. Throws like {@link createSender}. */
  createRuleManager(topic: string, subscription: string): RuleManager {
    return this.#parts.createRuleManager(topic, subscription);
  }

  /**
   * Creates a requester that receives replies from a queue, its own or one shared by sessions, or from a topic's subscription. Throws
   * `TypeError` for an invalid option, `closed` once the client is closed.
   */
  createRequester(queue: string, options?: RequesterOptions): Requester;
  createRequester(topic: string, subscription: string, options?: RequesterOptions): Requester;
  createRequester(...args: EntityArguments<[options?: RequesterOptions | undefined]>): Requester {
    this.#parts.requireOpen();
    return this.#requestReply.createRequester(...entityFirst(args));
  }

  /**
   * Sends a request and resolves with its first reply, like {@link Requester.request}. The client keeps a requester for each `replyTo` and
   * session. Also rejects with `operation-invalid` for a request without `replyTo`.
   */
  async request<Reply = unknown>(
    queueOrTopic: string,
    request: AddressedRequest,
    options: RequestOptions & ReplySourceOptions = {},
  ): Promise<ReceivedMessage<Reply>> {
    this.#parts.requireOpen();
    return this.#requestReply.request(queueOrTopic, request, options) as Promise<ReceivedMessage<Reply>>;
  }

  /**
   * Sends a request and iterates over its replies, like {@link Requester.requestMany}. Throws `closed` once the client is closed, and
   * `operation-invalid` for a request without `replyTo`.
   */
  requestMany<Reply = unknown>(
    queueOrTopic: string,
    request: AddressedRequest,
    options: RequestManyOptions<Reply> & ReplySourceOptions = {},
  ): AsyncIterableIterator<ReceivedMessage<Reply>, undefined> {
    this.#parts.requireOpen();
    return this.#requestReply.requestMany(queueOrTopic, request, options) as AsyncIterableIterator<
      ReceivedMessage<Reply>,
      undefined
    >;
  }

  /**
   * Replies to a received message: sends the body to its `replyTo`, with its `messageId` as `correlationId` and its `replyToSessionId` as
   * `sessionId`, in a format of its `Accept`. Does not settle the request. Rejects with `operation-invalid` when it has no `replyTo` or one
   * in another namespace, with `serialization-failed` when no serializer writes an accepted format.
   */
  async reply(request: RepliableMessage, body: unknown, options: ReplyOptions = {}): Promise<void> {
    this.#parts.requireOpen();
    await this.#requestReply.reply(request, body, options);
  }

  /**
   * Closes every sender, receiver and requester, waiting for running handlers; pending calls reject with `closed`. The transport stays open
   * for its other clients: the code that created it closes it.
   */
  close(): Promise<void> {
    return this.#parts.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
