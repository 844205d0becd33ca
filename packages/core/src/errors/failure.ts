import { WaybillError } from "./error.js";
import { type ReasonCode, reasonCodes } from "./reason.js";

/** The reasons a serializer may give when the bytes are not its format, or not well-formed. */
export type DecodeReason = Exclude<ReasonCode, "unavailable" | "schema-violation" | `upcast-${string}`>;

/**
 * The error a serializer throws when it cannot read a body: the pipeline records `reason` and goes on to the next
 * deserializer. `text` names what was wrong and where (an offset, a path), never payload.
 */
export function decodeFailure(reason: DecodeReason, text: string, cause?: unknown): WaybillError {
  return new WaybillError("deserialization-failed", text, { reason, stage: reasonCodes[reason], cause });
}

/** The error a serializer throws when a body decodes but breaks its schema; the pipeline goes on to the next one. */
export function validationFailure(text: string, cause?: unknown): WaybillError {
  return new WaybillError("deserialization-failed", text, {
    reason: "schema-violation",
    stage: "validate",
    cause,
  });
}

/** The error of a body that decodes and cannot be brought to the current version of its message type. */
export function upcastFailure(
  reason: Extract<ReasonCode, `upcast-${string}`>,
  text: string,
  cause?: unknown,
): WaybillError {
  return new WaybillError("deserialization-failed", text, { reason, stage: "upcast", cause });
}

/**
 * The error a serializer throws when something it needs cannot be reached (a schema registry, a store). It says nothing
 * about the body: the chain stops, and the message is abandoned and comes back instead of being dead-lettered.
 */
export function unavailableFailure(text: string, cause?: unknown): WaybillError {
  return new WaybillError("unavailable", text, { reason: "unavailable", stage: "decode", cause });
}

/** The error a serializer throws when it cannot write a value in its format, or the value breaks the schema. */
export function encodeFailure(text: string, cause?: unknown): WaybillError {
  return new WaybillError("serialization-failed", text, { cause });
}
