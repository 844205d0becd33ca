/** For reading and writing bodies without a client: pipelines, their outcomes and reports, message types, encryption, claim checks. */

export type { ContentCoding } from "./body-transforms/compression.js";
export type {
  EncryptionKey,
  EncryptionKeyMaterial,
  EncryptionOptions,
  WebCryptoKey,
} from "./body-transforms/encryption-options.js";
export type { ClaimCheckGetOptions, ClaimCheckOptions } from "./contracts/claim-check-store.js";
export type { SettleableMessage, SettlementVerb } from "./contracts/settlement.js";
export type { Stage } from "./errors/reason.js";
export type { DeadLetterAttempt, DeadLetterRecordCarrier } from "./message/dead-letter-record.js";
export { decisiveAttempt } from "./message/decisive-attempt.js";
export type { Decoded, Unavailable, Undeserializable } from "./message/outcome.js";
export type { DeserializationAttempt } from "./message/report.js";
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
export type { ConverterContext, MessageVersion, VersionStep } from "./message-types/message-type.js";
export type { MessageTypeOptions, MessageTypePolicies } from "./message-types/message-type-registry.js";
export type {
  MessageIdentity,
  OpenedEnvelope,
  PropertyResolverOptions,
} from "./message-types/message-type-resolver.js";
export type {
  DeserializeCallOptions,
  PipelineCallOptions,
  ReadTarget,
  SerializeCallOptions,
  WriteTarget,
} from "./pipeline/call-options.js";
export type {
  AssumedFormat,
  ContentTypePolicies,
  ContentTypePolicy,
  PipelineSchema,
} from "./pipeline/options.js";
export type { ReadBackOptions } from "./read-back/read-back-options.js";
export type { SdkBodies } from "./serializers/sdk-bodies.js";
