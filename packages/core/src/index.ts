// For applications

export type { AmqpSequenceBody, AmqpValueBody, BodySection, EncodedBody } from "./body.js";
// For authors of serializers and transports
export { bodySection } from "./body.js";
export type {
  BodyCheck,
  BodyCheckResult,
  BodySchemaOptions,
  StandardIssue,
  StandardResult,
  StandardSchema,
  ValidateFunction,
} from "./body-schema.js";
export { compileValidator, isStandardSchema, resolveBodySchemas } from "./body-schema.js";
export type { ContentCoding } from "./compression.js";
export type { DecodeReason } from "./deserialization/failure.js";
export {
  decodeFailure,
  encodeFailure,
  unavailableFailure,
  validationFailure,
} from "./deserialization/failure.js";
export type { ContentTypePolicies, ContentTypePolicy, PipelineOptions } from "./deserialization/options.js";
export { defaultPipelineOptions } from "./deserialization/options.js";
export type {
  DeadLetterReason,
  Decoded,
  DeserializationOutcome,
  Unavailable,
  Undeserializable,
} from "./deserialization/outcome.js";
export { deadLetterReasons } from "./deserialization/outcome.js";
export type { Pipeline, PipelineCallOptions } from "./deserialization/pipeline.js";
export { createPipeline } from "./deserialization/pipeline.js";
export type { ReasonCode, Stage } from "./deserialization/reason.js";
export { reasonCodes } from "./deserialization/reason.js";
export type { DeserializationAttempt, DeserializationReport } from "./deserialization/report.js";
export type { ErrorCode, ErrorDetails } from "./error.js";
export { errorCodes, WaybillError } from "./error.js";
export type { MediaType } from "./media-type.js";
export { parseMediaType } from "./media-type.js";
export type {
  ApplicationProperties,
  ApplicationPropertyValue,
  BrokerAssignedProperties,
  DeliveredProperties,
  EncodedMessage,
  Message,
  MessageId,
  MessageState,
  ReceivedMessage,
  WritableProperties,
} from "./message.js";
export type {
  Awaitable,
  DeserializeContext,
  Detection,
  SerializeContext,
  SerializedBody,
  Serializer,
  SerializerContext,
} from "./serializer.js";
export type {
  AcceptSessionOptions,
  CallOptions,
  CorrelationFilter,
  DeadLetterOptions,
  DeliveredMessage,
  EntityAddress,
  PeekOptions,
  ReceiveMode,
  ReceiveOptions,
  SettlementHandle,
  SettleOptions,
  SqlFilter,
  SubQueue,
  SubscribeHandlers,
  SubscribeOptions,
  SubscriptionRule,
  Transport,
  TransportCapability,
  TransportReceiver,
  TransportRuleManager,
  TransportSender,
  TransportSessionReceiver,
  TransportSubscription,
} from "./transport.js";
export { unwritableKind } from "./unwritable.js";
