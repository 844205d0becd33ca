import type { ReceiveMode, Transport } from "../contracts/transport.js";
import type { ClientHealth } from "../diagnostics/client-health.js";
import type { ReceivedMessage, UndecodedMessage } from "../message/message.js";
import type { MessageType } from "../message-types/message-type.js";
import type { MessageSubscription } from "../processing/processor-options.js";
import type { TypedMessageHandlers, TypedSubscribeOptions } from "../processing/typed-handlers.js";
import type { Receiver } from "../receiving/receiver.js";
import type {
  AcceptSessionReceiverOptions,
  ReceiverOptions,
  UndecodedIn,
} from "../receiving/receiver-options.js";
import type { RehearsalReport } from "../rehearsal/rehearsal-report.js";
import type { RehearseOptions } from "../rehearsal/rehearse.js";
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
import { type EntityName, requireName } from "./entity-address.js";

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
    this.#requestReply = new RequestReply({
      client: this,
      scheduler: this.#parts.scheduler,
      pipeline: this.#options.pipeline,
      namespace: () => this.#parts.fullyQualifiedNamespace,
      onOpened: (requester) => this.#parts.add(requester),
      onClosed: this.#parts.forget,
    });
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
    queueOrTopic: string,
    second?: string | ReceiverOptions,
    third?: ReceiverOptions,
  ): Receiver<UndecodedMessage> {
    return typeof second === "string"
      ? this.#parts.createReceiver({ queueOrTopic, subscription: second }, third)
      : this.#parts.createReceiver(queue(queueOrTopic), second);
  }

  /**
   * Delivers the messages of a queue or a subscription to the handler of their type, each in the type's current version. A message of a type
   * without a handler is dead-lettered with the reason `UnhandledMessageType`, unless there is `processUnhandled`. Closing the subscription
   * closes all that it opened. Throws `TypeError` for a handler of a type that the client does not know.
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
  subscribe(
    queueOrTopic: string,
    second: string | TypedMessageHandlers<Types>,
    third?: TypedMessageHandlers<Types> | TypedSubscribeOptions,
    fourth?: TypedSubscribeOptions,
  ): MessageSubscription {
    return typeof second === "string"
      ? this.#parts.subscribe({ queueOrTopic, subscription: second }, third as never, fourth)
      : this.#parts.subscribe(queue(queueOrTopic), second as never, third as never);
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
      : this.#parts.acceptSession(queue(queueOrTopic), second, third);
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
    queueOrTopic: string,
    second?: string | AcceptSessionReceiverOptions,
    third?: AcceptSessionReceiverOptions,
  ): Promise<SessionReceiver<UndecodedMessage>> {
    return typeof second === "string"
      ? this.#parts.acceptSession({ queueOrTopic, subscription: second }, undefined, third)
      : this.#parts.acceptSession(queue(queueOrTopic), undefined, second);
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
    queueOrTopic: string,
    second: string | object,
    third?: object,
    fourth?: SubscribeSessionsOptions,
  ): MessageSubscription {
    return typeof second === "string"
      ? this.#parts.subscribeSessions({ queueOrTopic, subscription: second }, third as never, fourth)
      : this.#parts.subscribeSessions(queue(queueOrTopic), second as never, third as never);
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
    queueOrTopic: string,
    second?: string | ListSessionsOptions,
    third?: ListSessionsOptions,
  ): AsyncGenerator<string, void, undefined> {
    return typeof second === "string"
      ? this.#parts.listSessions({ queueOrTopic, subscription: second }, third)
      : this.#parts.listSessions(queue(queueOrTopic), second);
  }

  /**
   * Peeks the waiting messages, reads them as a receiver would, and reports what would happen to them: by content type, serializer, outcome and
   * reason, with the option that would make undeserializable ones readable. Locks nothing, counts no delivery and writes nothing.
   */
  rehearse(queue: string, options?: RehearseOptions): Promise<RehearsalReport>;
  rehearse(topic: string, subscription: string, options?: RehearseOptions): Promise<RehearsalReport>;
  rehearse(
    queueOrTopic: string,
    second?: string | RehearseOptions,
    third?: RehearseOptions,
  ): Promise<RehearsalReport> {
    return typeof second === "string"
      ? this.#parts.rehearse({ queueOrTopic, subscription: second }, third)
      : this.#parts.rehearse(queue(queueOrTopic), second);
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
  createRequester(
    queueOrTopic: string,
    second?: string | RequesterOptions,
    third?: RequesterOptions,
  ): Requester {
    this.#parts.requireOpen();
    return typeof second === "string"
      ? this.#requestReply.createRequester(queueOrTopic, second, third ?? {})
      : this.#requestReply.createRequester(queueOrTopic, undefined, second ?? {});
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

function queue(name: string): EntityName {
  return { queueOrTopic: name, subscription: undefined };
}
