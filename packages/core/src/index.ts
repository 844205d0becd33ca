// For applications

export type { ContentCoding } from "./body-transforms/compression.js";
export type {
  EncryptionKey,
  EncryptionKeyMaterial,
  EncryptionKeyProvider,
  EncryptionOptions,
  WebCryptoKey,
} from "./body-transforms/encryption-options.js";
export type {
  CircuitBreakerEvent,
  CircuitState,
  MessageFormat,
} from "./circuit-breaker/circuit-breaker-event.js";
export type { CircuitBreakerOptions, WhenFull } from "./circuit-breaker/circuit-breaker-options.js";
export { defaultCircuitBreakerOptions } from "./circuit-breaker/circuit-breaker-options.js";
export { WaybillClient } from "./client/client.js";
export type { ClientOptions, WaybillClientOptions } from "./client/client-options.js";
export type {
  ClaimCheckGetOptions,
  ClaimCheckOptions,
  ClaimCheckStore,
} from "./contracts/claim-check-store.js";
export type { CatalogEntity, EntityCatalog, EntityCounts, EntityName } from "./contracts/entity-catalog.js";
export type { SettleableMessage, SettlementVerb } from "./contracts/settlement.js";
export type { ClientHealth, LinkHealth } from "./diagnostics/client-health.js";
export type {
  DeserializeEvent,
  DiagnosticEvent,
  Diagnostics,
  LinkStalledEvent,
  MessageFacts,
  OperationTrace,
  ProcessEvent,
  ReceiveEvent,
  RenewLockEvent,
  SendEvent,
  SettleEvent,
  TracedOperation,
  UndeserializedEvent,
} from "./diagnostics/diagnostics.js";
export type { ErrorCode, ErrorDetails } from "./errors/error.js";
export { errorCodes, WaybillError } from "./errors/error.js";
export type { ReasonCode, Stage } from "./errors/reason.js";
export { reasonCodes } from "./errors/reason.js";
export type { SendResult } from "./errors/send-result.js";
export type { UnavailableBackoff } from "./holding/unavailable-backoff.js";
export { defaultUnavailableBackoff } from "./holding/unavailable-backoff.js";
export type { AmqpSequenceBody, AmqpValueBody, BodySection, EncodedBody } from "./message/body.js";
export type {
  AmqpSection,
  BrokerProperty,
  BrokerPropertyName,
  BrokerPropertyType,
} from "./message/broker-properties.js";
export { applicationPropertyLimits, brokerProperties } from "./message/broker-properties.js";
export type {
  DeadLetterAttempt,
  DeadLetterRecord,
  DeadLetterRecordCarrier,
} from "./message/dead-letter-record.js";
export { deadLetterRecordProperty, parseDeadLetterRecord } from "./message/dead-letter-record.js";
export type {
  ApplicationProperties,
  ApplicationPropertyValue,
  BrokerAssignedProperties,
  DeliveredProperties,
  EncodedMessage,
  Message,
  MessageId,
  MessageState,
  PeekedMessage,
  ReceivedMessage,
  UndecodedMessage,
  WritableProperties,
} from "./message/message.js";
export type {
  DeadLetterReason,
  Decoded,
  DeserializationOutcome,
  Unavailable,
  Undeserializable,
} from "./message/outcome.js";
export { deadLetterReasons } from "./message/outcome.js";
export type { DeserializationAttempt, DeserializationReport } from "./message/report.js";
export type { UndeserializableDisposition, UndeserializableEvent } from "./message/undeserializable-event.js";
export type {
  Caster,
  CasterOrLeap,
  DowncastersFrom,
  InputOf,
  MessageDefinition,
  OutputOf,
  SchemasByVersion,
  UpcastersFrom,
  VersionSchemas,
} from "./message-types/define-message.js";
export { bodyType, defineMessage } from "./message-types/define-message.js";
export type {
  BodyOf,
  CastContext,
  MessageType,
  MessageVersion,
  TypedMessageProperties,
  VersionStep,
} from "./message-types/message-type.js";
export type { MessageTypeOptions, MessageTypePolicies } from "./message-types/message-type-registry.js";
export { defaultMessageTypePolicies } from "./message-types/message-type-registry.js";
export type { PropertyResolverOptions } from "./message-types/message-type-resolver.js";
export { propertyResolver } from "./message-types/message-type-resolver.js";
export { decisiveAttempt } from "./pipeline/decisive-attempt.js";
export type {
  AssumedFormat,
  ContentTypePolicies,
  ContentTypePolicy,
  PipelineOptions,
  PipelineSchema,
} from "./pipeline/options.js";
export { defaultPipelineOptions } from "./pipeline/options.js";
export type {
  DeserializeCallOptions,
  Pipeline,
  PipelineCallOptions,
  ReadTarget,
  SerializeCallOptions,
  WriteTarget,
} from "./pipeline/pipeline.js";
export { createPipeline } from "./pipeline/pipeline.js";
export type { MessageContext } from "./processing/flight.js";
export type { HandlerErrorOptions } from "./processing/handler-errors.js";
export { DeadLetterError, DeferError } from "./processing/handler-errors.js";
export type {
  CloseSubscriptionOptions,
  ErrorSource,
  MessageHandlers,
  MessageSubscription,
  ProcessErrorArgs,
  ProcessorOptions,
  SubscribeMessagesOptions,
} from "./processing/processor-options.js";
export { defaultSubscribeOptions } from "./processing/processor-options.js";
export type { RetryOptions } from "./processing/retry.js";
export { defaultMaxRetries, firstMessageIdProperty, retryCountProperty } from "./processing/retry.js";
export type { HandlersByType, TypedHandler, TypedSubscribeOptions } from "./processing/typed-handlers.js";
export type { SequenceNumberStore } from "./receiving/deferred-messages.js";
export { DeferredMessages } from "./receiving/deferred-messages.js";
export type { MessageIteratorOptions } from "./receiving/message-iterator.js";
export type { PeekAllOptions, Peekable } from "./receiving/peek-all.js";
export { peekAll } from "./receiving/peek-all.js";
export type {
  DeadLetterMessageOptions,
  PeekMessagesOptions,
  ReceiveMessagesOptions,
  Receiver,
} from "./receiving/receiver.js";
export type {
  AcceptSessionReceiverOptions,
  ReceiverOptions,
  UndecodedIn,
} from "./receiving/receiver-options.js";
export { defaultReceiverOptions } from "./receiving/receiver-options.js";
export type { RehearsalGroup, RehearsalReport } from "./rehearsal/rehearsal-report.js";
export type { RehearseOptions } from "./rehearsal/rehearse.js";
export { acceptProperty } from "./request-reply/accept.js";
export type { RepliableMessage, ReplyOptions } from "./request-reply/reply.js";
export type {
  RequesterOptions,
  RequestManyOptions,
  RequestMessage,
  RequestOptions,
} from "./request-reply/request-options.js";
export { defaultRequesterOptions } from "./request-reply/request-options.js";
export type { AddressedRequest, ReplySourceOptions } from "./request-reply/request-reply.js";
export type { Requester } from "./request-reply/requester.js";
export type {
  UnmatchedReplyDisposition,
  UnmatchedReplyEvent,
  UnmatchedReplyKind,
  UnmatchedReplyPolicy,
} from "./request-reply/unmatched-reply.js";
export { unmatchedReplyReasons } from "./request-reply/unmatched-reply.js";
export type { CreateMessageBatchOptions, MessageBatch } from "./sending/message-batch.js";
export type { Sender } from "./sending/sender.js";
export { bytes } from "./serializers/bytes-serializer.js";
export { text } from "./serializers/text-serializer.js";
export type { ListSessionsOptions } from "./sessions/list-sessions.js";
export type {
  SessionMessageContext,
  SessionMessageHandlers,
  SubscribeSessionsOptions,
} from "./sessions/session-processor-options.js";
export { defaultSubscribeSessionsOptions } from "./sessions/session-processor-options.js";
export type {
  GetSessionStateOptions,
  SessionReceiver,
  SetSessionStateOptions,
} from "./sessions/session-receiver.js";

