import type { Scheduler } from "../foundation/scheduler.js";
import type { EncodedBody } from "../message/body.js";
import type { ApplicationProperties, DeliveredProperties, EncodedMessage } from "../message/message.js";

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
  /** Aborts the call, which then rejects with `aborted`. */
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * What waybill needs from a broker connection. Arguments are checked and normalised; every error is a `WaybillError`. Creating a sender
 * or receiver does not use the network: its first call does. Closing a transport closes all its senders and receivers; calls after that
 * reject with code `closed`, and closing twice is harmless. Clients share a transport and leave it open: the code that created it closes it.
 */
export interface Transport extends AsyncDisposable {
  readonly capabilities: ReadonlySet<TransportCapability>;
  /** The broker's clock, if it is not the system's; the client uses it for lock renewal and delays. */
  readonly scheduler?: Scheduler | undefined;
  /** The host name of its namespace, to recognise absolute addresses of its own entities; absent if unknown. */
  readonly fullyQualifiedNamespace?: string | undefined;
  /** Its name for the broker and in its logs; absent if it has none. */
  readonly identifier?: string | undefined;
  createSender(queueOrTopic: string): TransportSender;
  createReceiver(
    address: EntityAddress,
    receiveMode: ReceiveMode,
    events?: ReceiverEvents,
  ): TransportReceiver;
  /**
   * Locks the session `sessionId`, or the next one with messages when it is undefined. Rejects with `session-cannot-be-locked`
   * when another receiver holds it, with `timeout` when no session was available within `maxWaitTimeInMs`.
   */
  acceptSession(
    address: EntityAddress,
    sessionId: string | undefined,
    options: AcceptSessionOptions,
  ): Promise<TransportSessionReceiver>;
  createRuleManager(topic: string, subscription: string): TransportRuleManager;
  /** A page of the ids of an entity's sessions, sorted; present with the capability `sessionEnumeration`. */
  readonly listSessions?:
    | ((address: EntityAddress, options: ListSessionsPageOptions) => Promise<string[]>)
    | undefined;
  close(): Promise<void>;
}

/** Sends to one queue or topic. */
export interface TransportSender {
  readonly entityPath: string;
  /** Sends all messages or none; resolves when the broker has them. */
  send(messages: readonly EncodedMessage[], options?: CallOptions): Promise<void>;
  /**
   * Creates an empty batch of the broker's maximum size, or of `maxSizeInBytes`. Rejects with `operation-invalid` when that is more
   * than the broker accepts.
   */
  createBatch(options?: CreateBatchOptions): Promise<TransportMessageBatch>;
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
  readonly body: EncodedBody;
  /** Present unless the message was peeked or received in receive-and-delete mode. */
  readonly settlement?: SettlementHandle | undefined;
}

/** Callbacks for events of a receiver's links. */
export interface ReceiverEvents {
  /** A link was closed and is reopened, because it delivered nothing although messages were waiting. */
  readonly onLinkStalled?: ((stall: LinkStall) => void) | undefined;
}

/** A link that stalled. */
export interface LinkStall {
  readonly entityPath: string;
  readonly sessionId: string | undefined;
  /** How many messages the receiver had requested. */
  readonly credit: number;
  /** How long it had delivered nothing in spite of its credit, in milliseconds. */
  readonly silenceInMs: number;
  /** `backlog`: a waiting message was seen by peeking. `unanswered`: that request was not answered either, and the connection was closed. */
  readonly evidence: "backlog" | "unanswered";
}

