import type Long from "long";

/**
 * The part of the `ServiceBusClient` of `@azure/service-bus` that the transport uses, so that it imports nothing of the SDK at run time.
 * The real class is assignable.
 */
export interface ServiceBusClientLike {
  readonly fullyQualifiedNamespace?: string;
  readonly identifier?: string;
  createSender(queueOrTopic: string): ServiceBusSenderLike;
  createReceiver(queue: string, options: ServiceBusReceiverSettings): ServiceBusReceiverLike;
  createReceiver(
    topic: string,
    subscription: string,
    options: ServiceBusReceiverSettings,
  ): ServiceBusReceiverLike;
  acceptSession(
    queue: string,
    sessionId: string,
    options: ServiceBusSessionSettings,
  ): Promise<ServiceBusSessionReceiverLike>;
  acceptSession(
    topic: string,
    subscription: string,
    sessionId: string,
    options: ServiceBusSessionSettings,
  ): Promise<ServiceBusSessionReceiverLike>;
  acceptNextSession(
    queue: string,
    options: ServiceBusSessionSettings,
  ): Promise<ServiceBusSessionReceiverLike>;
  acceptNextSession(
    topic: string,
    subscription: string,
    options: ServiceBusSessionSettings,
  ): Promise<ServiceBusSessionReceiverLike>;
  createRuleManager(topic: string, subscription: string): ServiceBusRuleManagerLike;
  /** Only in later versions. */
  listMessageSessions?(queue: string, options?: ServiceBusListSessionsOptions): AsyncIterable<string>;
  listMessageSessions?(
    topic: string,
    subscription: string,
    options?: ServiceBusListSessionsOptions,
  ): AsyncIterable<string>;
}

/** The sender's part of {@link ServiceBusClientLike}. */
export interface ServiceBusSenderLike {
  sendMessages(
    messages: AnnotatedMessage | AnnotatedMessage[] | AnyMessageBatch,
    options?: ServiceBusCallOptions,
  ): Promise<void>;
  createMessageBatch(
    options?: ServiceBusCallOptions & { maxSizeInBytes?: number },
  ): Promise<ServiceBusMessageBatchLike>;
  scheduleMessages(
    messages: AnnotatedMessage[],
    scheduledEnqueueTimeUtc: Date,
    options?: ServiceBusCallOptions,
  ): Promise<Long[]>;
  cancelScheduledMessages(sequenceNumbers: Long[], options?: ServiceBusCallOptions): Promise<void>;
  close(): Promise<void>;
}

/** A batch for `sendMessages`; its private members differ between versions. */
type AnyMessageBatch = object;

/** The part of the SDK's batch that is used. */
export interface ServiceBusMessageBatchLike {
  readonly count: number;
  readonly sizeInBytes: number;
  readonly maxSizeInBytes: number;
  tryAddMessage(message: AnnotatedMessage): boolean;
}

/** The receiver's part of {@link ServiceBusClientLike}. */
export interface ServiceBusReceiverLike {
  receiveMessages(
    maxMessageCount: number,
    options?: ServiceBusCallOptions & { maxWaitTimeInMs?: number },
  ): Promise<ReceivedServiceBusMessage[]>;
  subscribe(
    handlers: ServiceBusMessageHandlers,
    options?: ServiceBusCallOptions & { maxConcurrentCalls?: number; autoCompleteMessages?: boolean },
  ): { close(): Promise<void> };
  receiveDeferredMessages(
    sequenceNumbers: Long[],
    options?: ServiceBusCallOptions,
  ): Promise<ReceivedServiceBusMessage[]>;
  peekMessages(
    maxMessageCount: number,
    options?: ServiceBusCallOptions & { fromSequenceNumber?: Long },
  ): Promise<ReceivedServiceBusMessage[]>;
  completeMessage(message: ReceivedServiceBusMessage): Promise<void>;
  abandonMessage(message: ReceivedServiceBusMessage, propertiesToModify?: WireProperties): Promise<void>;
  deferMessage(message: ReceivedServiceBusMessage, propertiesToModify?: WireProperties): Promise<void>;
  deadLetterMessage(message: ReceivedServiceBusMessage, options?: WireProperties): Promise<void>;
  renewMessageLock(message: ReceivedServiceBusMessage): Promise<Date>;
  readonly isClosed: boolean;
  close(): Promise<void>;
}

