/** For authors of serializers: the contract, failures, body schemas, and helpers. */

export {
  asciiText,
  describePath,
  type OptionNames,
  quoted,
  requireDuration,
  requireInteger,
  requireKnownOptions,
  requireOneOf,
  requireType,
} from "@waybill/foundation";
export type {
  BodyCheck,
  BodyCheckResult,
  BodySchemaOptions,
  BodySchemas,
  StandardIssue,
  StandardResult,
  ValidateFunction,
} from "./contracts/body-schema.js";
export {
  compileValidator,
  describeBodySchema,
  describeSchema,
  isStandardSchema,
  resolveBodySchemas,
} from "./contracts/body-schema.js";
export type {
  Awaitable,
  DescribedSchema,
  DeserializeContext,
  Detection,
  SerializeContext,
  SerializedBody,
  SerializerContext,
  SerializerContract,
  SerializerDescription,
  WriteContext,
} from "./contracts/serializer.js";
export type { PlainRules, PlainWalk } from "./contracts/to-plain.js";
export { toPlain } from "./contracts/to-plain.js";
export type { DecodeReason } from "./errors/failure.js";
export { decodeFailure, encodeFailure, unavailableFailure, validationFailure } from "./errors/failure.js";
export { reasonCodes } from "./errors/reason.js";
export type { MediaType } from "./message/media-type.js";
export { parseMediaType } from "./message/media-type.js";
export { unwritableKind } from "./message/unwritable.js";
