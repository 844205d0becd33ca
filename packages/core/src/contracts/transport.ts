import type { Scheduler } from "../foundation/scheduler.js";
import type { EncodedBody } from "../message/body.js";
import type { ApplicationProperties, DeliveredProperties, EncodedMessage } from "../message/message.js";

/** What a transport may be unable to do. An operation that needs a missing capability rejects with `not-supported`. */
export type TransportCapability =
  | "scheduling"
  | "deferral"
  | "sessions"
  | "sessionEnumeration"
  | "rules"
  | "transferDeadLetter";

/** How received messages leave the entity: after settlement, or at once. */
export type ReceiveMode = "peekLock" | "receiveAndDelete";

/** A sub-queue of an entity. */
export type SubQueue = "deadLetter" | "transferDeadLetter";

/** Something messages are received from. */
export type EntityAddress =
  | { readonly queue: string; readonly subQueue?: SubQueue }
  | { readonly topic: string; readonly subscription: string; readonly subQueue?: SubQueue };

/** Every call can be given up; the promise then rejects with code `aborted`. */
export interface CallOptions {
  /** Aborts the call, which then rejects with `aborted`. */
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * What waybill needs from a broker connection. Arguments arrive checked and normalised; every failure is a `WaybillError`. Making a
 * sender or receiver does not touch the network: the first call does. Closing a transport closes all it made; calls on a closed thing
 * reject with code `closed`, and closing twice is harmless. Clients share a transport and leave it open: whoever made it closes it.
 */
export interface Transport extends AsyncDisposable {
  readonly capabilities: ReadonlySet<TransportCapability>;
  /** The time its broker goes by, when that is not the system's; the client renews locks and backs off by it. */
  readonly scheduler?: Scheduler | undefined;
  /** The host name of its namespace, which distinguishes its own absolute addresses from those of others; absent where it is not known. */
  readonly fullyQualifiedNamespace?: string | undefined;
  /** What it calls itself to the broker and in its logs; absent where it has no name. */
  readonly identifier?: string | undefined;
  createSender(queueOrTopic: string): TransportSender;
  createReceiver(
    address: EntityAddress,
    receiveMode: ReceiveMode,
    events?: ReceiverEvents,
  ): TransportReceiver;
  /**
   * Locks a session: the one named, or the next with messages when `sessionId` is undefined. Rejects with `session-cannot-be-locked`
   * when another receiver holds it, with `timeout` when no session came within `maxWaitTimeInMs`.
   */
  acceptSession(
    address: EntityAddress,
    sessionId: string | undefined,
    options: AcceptSessionOptions,
  ): Promise<TransportSessionReceiver>;
  createRuleManager(topic: string, subscription: string): TransportRuleManager;
  /** The ids of an entity's sessions, sorted, a page of them; present with the capability `sessionEnumeration`. */
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
   * Makes an empty batch as large as the broker takes one, or as `maxSizeInBytes`. Rejects with `operation-invalid` when that is more
   * than the broker takes.
   */
  createBatch(options?: CreateBatchOptions): Promise<TransportMessageBatch>;
  /** Sends the messages of a batch of this sender's, all or none; resolves when the broker has them. An empty one is sent by doing nothing. */
  sendBatch(batch: TransportMessageBatch, options?: CallOptions): Promise<void>;
  /** Schedules all messages; resolves with their sequence numbers, valid until they become active. */
  schedule(messages: readonly EncodedMessage[], at: Date, options?: CallOptions): Promise<bigint[]>;
  /** Cancels scheduled messages; rejects with `message-not-found` if one is not scheduled any more. */
  cancelScheduled(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<void>;
  close(): Promise<void>;
}

/** Messages that travel as one. Its sizes are those of the wire. */
export interface TransportMessageBatch {
  readonly count: number;
  readonly sizeInBytes: number;
  readonly maxSizeInBytes: number;
  /** Adds the message if there is room. The batch keeps it, so it must not change until the batch is sent. */
  tryAdd(message: EncodedMessage): boolean;
}

/** Identifies a delivery to the receiver that made it. Opaque: only the transport looks inside. */
export type SettlementHandle = object;

/** A message as it came from the broker. */
export interface DeliveredMessage extends DeliveredProperties {
  readonly body: EncodedBody;
  /** Present unless the message was peeked or received in receive-and-delete mode. */
  readonly settlement?: SettlementHandle | undefined;
}

/** What a transport calls for what happens beneath a receiver. */
export interface ReceiverEvents {
  /** A link was torn down and is made again, because it delivered nothing although there was something to deliver. */
  readonly onLinkStalled?: ((stall: LinkStall) => void) | undefined;
}

/** A link that stood still. */
export interface LinkStall {
  readonly entityPath: string;
  readonly sessionId: string | undefined;
  /** How many messages it was ready for. */
  readonly credit: number;
  /** How long it had been ready and delivered nothing, in milliseconds. */
  readonly silenceInMs: number;
  /** `backlog`: a message was seen waiting. `unanswered`: nothing was answered either, and the connection was given up. */
  readonly evidence: "backlog" | "unanswered";
}

/** One link on which a receiver gets its messages. */
export interface ReceivingLink {
  /** Undefined where the transport cannot tell. */
  readonly isOpen: boolean | undefined;
  /** How many messages it is ready for. */
  readonly credit: number;
  /** When a message last arrived on it; undefined before the first. */
  readonly lastDeliveryAt: Date | undefined;
  /** How often it was made again because it stood still. */
  readonly stalls: number;
}

/** Receives from one entity or one of its sub-queues, and settles what it received. */
export interface TransportReceiver {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  /** The links on which it is receiving at present; absent where there are none to tell of. */
  readonly links?: (() => readonly ReceivingLink[]) | undefined;
  /** Resolves with 1…maxMessages messages as soon as there are any, or with none after `maxWaitTimeInMs`. */
  receive(options: ReceiveOptions): Promise<DeliveredMessage[]>;
  /**
   * Delivers messages until stopped, at most `maxConcurrentCalls` at a time: a place is free again when the handler's promise settles.
   * Recovers from lost links by itself and reports them to `onError`; a handler must not reject.
   */
  subscribe(handlers: SubscribeHandlers, options: SubscribeOptions): TransportSubscription;
  /** Receives deferred messages; rejects with `message-not-found` if one is not there. */
  receiveDeferred(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<DeliveredMessage[]>;
  /** Reads without locking, active, deferred and scheduled messages alike, in order of sequence number. */
  peek(options: PeekOptions): Promise<DeliveredMessage[]>;
  complete(delivery: SettlementHandle, options?: CallOptions): Promise<void>;
  abandon(delivery: SettlementHandle, options?: SettleOptions): Promise<void>;
  defer(delivery: SettlementHandle, options?: SettleOptions): Promise<void>;
  deadLetter(delivery: SettlementHandle, options?: DeadLetterOptions): Promise<void>;
  /** Extends the lock and resolves with its new end. */
  renewLock(delivery: SettlementHandle, options?: CallOptions): Promise<Date>;
  /** Stops deliveries and lets go. Settles nothing: locks run out by themselves. */
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

/** Adds, removes and lists the rules of one subscription. */
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
 * A SQL filter, for example `amount > 100 AND sys.Label = 'order'`. Values are written into it: the protocol's operations on rules have no place
 * for `@name` parameters, which only a management client can give.
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

/** How large a batch may become, in bytes. Default: as large as the broker takes one. */
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
  /** Resolves when the message frees its place; it may be settled a little later. */
  onMessage(message: DeliveredMessage): Promise<void>;
  onError(error: unknown): void;
  /** Is called when the subscription begins to stop, so that messages which only wait free their places. */
  onStopping?(): void;
}

/** How many messages may be with the handler at once. */
export interface SubscribeOptions {
  readonly maxConcurrentCalls: number;
}

/** A running subscription. */
export interface TransportSubscription {
  /** Stops new deliveries and resolves when the handlers that run have finished. */
  stop(): Promise<void>;
}
