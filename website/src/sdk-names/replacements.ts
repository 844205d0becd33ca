import type * as Sdk from "@azure/service-bus";

// What each name of `@azure/service-bus` is with waybill. The types hold the lists complete: a member that the SDK adds, or one that is
// misspelt here, does not compile. `sdk-names.test.ts` holds the list of exported names complete.

/** What stands in the place of each member of a type, by the member's name. */
export type Replacements = Readonly<Record<string, string>>;

/** Every member of a type, and nothing else. */
type Of<Type> = { readonly [Name in keyof Type & string]-?: string };

const same = "the same";
const asBefore = "stays an option of your `ServiceBusClient`, which the transport takes";
const unparsed = "not needed: bodies are never parsed by the SDK, but read by the serializers";
const undoneDates = "not needed: dates arrive as `Date`, in deferred messages too";
const identifier = "set `identifier` on your `ServiceBusClient`; `client.identifier` reads it";
const bigint = "a `bigint`, no `Long`";
const tracingOptions = "[`@waybill/opentelemetry`](observability.md) makes the spans";

const message = {
  body: "the same; `unknown` instead of `any`, and a `Buffer` needs the content type `application/octet-stream` and `bytes()`",
  messageId: "the same; also a `bigint`",
  contentType:
    "the same; waybill writes it, `application/json` with `json()`. Set it to choose another of the configured serializers",
  correlationId: "the same; also a `bigint`",
  partitionKey: same,
  sessionId: same,
  replyToSessionId: same,
  timeToLive: "the same, in milliseconds",
  subject: "the same; the message type, if you define any",
  to: same,
  replyTo: "the same; `client.request` and `client.reply` use it",
  scheduledEnqueueTimeUtc: same,
  applicationProperties: "the same; integers beyond 2^53 are `bigint`, and no property of yours is dropped",
} satisfies Of<Sdk.ServiceBusMessage>;