// For authors of serializers and transports

export type {
  BodyCheck,
  BodyCheckResult,
  BodySchemaOptions,
  BodySchemas,
  StandardIssue,
  StandardResult,
  StandardSchema,
  ValidateFunction,
} from "./contracts/body-schema.js";
export { compileValidator, isStandardSchema, resolveBodySchemas } from "./contracts/body-schema.js";
export { checkRule } from "./contracts/check-rule.js";
export type {
  Awaitable,
  DeserializeContext,
  Detection,
  SerializeContext,
  SerializedBody,
  Serializer,
  SerializerContext,
} from "./contracts/serializer.js";
export type { PlainRules, PlainWalk } from "./contracts/to-plain.js";
export { toPlain } from "./contracts/to-plain.js";
export type {
  AcceptSessionOptions,
  CallOptions,
  CorrelationFilter,
  CreateBatchOptions,
  DeadLetterOptions,
  DeliveredMessage,
  EntityAddress,
  LinkStall,
  ListSessionsPageOptions,
  PeekOptions,
  ReceiveMode,
  ReceiveOptions,
  ReceiverEvents,
  ReceivingLink,
  SettlementHandle,
  SettleOptions,
  SqlFilter,
  SubQueue,
  SubscribeHandlers,
  SubscribeOptions,
  SubscriptionRule,
  Transport,
  TransportCapability,
  TransportMessageBatch,
  TransportReceiver,
  TransportRuleManager,
  TransportSender,
  TransportSessionReceiver,
  TransportSubscription,
} from "./contracts/transport.js";
export type { DecodeReason } from "./errors/failure.js";
export {
  decodeFailure,
  encodeFailure,
  unavailableFailure,
  validationFailure,
} from "./errors/failure.js";
export { quoted, quotedPath } from "./errors/wire-text.js";
export { compileOnce } from "./foundation/compile-once.js";
export type { Scheduler, Timer } from "./foundation/scheduler.js";
export { systemScheduler } from "./foundation/scheduler.js";
export { underEither } from "./foundation/under-either.js";
export { bodySection } from "./message/body.js";
export { checkMessage } from "./message/check-message.js";
export type { MediaType } from "./message/media-type.js";
export { parseMediaType } from "./message/media-type.js";
export { untransferable } from "./message/untransferable.js";
export { unwritableKind } from "./message/unwritable.js";
export type {
  MessageIdentity,
  MessageTypeResolver,
  OpenedEnvelope,
} from "./message-types/message-type-resolver.js";
export type { UndeserializableAction } from "./receiving/undeserializable-action.js";
