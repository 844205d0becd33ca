/** For authors of serializers: the contract, failures, body schemas, and helpers. */

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
export type { DecodeReason } from "./errors/failure.js";
export { decodeFailure, encodeFailure, unavailableFailure, validationFailure } from "./errors/failure.js";
export type { ReasonCode, Stage } from "./errors/reason.js";
export { reasonCodes } from "./errors/reason.js";
export { describePath, quoted } from "./errors/wire-text.js";
export { untilAborted } from "./foundation/abort-signals.js";
export { asciiText } from "./foundation/ascii-text.js";
export { compileOnce } from "./foundation/compile-once.js";
export type { OptionNames } from "./foundation/known-options.js";
export { nearestName, requireKnownOptions, requireOneOf, requireType } from "./foundation/known-options.js";
export { requireDuration, requireInteger } from "./foundation/numbers.js";
export type { MediaType } from "./message/media-type.js";
export { parseMediaType } from "./message/media-type.js";
export { untransferable } from "./message/untransferable.js";
export { unwritableKind } from "./message/unwritable.js";