/** The tables of the page, by their name in its markers: the SDK's type, and what stands in the place of each member. */
export const replacementTables: Readonly<Record<string, Replacements>> = {
  functions: {
    ServiceBusClient: "`new WaybillClient(azureTransport(serviceBusClient), { serializer: json() })`",
    ServiceBusAdministrationClient:
      "continues to work beside waybill, unchanged; see [below](#administration)",
    ServiceBusError: "`WaybillError`; the SDK's own error is its `cause`",
    MessagingError: "`WaybillError`; the error beneath is its `cause`",
    isServiceBusError: "`error instanceof WaybillError`, which also holds across two installed copies",
    parseServiceBusConnectionString: "continues to work beside waybill, unchanged",
    delay: "`setTimeout` of `node:timers/promises`",
    RetryMode:
      "an option of your `ServiceBusClient`; do not set `Exponential`, which `subscribe` of the SDK overwrites",
    TokenType: "not needed: credentials stay with your `ServiceBusClient`",
  } satisfies Of<Omit<typeof Sdk, "default">>,
  ServiceBusClient: {
    fullyQualifiedNamespace: "`client.fullyQualifiedNamespace`",
    identifier: "`client.identifier`",
    createSender: "`client.createSender(queueOrTopic)`",
    createReceiver: "`client.createReceiver(queue, options)` or `(topic, subscription, options)`",
    createRuleManager: "`client.createRuleManager(topic, subscription)`",
    acceptSession:
      "`client.acceptSession(queue, sessionId, options)` or `(topic, subscription, sessionId, options)`",
    acceptNextSession:
      "`client.acceptNextSession(queue, options)`; for many sessions at once, `client.subscribeSessions`",
    close: "`client.close()` closes what it made; your `ServiceBusClient` stays open, close it afterwards",
  } satisfies Of<Sdk.ServiceBusClient>,
  ServiceBusClientOptions: {
    identifier: asBefore,
    customEndpointAddress: asBefore,
    retryOptions: `${asBefore}; \`azureRetryOptions\` fails within seconds instead of minutes`,
    webSocketOptions: asBefore,
    userAgentOptions: asBefore,
  } satisfies Of<Sdk.ServiceBusClientOptions>,
  ServiceBusSender: {
    identifier,
    entityPath: same,
    isClosed: same,
    sendMessages:
      "the same, for one message, an array or a batch; an array that is too large goes in several batches. An `AmqpAnnotatedMessage` is refused",
    createMessageBatch: "the same",
    scheduleMessages: "the same; resolves with `bigint`s",
    cancelScheduledMessages: "the same; takes `bigint`s: `BigInt(long.toString())` for stored ones",
    close: same,
  } satisfies Of<Sdk.ServiceBusSender>,
  ServiceBusSenderOptions: { identifier } satisfies Of<Sdk.ServiceBusSenderOptions>,
  ServiceBusMessageBatch: {
    sizeInBytes: "the same; the size after serialization",
    count: same,
    maxSizeInBytes: same,
    tryAddMessage:
      "the same; use `tryAddMessageAsync` if a serializer, encryption or a store is asynchronous",
  } satisfies Of<Sdk.ServiceBusMessageBatch>,
  CreateMessageBatchOptions: {
    maxSizeInBytes: same,
    abortSignal: same,
    tracingOptions,
  } satisfies Of<Sdk.CreateMessageBatchOptions>,
  TryAddOptions: {
    tracingOptions,
  } satisfies Of<Sdk.TryAddOptions>,
  ServiceBusMessage: message,
  ServiceBusReceivedMessage: {
    ...message,
    body: "`unknown` until a message type or a schema says more; read by the serializer that `deserialization` names",
    deadLetterReason: same,
    deadLetterErrorDescription: same,
    lockToken: same,
    deliveryCount: "the same, never undefined",
    enqueuedTimeUtc: same,
    expiresAtUtc: same,
    lockedUntilUtc: "the same; renewed by the client for `maxAutoLockRenewalDurationInMs`",
    enqueuedSequenceNumber: bigint,
    sequenceNumber: bigint,
    deadLetterSource: same,
    state: same,
    _rawAmqpMessage: "`rawBody` has the body on the wire, byte for byte; everything else is a property",
  } satisfies Of<Sdk.ServiceBusReceivedMessage>,
  ServiceBusReceiver: {
    identifier,
    entityPath: same,
    receiveMode: same,
    isClosed: same,
    subscribe:
      '`receiver.subscribe(handlers, options)`; by message type, `client.subscribe(queue, { processMessage: { "order-placed": … } })`',
    getMessageIterator: "the same; also `prefetchCount` and `autoCompleteMessages`",
    receiveMessages:
      "the same; resolves as soon as there are messages. Undeserializable ones are dead-lettered",
    receiveDeferredMessages:
      "the same; takes `bigint`s. [`DeferredMessages`](processing.md) keeps the numbers",
    peekMessages:
      "the same; undeserializable messages are included, marked by `failure`. `peekAll` peeks to the end",
    completeMessage: same,
    abandonMessage: same,
    deferMessage: same,
    deadLetterMessage: "the same; also decided by a handler that throws `DeadLetterError`",
    renewMessageLock: "the same; rarely needed, locks are renewed",
    close: same,
  } satisfies Of<Sdk.ServiceBusReceiver>,
  ServiceBusReceiverOptions: {
    receiveMode: same,
    subQueueType: same,
    maxAutoLockRenewalDurationInMs: "the same, for `receiveMessages` too",
    skipParsingBodyAsJson: unparsed,
    skipConvertingDate: undoneDates,
    identifier,
  } satisfies Of<Sdk.ServiceBusReceiverOptions>,
  ServiceBusSessionReceiver: {
    sessionId: same,
    sessionLockedUntilUtc: same,
    subscribe: "the same; for many sessions, `client.subscribeSessions`",
    renewSessionLock: "the same; rarely needed, the lock is renewed until the receiver closes",
    getSessionState: "the same; read by the serializers",
    setSessionState:
      "the same; while consumers of the SDK read the states too, make the client with `sessionStateEnvelope: false`",
  } satisfies Of<Omit<Sdk.ServiceBusSessionReceiver, Exclude<keyof Sdk.ServiceBusReceiver, "subscribe">>>,
  ServiceBusSessionReceiverOptions: {
    receiveMode: same,
    maxAutoLockRenewalDurationInMs: same,
    skipParsingBodyAsJson: unparsed,
    skipConvertingDate: undoneDates,
    identifier,
    abortSignal: same,
    tracingOptions,
  } satisfies Of<Sdk.ServiceBusSessionReceiverOptions>,
  MessageHandlers: {
    processMessage:
      "the same; a second argument has an `abortSignal` that aborts when a renewal finds that the lock is lost. It never gets an undeserializable body",
    processError: "the same; also gets undeserializable messages",
  } satisfies Of<Sdk.MessageHandlers>,
  ProcessErrorArgs: {
    error: "the same; a `WaybillError`, or what the handler threw",
    errorSource: "the same, and more: `deserialize`, `deadLetter`, `quarantine`, `retry`, `acceptSession` …",
    entityPath: same,
    fullyQualifiedNamespace: "`client.fullyQualifiedNamespace`",
    identifier: "`client.identifier`",
  } satisfies Of<Sdk.ProcessErrorArgs>,
  SubscribeOptions: {
    autoCompleteMessages: same,
    maxConcurrentCalls: same,
    abortSignal: same,
    tracingOptions,
  } satisfies Of<Sdk.SubscribeOptions>,
  ReceiveMessagesOptions: {
    maxWaitTimeInMs: same,
    abortSignal: same,
    tracingOptions,
  } satisfies Of<Sdk.ReceiveMessagesOptions>,
  PeekMessagesOptions: {
    fromSequenceNumber: bigint,
    abortSignal: same,
    tracingOptions,
  } satisfies Of<Sdk.PeekMessagesOptions>,
  OperationOptionsBase: {
    abortSignal: "the same, on every call that waits",
    tracingOptions,
  } satisfies Of<Sdk.OperationOptionsBase>,
  DeadLetterOptions: {
    deadLetterReason: same,
    deadLetterErrorDescription: same,
  } satisfies Of<Sdk.DeadLetterOptions>,
  ServiceBusRuleManager: {
    createRule: same,
    deleteRule: same,
    listRules: "resolves with an array: `for (const rule of await manager.listRules())`",
    close: same,
  } satisfies Of<Sdk.ServiceBusRuleManager & { close(): Promise<void> }>,
  RuleProperties: {
    name: same,
    filter: same,
    action: "the text of the action, instead of an object with `sqlExpression`",
  } satisfies Of<Sdk.RuleProperties>,
  CorrelationRuleFilter: {
    correlationId: same,
    messageId: same,
    to: same,
    replyTo: same,
    subject: same,
    sessionId: same,
    replyToSessionId: same,
    contentType: same,
    applicationProperties: "the same; a misspelt field is refused instead of matching everything",
  } satisfies Of<Sdk.CorrelationRuleFilter>,
  SqlRuleFilter: {
    sqlExpression: same,
    sqlParameters: "write the values into the expression; the protocol has no parameters",
  } satisfies Of<Sdk.SqlRuleFilter>,
  SqlRuleAction: {
    sqlExpression: same,
    sqlParameters: "write the values into the expression",
  } satisfies Of<Sdk.SqlRuleAction>,
  ServiceBusConnectionStringProperties: {
    fullyQualifiedNamespace: same,
    endpoint: same,
    entityPath: same,
    sharedAccessKey: same,
    sharedAccessKeyName: same,
    sharedAccessSignature: same,
  } satisfies Of<Sdk.ServiceBusConnectionStringProperties>,
  ServiceBusError: {
    name: '`"WaybillError"`',
    message: "the same; begins with the code",
    code: "one of the [codes](errors.md) below; in lower case, with hyphens",
    retryable: "the same: whether the same call can succeed later",
    stack: same,
    cause: "the SDK's error, with its `address`, `condition`, `errno`, `info`, `port` and `syscall`",
    address: "on the `cause`",
    errno: "on the `cause`",
    port: "on the `cause`",
    syscall: "on the `cause`",
    info: "on the `cause`",
  } satisfies Of<Sdk.ServiceBusError>,
  ServiceBusErrorCode: {
    GeneralError: "the code that its text names, or `internal`",
    MessagingEntityNotFound: "`entity-not-found`",
    MessageLockLost: "`message-lock-lost`",
    MessageNotFound: "`message-not-found`",
    MessageSizeExceeded: "`message-too-large`",
    MessagingEntityAlreadyExists: "`entity-already-exists`",
    MessagingEntityDisabled: "`entity-disabled`",
    QuotaExceeded: "`quota-exceeded`",
    ServiceBusy: "`service-busy`",
    ServiceTimeout: "`timeout`",
    ServiceCommunicationProblem: "`connection-lost`",
    SessionCannotBeLocked: "`session-cannot-be-locked`",
    SessionLockLost: "`session-lock-lost`",
    UnauthorizedAccess: "`unauthorized`",
  } satisfies Readonly<Record<Sdk.ServiceBusErrorCode, string>>,
};
