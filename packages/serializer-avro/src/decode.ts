import { decodeFailure, WaybillError } from "@waybill/core";
import type { ReadPlan } from "./schema/compiled-schema.js";
import { ReadTap } from "./wire/read-tap.js";

/** Reads the one value that stands from `start` to the end of a body. Throws a `decodeFailure` with the offset. */
export function readValue(plan: ReadPlan, bytes: Uint8Array, start: number, maxDepth: number): unknown {
  const tap = new ReadTap(bytes, start, maxDepth);
  try {
    const value = plan._read(tap);
    tap.finish();
    return value;
  } catch (error) {
    throw toDecodeFailure(error, tap);
  }
}

function toDecodeFailure(error: unknown, tap: ReadTap): WaybillError {
  if (error instanceof WaybillError) return error;
  // Only a depth limit beyond what the stack holds gets here.
  if (error instanceof RangeError)
    return tap.failure("depth-exceeded", "the value nests deeper than the stack", tap.pos);
  return decodeFailure("malformed", `The Avro body is not readable (offset ${tap.pos}).`, error);
}