/** The session receiver's part of {@link ServiceBusClientLike}. */
export interface ServiceBusSessionReceiverLike extends ServiceBusReceiverLike {
  readonly sessionId: string;
  readonly sessionLockedUntilUtc: Date;
  renewSessionLock(options?: ServiceBusCallOptions): Promise<Date>;
  getSessionState(options?: ServiceBusCallOptions): Promise<unknown>;
  setSessionState(state: unknown, options?: ServiceBusCallOptions): Promise<void>;
}

/** The rule manager's part of {@link ServiceBusClientLike}. */
export interface ServiceBusRuleManagerLike {
  createRule(
    name: string,
    filter: ServiceBusRuleFilter,
    action: { sqlExpression?: string } | undefined,
    options?: ServiceBusCallOptions,
  ): Promise<void>;
  deleteRule(name: string, options?: ServiceBusCallOptions): Promise<void>;
  listRules(options?: ServiceBusCallOptions): AsyncIterable<ServiceBusRule | undefined>;
}

/** A rule as the SDK lists it. */
export interface ServiceBusRule {
  readonly name: string;
  readonly filter: ServiceBusRuleFilter;
  readonly action: { readonly sqlExpression?: string };
}

/** A SQL filter, or the conditions of a correlation filter. */
export type ServiceBusRuleFilter = { sqlExpression: string } | CorrelationConditions;

/** The conditions of a correlation filter as the SDK names them. */
export interface CorrelationConditions {
  correlationId?: string;
  messageId?: string;
  to?: string;
  replyTo?: string;
  subject?: string;
  sessionId?: string;
  replyToSessionId?: string;
  contentType?: string;
  applicationProperties?: WireProperties;
}

/** How receivers are created: bodies and dates are not converted, and the client renews the locks. */
export interface ServiceBusReceiverSettings extends ServiceBusSessionSettings {
  subQueueType?: "deadLetter" | "transferDeadLetter";
}

/** How sessions are accepted. */
export interface ServiceBusSessionSettings {
  receiveMode: "peekLock" | "receiveAndDelete";
  maxAutoLockRenewalDurationInMs: number;
  skipParsingBodyAsJson: boolean;
  skipConvertingDate: boolean;
}

/** The handlers of a subscription as the SDK calls them. */
export interface ServiceBusMessageHandlers {
  processMessage(message: ReceivedServiceBusMessage): Promise<void>;
  processError(args: { error: unknown }): Promise<void>;
}

/** Options of a call that can be aborted. */
export interface ServiceBusCallOptions {
  abortSignal?: AbortSignal;
}

/** Which sessions the SDK lists. */
export interface ServiceBusListSessionsOptions extends ServiceBusCallOptions {
  sessionStateUpdatedAfter?: Date;
}

/** Properties whose values rhea, the AMQP library beneath the SDK, can encode. */
export type WireProperties = { [name: string]: unknown };

/** A message to send, in the SDK's AMQP-level form. */
export interface AnnotatedMessage {
  body: unknown;
  bodyType: "data" | "value" | "sequence";
  header?: { timeToLive?: number; durable?: boolean };
  properties?: WireProperties;
  messageAnnotations?: WireProperties;
  applicationProperties?: WireProperties;
}

/** What the transport reads from a received message. */
export interface ReceivedServiceBusMessage {
  body: unknown;
  messageId?: unknown;
  correlationId?: unknown;
  contentType?: string;
  subject?: string;
  to?: string;
  replyTo?: string;
  replyToSessionId?: string;
  sessionId?: string;
  partitionKey?: string;
  timeToLive?: number;
  scheduledEnqueueTimeUtc?: Date;
  applicationProperties?: WireProperties;
  readonly deadLetterReason?: string;
  readonly deadLetterErrorDescription?: string;
  readonly deadLetterSource?: string;
  readonly deliveryCount?: number;
  readonly enqueuedTimeUtc?: Date;
  lockedUntilUtc?: Date;
  readonly lockToken?: string;
  readonly sequenceNumber?: Long;
  readonly enqueuedSequenceNumber?: unknown;
  readonly state: "active" | "deferred" | "scheduled";
  /** The sections for which the SDK has no property. */
  readonly _rawAmqpMessage: {
    bodyType?: "data" | "value" | "sequence";
    header?: { durable?: boolean };
    properties?: { contentEncoding?: string };
    messageAnnotations?: WireProperties;
  };
}
