import { WaybillError } from "@waybill/core";
import { decodeFailure } from "@waybill/core/serializer";
import type { ReadPlan } from "./schema/compiled-schema.js";
import { type ReadLimits, ReadTap } from "./wire/read-tap.js";

/** Shorter bodies are harmless: they are counted while they are read. */
const harmlessBytes = 65_536;

/** Reads the single value from `start` to the end of a body. Throws a `decodeFailure` with the offset. */
export function readValue(plan: ReadPlan, bytes: Uint8Array, start: number, limits: ReadLimits): unknown {
  if (bytes.length - start > harmlessBytes) checkExtent(plan, bytes, start, limits);
  const tap = new ReadTap(bytes, start, limits);
  try {
    const value = plan._read(tap);
    tap.finish();
    return value;
  } catch (error) {
    throw toDecodeFailure(error, tap);
  }
}

/** Refuses a body that nests too deeply or holds too many items, before anything is built of it. */
function checkExtent(plan: ReadPlan, bytes: Uint8Array, start: number, limits: ReadLimits): void {
  const tap = new ReadTap(bytes, start, limits, true);
  try {
    plan._skip(tap);
  } catch (error) {
    throw toDecodeFailure(error, tap);
  }
}

function toDecodeFailure(error: unknown, tap: ReadTap): WaybillError {
  if (error instanceof WaybillError) return error;
  // Happens only if the depth limit is larger than the stack allows.
  if (error instanceof RangeError)
    return tap.failure("depth-exceeded", "the value is nested too deeply for the stack", tap.pos);
  return decodeFailure("malformed", `The Avro body is not readable (offset ${tap.pos}).`, error);
}