/** A link of a receiver. */
export interface ReceivingLink {
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
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  /** The links on which it is receiving now; absent if the transport cannot report links. */
  readonly links?: (() => readonly ReceivingLink[]) | undefined;
  /** Resolves with 1…maxMessages messages as soon as there are any, or with none after `maxWaitTimeInMs`. */
  receive(options: ReceiveOptions): Promise<DeliveredMessage[]>;
  /**
   * Delivers messages until stopped, at most `maxConcurrentCalls` at a time: a slot is released when the promise of `onMessage` settles.
   * Reconnects lost links by itself and reports them to `onError`; `onMessage` must not reject.
   */
  subscribe(handlers: SubscribeHandlers, options: SubscribeOptions): TransportSubscription;
  /** Receives deferred messages; rejects with `message-not-found` if one of them does not exist. */
  receiveDeferred(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<DeliveredMessage[]>;
  /** Reads active, deferred and scheduled messages without locking them, in order of sequence number. */
  peek(options: PeekOptions): Promise<DeliveredMessage[]>;
  complete(delivery: SettlementHandle, options?: CallOptions): Promise<void>;
  abandon(delivery: SettlementHandle, options?: SettleOptions): Promise<void>;
  defer(delivery: SettlementHandle, options?: SettleOptions): Promise<void>;
  deadLetter(delivery: SettlementHandle, options?: DeadLetterOptions): Promise<void>;
  /** Renews the lock and resolves with its new expiry. */
  renewLock(delivery: SettlementHandle, options?: CallOptions): Promise<Date>;
  /** Stops deliveries and releases its resources. Settles nothing: locks expire by themselves. */
  close(): Promise<void>;
}

/** A receiver that holds the lock of one session. */
export interface TransportSessionReceiver extends TransportReceiver {
  readonly sessionId: string;
  readonly sessionLockedUntilUtc: Date;
  renewSessionLock(options?: CallOptions): Promise<Date>;
  /** The session's state, or undefined when none is set. */
  getState(options?: CallOptions): Promise<Uint8Array | undefined>;
  /** Sets the session's state; undefined clears it. */
  setState(state: Uint8Array | undefined, options?: CallOptions): Promise<void>;
}

/** Manages the rules of one subscription. */
export interface TransportRuleManager {
  createRule(rule: SubscriptionRule, options?: CallOptions): Promise<void>;
  deleteRule(name: string, options?: CallOptions): Promise<void>;
  listRules(options?: CallOptions): Promise<SubscriptionRule[]>;
  close(): Promise<void>;
}

/** A subscription's rule: a filter and, optionally, an action on the copies it selects. */
export interface SubscriptionRule {
  readonly name: string;
  readonly filter: SqlFilter | CorrelationFilter;
  /** A SQL action such as `SET priority = 'high'`. */
  readonly action?: string | undefined;
}

/**
 * A SQL filter, for example `amount > 100 AND sys.Label = 'order'`. Values are part of the text: `@name` parameters exist only in management
 * clients, not in the AMQP operations on rules.
 */
export interface SqlFilter {
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
  readonly applicationProperties?: ApplicationProperties | undefined;
}

/** The maximum size of a batch, in bytes. Default: the broker's maximum. */
export interface CreateBatchOptions extends CallOptions {
  readonly maxSizeInBytes?: number | undefined;
}

/** How long to wait for a session. */
export interface AcceptSessionOptions extends CallOptions, ReceiverEvents {
  readonly receiveMode: ReceiveMode;
  readonly maxWaitTimeInMs: number;
}

/** Which sessions to list. */
export interface ListSessionsPageOptions extends CallOptions {
  /** Only sessions whose state was set after this instant; without it, those that have messages. */
  readonly updatedAfter?: Date | undefined;
  readonly skip: number;
  readonly top: number;
}

/** How much to receive and how long to wait for the first message. */
export interface ReceiveOptions extends CallOptions {
  readonly maxMessages: number;
  readonly maxWaitTimeInMs: number;
}

/** Where to start peeking (the beginning when absent) and how many messages to return at most. */
export interface PeekOptions extends CallOptions {
  readonly fromSequenceNumber?: bigint | undefined;
  readonly maxMessages: number;
}

/** Application properties to add or overwrite while settling. */
export interface SettleOptions extends CallOptions {
  readonly propertiesToModify?: ApplicationProperties | undefined;
}

/** Why a message is dead-lettered. Reason and description are at most 4096 characters each. */
export interface DeadLetterOptions extends SettleOptions {
  readonly deadLetterReason?: string | undefined;
  readonly deadLetterErrorDescription?: string | undefined;
}

/** What a transport calls while a subscription runs. */
export interface SubscribeHandlers {
  /** Resolves when the message releases its slot; it may be settled a little later. */
  onMessage(message: DeliveredMessage): Promise<void>;
  onError(error: unknown): void;
  /** Called when the subscription begins to stop, so that held messages release their slots. */
  onStopping?(): void;
}

/** How many slots a subscription has. */
export interface SubscribeOptions {
  readonly maxConcurrentCalls: number;
}

/** A running subscription. */
export interface TransportSubscription {
  /** Stops deliveries and resolves when the running handlers have finished. */
  stop(): Promise<void>;
}
