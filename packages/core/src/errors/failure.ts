import { WaybillError } from "./error.js";
import { type ReasonCode, reasonCodes, type Stage } from "./reason.js";

/** The reasons a serializer may give when the bytes are not of its format, or not well-formed. */
export type DecodeReason = Exclude<ReasonCode, "unavailable" | "schema-violation" | `upcast-${string}`>;

/**
 * The error a serializer throws when it cannot read a body: the pipeline records `reason` and tries the next deserializer. `text` says
 * what is wrong and where (an offset, a path), without payload.
 */
export function decodeFailure(reason: DecodeReason, text: string, cause?: unknown): WaybillError {
  return new WaybillError("deserialization-failed", text, { reason, stage: reasonCodes[reason], cause });
}

/** The error a serializer throws when a body decodes but breaks its schema; the pipeline tries the next deserializer. */
export function validationFailure(text: string, cause?: unknown): WaybillError {
  return new WaybillError("deserialization-failed", text, {
    reason: "schema-violation",
    stage: "validate",
    cause,
  });
}

/** The error for a body that decodes but cannot be converted to the current version of its message type. */
export function upcastFailure(
  reason: Extract<ReasonCode, `upcast-${string}`>,
  text: string,
  cause?: unknown,
): WaybillError {
  return new WaybillError("deserialization-failed", text, { reason, stage: "upcast", cause });
}

/**
 * The error a serializer throws when something it needs is unavailable (a schema registry, a store). No further deserializer is
 * tried, and the message is read again later instead of being dead-lettered.
 */
export function unavailableFailure(text: string, cause?: unknown): WaybillError {
  return unavailableAt("decode", text, cause);
}

/** The same for another stage. */
export function unavailableAt(stage: Stage, text: string, cause?: unknown): WaybillError {
  return new WaybillError("unavailable", text, { reason: "unavailable", stage, cause });
}

/** The error a serializer throws when it cannot write a value in its format, or the value breaks the schema. */
export function encodeFailure(text: string, cause?: unknown): WaybillError {
  return new WaybillError("serialization-failed", text, { cause });
}
