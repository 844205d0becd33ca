import { WaybillError } from "./error.js";
import { decodeFailure } from "./failure.js";
import { stackOf } from "./stack-of.js";

/**
 * Turns whatever a plug-in threw into a failure with a reason. Of a foreign error only its stack goes on, as the cause: its text may quote the
 * payload.
 */
export function toFailure(error: unknown): WaybillError {
  if (error instanceof WaybillError) {
    if (error.reason !== undefined) return error;
    if (error.code === "unavailable" || error.code === "aborted" || error.code === "timeout") {
      return new WaybillError("unavailable", error.message, {
        cause: error,
        reason: "unavailable",
        stage: "decode",
      });
    }
  }
  const kind = error instanceof Error ? error.name : typeof error;
  return decodeFailure("serializer-fault", `The serializer threw an unexpected ${kind}.`, stackOf(error));
}
