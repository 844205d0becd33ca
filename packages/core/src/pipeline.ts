/** For reading and writing bodies without a client: pipelines, their outcomes and reports, message types, encryption, claim checks. */

export type { ContentCoding } from "./body-transforms/compression.js";
export type {
  EncryptionKey,
  EncryptionKeyMaterial,
  EncryptionOptions,
  WebCryptoKey,
} from "./body-transforms/encryption-options.js";
export type { StandardSchema } from "./contracts/body-schema.js";
export type { ClaimCheckGetOptions, ClaimCheckOptions } from "./contracts/claim-check-store.js";
export type { Serializer } from "./contracts/serializer.js";
export type { SettleableMessage, SettlementVerb } from "./contracts/settlement.js";
export type { ReasonCode, Stage } from "./errors/reason.js";
export { isPromise } from "./foundation/is-promise.js";
export type { DeadLetterAttempt, DeadLetterRecordCarrier } from "./message/dead-letter-record.js";
export type { EncodedMessage } from "./message/message.js";
export type { Decoded, DeserializationOutcome, Unavailable, Undeserializable } from "./message/outcome.js";
export type { DeserializationAttempt, DeserializationReport } from "./message/report.js";
export type {
  Converter,
  ConverterOrTarget,
  DowncastersFrom,
  InputOf,
  MessageDefinition,
  OutputOf,
  SchemasByVersion,
  UpcastersFrom,
  VersionSchemas,
} from "./message-types/message-definition.js";
export type {
  ConverterContext,
  MessageType,
  MessageVersion,
  VersionStep,
} from "./message-types/message-type.js";
export type { MessageTypeOptions, MessageTypePolicies } from "./message-types/message-type-registry.js";
export type {
  MessageIdentity,
  MessageTypeResolver,
  OpenedEnvelope,
  PropertyResolverOptions,
} from "./message-types/message-type-resolver.js";
export { decisiveAttempt } from "./pipeline/decisive-attempt.js";
export type {
  AssumedFormat,
  ContentTypePolicies,
  ContentTypePolicy,
  PipelineOptions,
  PipelineSchema,
} from "./pipeline/options.js";
export type {
  DeserializeCallOptions,
  Pipeline,
  PipelineCallOptions,
  ReadTarget,
  SerializeCallOptions,
  WriteTarget,
} from "./pipeline/pipeline.js";
export { createPipeline } from "./pipeline/pipeline.js";
