/** For applications: the client, its senders and receivers, messages, pipelines, errors. The rest is in the other entry points. */

export type { EncryptionKeyProvider } from "./body-transforms/encryption-options.js";
export { WaybillClient } from "./client/client.js";
export type { WaybillClientOptions } from "./client/client-options.js";
export type { StandardSchema } from "./contracts/body-schema.js";
export type { ClaimCheckStore } from "./contracts/claim-check-store.js";
export type { Serializer } from "./contracts/serializer.js";
export type { Transport } from "./contracts/transport.js";
export type { CircuitBreakerEvent } from "./diagnostics/circuit-breaker-event.js";
export type { ClientHealth } from "./diagnostics/client-health.js";
export type { ErrorCode } from "./errors/error.js";
export { errorCodes, WaybillError } from "./errors/error.js";
export type { ReasonCode } from "./errors/reason.js";
export { fromHttpMessage, toHttpMessage } from "./http/http-message.js";
export type { DeadLetterRecord } from "./message/dead-letter-record.js";
export { deadLetterRecordProperty, parseDeadLetterRecord } from "./message/dead-letter-record.js";
export type {
  ApplicationProperties,
  ApplicationPropertyValue,
  EncodedMessage,
  Message,
  PeekedMessage,
  ReceivedMessage,
  UndecodedMessage,
} from "./message/message.js";
export type { DeadLetterReason, DeserializationOutcome } from "./message/outcome.js";
export { deadLetterReasons } from "./message/outcome.js";
export type { DeserializationReport } from "./message/report.js";
export type { UndeserializableEvent } from "./message/undeserializable-event.js";
export { bodyType, defineMessage } from "./message-types/define-message.js";
export type { BodyOf, MessageType } from "./message-types/message-type.js";
export type { MessageTypeResolver } from "./message-types/message-type-resolver.js";
export { propertyResolver } from "./message-types/message-type-resolver.js";
export type { PipelineOptions } from "./pipeline/options.js";
export type { Pipeline } from "./pipeline/pipeline.js";
export { createPipeline } from "./pipeline/pipeline.js";
export type { CircuitBreakerOptions } from "./receive/circuit-breaker/circuit-breaker-options.js";
export { DeadLetterError, DeferError } from "./receive/processing/handler-errors.js";
export type { MessageContext } from "./receive/processing/in-flight-message.js";
export type {
  MessageHandlers,
  MessageSubscription,
  ProcessErrorArgs,
  SubscribeMessagesOptions,
} from "./receive/processing/processor-options.js";
export { firstMessageIdProperty, retryCountProperty } from "./receive/processing/retry.js";
export type { RetryOptions } from "./receive/processing/retry-options.js";
export type { HandlersByType, TypedMessageHandlers } from "./receive/processing/typed-handlers.js";
export { DeferredMessages } from "./receive/receiver/deferred-messages.js";
export { peekAll } from "./receive/receiver/peek-all.js";
export type { Receiver } from "./receive/receiver/receiver.js";
export type { AcceptSessionReceiverOptions, ReceiverOptions } from "./receive/receiver/receiver-options.js";
export type { RehearsalReport } from "./rehearsal/rehearsal-report.js";
export type { RehearseOptions } from "./rehearsal/rehearse-options.js";
export type { ReplyOptions } from "./request-reply/reply.js";
export type { Requester } from "./request-reply/requester.js";
export type { MessageBatch } from "./sending/message-batch.js";
export type { Sender } from "./sending/sender.js";
export { bytes } from "./serializers/bytes-serializer.js";
export { sdkBodies } from "./serializers/sdk-bodies.js";
export { text } from "./serializers/text-serializer.js";
export type {
  SessionMessageContext,
  SessionMessageHandlers,
  SubscribeSessionsOptions,
} from "./sessions/session-processor-options.js";
export type { SessionReceiver } from "./sessions/session-receiver.js";
