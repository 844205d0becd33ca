import { WaybillError } from "./error.js";
import { decodeFailure, unavailableFailure } from "./failure.js";
import { redactedCause } from "./redacted-cause.js";

/**
 * Turns any error of a plug-in into a failure with a reason: a `WaybillError` without one becomes `unavailable`, or `serializer-fault` like other
 * errors. Only the stack of such an error is kept, as the cause, because its message may quote the payload.
 */
export function toFailure(error: unknown): WaybillError {
  if (error instanceof WaybillError) {
    if (error.reason !== undefined) return error;
    if (error.code === "unavailable" || error.code === "aborted" || error.code === "timeout") {
      return unavailableFailure(error.message, error);
    }
  }
  const kind = error instanceof Error ? error.name : typeof error;
  return decodeFailure(
    "serializer-fault",
    `The serializer threw an unexpected ${kind}.`,
    redactedCause(error),
  );
}
