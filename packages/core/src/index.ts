// For applications

export type { AmqpSequenceBody, AmqpValueBody, BodySection, EncodedBody } from "./body.js";
export type {
  AmqpSection,
  BrokerProperty,
  BrokerPropertyName,
  BrokerPropertyType,
} from "./broker-properties.js";
export { applicationPropertyLimits, brokerProperties } from "./broker-properties.js";
export type {
  ClaimCheckGetOptions,
  ClaimCheckOptions,
  ClaimCheckStore,
} from "./claim-check/claim-check-store.js";
export type { CircuitBreakerEvent, CircuitState, MessageFormat } from "./client/circuit-breaker-event.js";
export type { CircuitBreakerOptions, WhenFull } from "./client/circuit-breaker-options.js";
export { defaultCircuitBreakerOptions } from "./client/circuit-breaker-options.js";
export { WaybillClient } from "./client/client.js";
export type { ClientHealth, LinkHealth } from "./client/client-health.js";
export type { ClientOptions, WaybillClientOptions } from "./client/client-options.js";
export type { SequenceNumberStore } from "./client/deferred-messages.js";
export { DeferredMessages } from "./client/deferred-messages.js";
export type { SettleableMessage, SettlementVerb } from "./client/delivery.js";
export type { MessageContext } from "./client/flight.js";
export type { HandlerErrorOptions } from "./client/handler-errors.js";
export { DeadLetterError, DeferError } from "./client/handler-errors.js";
export type { ListSessionsOptions } from "./client/list-sessions.js";
export type { CreateMessageBatchOptions, MessageBatch } from "./client/message-batch.js";
export type { MessageIteratorOptions } from "./client/message-iterator.js";
export type { PeekAllOptions, Peekable } from "./client/peek-all.js";
export { peekAll } from "./client/peek-all.js";
export type {
  CloseSubscriptionOptions,
  ErrorSource,
  MessageHandlers,
  MessageSubscription,
  ProcessErrorArgs,
  ProcessorOptions,
  SubscribeMessagesOptions,
} from "./client/processor-options.js";
export { defaultSubscribeOptions } from "./client/processor-options.js";
export type {
  DeadLetterMessageOptions,
  PeekMessagesOptions,
  ReceiveMessagesOptions,
  Receiver,
} from "./client/receiver.js";
export type {
  AcceptSessionReceiverOptions,
  ReceiverOptions,
  UndecodedIn,
} from "./client/receiver-options.js";
export { defaultReceiverOptions } from "./client/receiver-options.js";
export type { RetryOptions } from "./client/retry.js";
export { defaultMaxRetries, firstMessageIdProperty, retryCountProperty } from "./client/retry.js";
export type { SendResult } from "./client/send-result.js";
export type { Sender } from "./client/sender.js";
export type {
  OnUndeserializable,
  SessionMessageContext,
  SessionMessageHandlers,
  SubscribeSessionsOptions,
} from "./client/session-processor-options.js";
export { defaultSubscribeSessionsOptions } from "./client/session-processor-options.js";
export type {
  GetSessionStateOptions,
  SessionReceiver,
  SetSessionStateOptions,
} from "./client/session-receiver.js";
export type { HandlersByType, TypedHandler, TypedSubscribeOptions } from "./client/typed-handlers.js";
export type { UnavailableBackoff } from "./client/unavailable-backoff.js";
export { defaultUnavailableBackoff } from "./client/unavailable-backoff.js";
export type { UndeserializableDisposition, UndeserializableEvent } from "./client/undeserializable-event.js";
export type { ContentCoding } from "./compression.js";
export type { DeadLetterAttempt, DeadLetterRecord, DeadLetterRecordCarrier } from "./dead-letter-record.js";
export { deadLetterRecordProperty, parseDeadLetterRecord } from "./dead-letter-record.js";
export { decisiveAttempt } from "./deserialization/decisive-attempt.js";
export type {
  AssumedFormat,
  ContentTypePolicies,
  ContentTypePolicy,
  PipelineOptions,
  PipelineSchema,
} from "./deserialization/options.js";
export { defaultPipelineOptions } from "./deserialization/options.js";
export type {
  DeadLetterReason,
  Decoded,
  DeserializationOutcome,
  Unavailable,
  Undeserializable,
} from "./deserialization/outcome.js";
export { deadLetterReasons } from "./deserialization/outcome.js";
export type {
  DeserializeCallOptions,
  Pipeline,
  PipelineCallOptions,
  ReadTarget,
  SerializeCallOptions,
  WriteTarget,
} from "./deserialization/pipeline.js";
export { createPipeline } from "./deserialization/pipeline.js";
export type { ReasonCode, Stage } from "./deserialization/reason.js";
export { reasonCodes } from "./deserialization/reason.js";
export type { DeserializationAttempt, DeserializationReport } from "./deserialization/report.js";
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
export type {
  EncryptionKey,
  EncryptionKeyMaterial,
  EncryptionKeyProvider,
  EncryptionOptions,
  WebCryptoKey,
} from "./encryption/encryption-options.js";
export type { CatalogEntity, EntityCatalog, EntityCounts, EntityName } from "./entity-catalog.js";
export type { ErrorCode, ErrorDetails } from "./error.js";
export { errorCodes, WaybillError } from "./error.js";
export type { FromHttpMessage, HttpMessage } from "./http-message.js";
export { fromHttpMessage, toHttpMessage } from "./http-message.js";
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
} from "./message.js";
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
export { bytes } from "./serializers/bytes-serializer.js";
export { text } from "./serializers/text-serializer.js";

// For authors of serializers and transports

export { bodySection } from "./body.js";
export type {
  BodyCheck,
  BodyCheckResult,
  BodySchemaOptions,
  BodySchemas,
  StandardIssue,
  StandardResult,
  StandardSchema,
  ValidateFunction,
} from "./body-schema.js";
export { compileValidator, isStandardSchema, resolveBodySchemas } from "./body-schema.js";
export { checkMessage } from "./check-message.js";
export { checkRule } from "./check-rule.js";
export { compileOnce } from "./compile-once.js";
export type { DecodeReason } from "./deserialization/failure.js";
export {
  decodeFailure,
  encodeFailure,
  unavailableFailure,
  validationFailure,
} from "./deserialization/failure.js";
export type { MediaType } from "./media-type.js";
export { parseMediaType } from "./media-type.js";
export type {
  MessageIdentity,
  MessageTypeResolver,
  OpenedEnvelope,
} from "./message-types/message-type-resolver.js";
export type { Scheduler, Timer } from "./scheduler.js";
export { systemScheduler } from "./scheduler.js";
export type {
  Awaitable,
  DeserializeContext,
  Detection,
  SerializeContext,
  SerializedBody,
  Serializer,
  SerializerContext,
} from "./serializer.js";
export type { PlainRules, PlainWalk } from "./to-plain.js";
export { toPlain } from "./to-plain.js";
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
} from "./transport.js";
export { underEither } from "./under-either.js";
export { untransferable } from "./untransferable.js";
export { unwritableKind } from "./unwritable.js";
export { quoted, quotedPath } from "./wire-text.js";
