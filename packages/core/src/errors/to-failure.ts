import { WaybillError } from "./error.js";
import { decodeFailure } from "./failure.js";

/** Turns whatever a plug-in threw into a failure with a reason. A foreign error stays out, text and all: it may quote the payload. */
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
  return decodeFailure("serializer-fault", `The serializer threw an unexpected ${kind}.`);
}
