import type { Scheduler } from "@waybill/foundation";
import type { EncodedBody } from "../message/body.js";
import type {
  ApplicationProperties,
  DeliveredProperties,
  EncodedMessage,
  EveryProperty,
} from "../message/message.js";

/** Optional capabilities of a transport. An operation that needs a missing one rejects with `not-supported`. */
export type TransportCapability =
  | "scheduling"
  | "deferral"
  | "sessions"
  | "sessionEnumeration"
  | "rules"
  | "transferDeadLetter";

/** Whether a received message is locked until it is settled, or deleted at once. */
export type ReceiveMode = "peekLock" | "receiveAndDelete";

/** A sub-queue of an entity. */
export type SubQueue = "deadLetter" | "transferDeadLetter";

/** A queue or subscription, or one of its sub-queues. */
export type EntityAddress =
  | { readonly queue: string; readonly subQueue?: SubQueue }
  | { readonly topic: string; readonly subscription: string; readonly subQueue?: SubQueue };

/** Every call can be aborted; the promise then rejects with code `aborted`. */
export interface CallOptions {
  /** Aborts the call, which then rejects with `aborted`. Default: none. */
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * What waybill needs from a broker connection. Arguments are checked and normalised; every error is a `WaybillError`. Creating a sender
 * or receiver does not use the network: its first call does. Closing a transport closes all its senders and receivers; calls after that
 * reject with code `closed`, and closing twice is harmless. Clients share a transport and leave it open: the code that created it closes it.
 */
export interface Transport extends AsyncDisposable {
  /** The optional operations that it supports. */
  readonly capabilities: ReadonlySet<TransportCapability>;
  /** The broker's clock, if it is not the system's; the client uses it for lock renewal and delays. */
  readonly scheduler?: Scheduler | undefined;
  /** The host name of its namespace, to recognise absolute addresses of its own entities; absent if unknown. */
  readonly fullyQualifiedNamespace?: string | undefined;
  /** Its name for the broker and in its logs; absent if it has none. */
  readonly identifier?: string | undefined;
  /** A sender to a queue or topic. */
  createSender(queueOrTopic: string): TransportSender;
  /** A receiver of an entity or sub-queue; `events` has callbacks for its links. */
  createReceiver(
    address: EntityAddress,
    receiveMode: ReceiveMode,
    events?: TransportReceiverEvents,
  ): TransportReceiver;
  /**
   * Locks the session `sessionId`, or the next one with messages when it is undefined. Rejects with `session-cannot-be-locked`
   * when another receiver holds it, with `timeout` when no session was available within `maxWaitTimeInMs`.
   */
  acceptSession(
    address: EntityAddress,
    sessionId: string | undefined,
    options: TransportAcceptSessionOptions,
  ): Promise<TransportSessionReceiver>;
  /** A manager of the rules of a topic's subscription. */
  createRuleManager(topic: string, subscription: string): TransportRuleManager;
  /** A page of the ids of an entity's sessions, sorted; present with the capability `sessionEnumeration`. */
  readonly listSessions?:
    | ((address: EntityAddress, options: TransportListSessionsOptions) => Promise<string[]>)
    | undefined;
  close(): Promise<void>;
}

/** Sends to one queue or topic. */
export interface TransportSender {
  /** The queue or topic. */
  readonly entityPath: string;
  /** Sends all messages or none; resolves when the broker has them. */
  send(messages: readonly EncodedMessage[], options?: CallOptions): Promise<void>;
  /**
   * Creates an empty batch of the broker's maximum size, or of `maxSizeInBytes`. Rejects with `operation-invalid` when that is more
   * than the broker accepts.
   */
  createBatch(options?: TransportCreateBatchOptions): Promise<TransportMessageBatch>;
  /** Sends all messages or none of a batch that this sender created; resolves when the broker has them. An empty batch is ignored. */
  sendBatch(batch: TransportMessageBatch, options?: CallOptions): Promise<void>;
  /** Schedules all messages; resolves with their sequence numbers, valid until they become active. */
  schedule(messages: readonly EncodedMessage[], at: Date, options?: CallOptions): Promise<bigint[]>;
  /** Cancels scheduled messages; rejects with `message-not-found` if one is not scheduled any more. */
  cancelScheduled(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<void>;
  close(): Promise<void>;
}

/** Messages sent in one transfer. Sizes are encoded sizes. */
export interface TransportMessageBatch {
  readonly count: number;
  readonly sizeInBytes: number;
  readonly maxSizeInBytes: number;
  /** Adds the message if it fits; returns whether it did. The message must not change until the batch is sent. */
  tryAdd(message: EncodedMessage): boolean;
}

/** Identifies a delivery to the receiver that made it. Opaque to all but the transport. */
export type SettlementHandle = object;

/** A message as the broker delivered it. */
export interface DeliveredMessage extends DeliveredProperties {
  /** The body as on the wire: bytes, or an AMQP value or sequence. */
  readonly body: EncodedBody;
  /** Present unless the message was peeked or received in receive-and-delete mode. */
  readonly settlement?: SettlementHandle | undefined;
}

/** Callbacks for events of a receiver's links. */
export interface TransportReceiverEvents {
  /** A link was closed and is reopened, because it delivered nothing although messages were waiting. */
  readonly onLinkStalled?: ((stall: LinkStall) => void) | undefined;
}

/** A link that stalled. */
export interface LinkStall {
  /** The queue, subscription or sub-queue of the link. */
  readonly entityPath: string;
  /** The session of the link; undefined without sessions. */
  readonly sessionId: string | undefined;
  /** How many messages the receiver had requested. */
  readonly credit: number;
  /** How long it had delivered nothing in spite of its credit, in milliseconds. */
  readonly silenceInMs: number;
  /** `backlog`: a waiting message was seen by peeking. `unanswered`: that request was not answered either, and the connection was closed. */
  readonly evidence: "backlog" | "unanswered";
}

/** A link of a receiver. */
export interface TransportReceivingLink {
  /** Undefined if the transport does not know. */
  readonly isOpen: boolean | undefined;
  /** How many more messages the receiver has requested. */
  readonly credit: number;
  /** When a message last arrived on it; undefined before the first. */
  readonly lastDeliveryAt: Date | undefined;
  /** How often it was reopened because it had stalled. */
  readonly stalls: number;
}

/** Receives from one entity or one of its sub-queues, and settles what it received. */
export interface TransportReceiver {
  /** The queue, subscription or sub-queue. */
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  /** The links on which it is receiving now; absent if the transport cannot report links. */
  readonly links?: (() => readonly TransportReceivingLink[]) | undefined;
  /** Resolves with 1…maxMessages messages as soon as there are any, or with none after `maxWaitTimeInMs`. */
  receive(options: TransportReceiveOptions): Promise<DeliveredMessage[]>;
  /**
   * Delivers messages until stopped, at most `maxConcurrentCalls` at a time: a slot is released when the promise of `onMessage` settles.
   * Reconnects lost links by itself and reports them to `onError`; `onMessage` must not reject.
   */
  subscribe(handlers: TransportSubscribeHandlers, options: TransportSubscribeOptions): TransportSubscription;
  /** Receives deferred messages; rejects with `message-not-found` if one of them does not exist. */
  receiveDeferred(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<DeliveredMessage[]>;
  /** Reads active, deferred and scheduled messages without locking them, in order of sequence number. */
  peek(options: TransportPeekOptions): Promise<DeliveredMessage[]>;
  /** Removes the message. Every settlement rejects with `message-lock-lost` or `session-lock-lost` when the lock has expired. */
  complete(delivery: SettlementHandle, options?: CallOptions): Promise<void>;
  /** Releases the message, which is delivered again at once with a higher delivery count. */
  abandon(delivery: SettlementHandle, options?: TransportSettleOptions): Promise<void>;
  /** Defers the message, which can then only be received with `receiveDeferred`. */
  defer(delivery: SettlementHandle, options?: TransportSettleOptions): Promise<void>;
  /** Moves the message to the dead-letter queue. */
  deadLetter(delivery: SettlementHandle, options?: TransportDeadLetterOptions): Promise<void>;
  /** Renews the lock and resolves with its new expiry. */
  renewLock(delivery: SettlementHandle, options?: CallOptions): Promise<Date>;
  /** Stops deliveries and releases its resources. Settles nothing: locks expire by themselves. */
  close(): Promise<void>;
}

/** A receiver that holds the lock of one session. */
export interface TransportSessionReceiver extends TransportReceiver {
  /** The accepted session. */
  readonly sessionId: string;
  /** When the session's lock expires, as of the last renewal. */
  readonly sessionLockedUntilUtc: Date;
  /** Renews the session's lock and resolves with its new expiry; rejects with `session-lock-lost` when it has expired. */
  renewSessionLock(options?: CallOptions): Promise<Date>;
  /** The session's state, or undefined when none is set. */
  getState(options?: CallOptions): Promise<Uint8Array | undefined>;
  /** Sets the session's state; undefined clears it. */
  setState(state: Uint8Array | undefined, options?: CallOptions): Promise<void>;
}

/** Manages the rules of one subscription. */
export interface TransportRuleManager {
  /** Adds a rule; rejects with `entity-already-exists` if its name is in use, with `operation-invalid` if it is invalid. */
  createRule(rule: SubscriptionRule, options?: CallOptions): Promise<void>;
  /** Removes a rule; rejects with `entity-not-found` if none has that name. */
  deleteRule(name: string, options?: CallOptions): Promise<void>;
  /** All rules of the subscription, in the broker's order. */
  listRules(options?: CallOptions): Promise<SubscriptionRule[]>;
  close(): Promise<void>;
}

/** A subscription's rule: a filter and, optionally, an action on the copies it selects. */
export interface SubscriptionRule {
  /** Unique in the subscription. */
  readonly name: string;
  readonly filter: SqlFilter | CorrelationFilter;
  /** A SQL action such as `SET priority = 'high'`. Default: none. */
  readonly action?: string | undefined;
}

/**
 * A SQL filter, for example `amount > 100 AND sys.Label = 'order'`. Values are part of the text: `@name` parameters exist only in management
 * clients, not in the AMQP operations on rules.
 */
export interface SqlFilter {
  /** A condition in the SQL filter syntax of Service Bus. */
  readonly sqlExpression: string;
}

/** Selects messages whose properties equal all that are given here. */
export interface CorrelationFilter {
  readonly correlationId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly to?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly subject?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly replyToSessionId?: string | undefined;
  readonly contentType?: string | undefined;
  /** Application properties by name; each must be equal, too. */
  readonly applicationProperties?: ApplicationProperties | undefined;
}

/** Options of creating a batch. */
export interface TransportCreateBatchOptions extends CallOptions {
  /** The maximum size of the batch, in bytes. Default: the broker's maximum. */
  readonly maxSizeInBytes?: number | undefined;
}

/** How long to wait for a session. */
export interface TransportAcceptSessionOptions extends CallOptions, TransportReceiverEvents {
  readonly receiveMode: ReceiveMode;
  /** How long to wait for a session, in milliseconds. */
  readonly maxWaitTimeInMs: number;
}

/** Which sessions to list. */
export interface TransportListSessionsOptions extends CallOptions {
  /** Only sessions whose state was set after this instant. Default: those that have messages. */
  readonly updatedAfter?: Date | undefined;
  /** How many sessions to leave out before the page. */
  readonly skip: number;
  /** How many ids to return at most. */
  readonly top: number;
}

/** How much to receive and how long to wait for the first message. */
export interface TransportReceiveOptions extends CallOptions {
  /** How many messages to receive at most. */
  readonly maxMessages: number;
  /** How long to wait for the first message, in milliseconds. */
  readonly maxWaitTimeInMs: number;
}

/** Where to start peeking and how much to peek. */
export interface TransportPeekOptions extends CallOptions {
  /** The sequence number to start from. Default: the beginning. */
  readonly fromSequenceNumber?: bigint | undefined;
  /** How many messages to return at most. */
  readonly maxMessages: number;
}

/** Application properties to add or overwrite while settling. */
export interface TransportSettleOptions extends CallOptions {
  /** By name; the message's others stay. Default: none. */
  readonly propertiesToModify?: ApplicationProperties | undefined;
}

/** Why a message is dead-lettered. */
export interface TransportDeadLetterOptions extends TransportSettleOptions {
  /** At most 4096 characters. Default: none. */
  readonly deadLetterReason?: string | undefined;
  /** At most 4096 characters. Default: none. */
  readonly deadLetterErrorDescription?: string | undefined;
}

/** What a settlement says about the message, every option by name: where one is missing, it does not compile. */
export type OutcomeOptions = EveryProperty<Omit<TransportDeadLetterOptions, keyof CallOptions>>;

/** The same for a message that is abandoned or deferred. */
export type ModifyingOptions = EveryProperty<Omit<TransportSettleOptions, keyof CallOptions>>;

/** What a transport calls while a subscription runs. */
export interface TransportSubscribeHandlers {
  /** Resolves when the message releases its slot; it may be settled a little later. */
  onMessage(message: DeliveredMessage): Promise<void>;
  /** Called with every error of receiving, such as a lost link, which the transport opens again. */
  onError(error: unknown): void;
  /** Called when the subscription begins to stop, so that held messages release their slots. */
  onStopping?(): void;
}

/** How many slots a subscription has. */
export interface TransportSubscribeOptions {
  /** How many messages may be without a settled `onMessage` at a time. */
  readonly maxConcurrentCalls: number;
}

/** A running subscription. */
export interface TransportSubscription {
  /** Stops deliveries and resolves when the running handlers have finished. */
  stop(): Promise<void>;
}
