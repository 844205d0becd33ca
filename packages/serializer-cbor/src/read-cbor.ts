import type { BodyCheck, DeserializeContext } from "@waybill/core";
import { decodeFailure, validationFailure, WaybillError } from "@waybill/core";
import { decode, type TagDecoder } from "cborg";
import { bigIntDecoder, bigNegIntDecoder } from "cborg/taglib";
import { checkCbor } from "./check-cbor.js";

/** Tag 55799 says "this is CBOR" and changes nothing. Source: RFC 8949, 3.4.6. */
export const selfDescription: readonly number[] = Object.freeze([0xd9, 0xd9, 0xf7]);

const tags: { [tag: number]: TagDecoder } = {
  0: (content) => toDate(Date.parse(String(content()))),
  1: (content) => toDate(Math.round(Number(content()) * 1000)),
  2: bigIntDecoder,
  3: bigNegIntDecoder,
};

/** The items that a body may have. */
const maxItems = 1_000_000;

const decodeOptions = Object.freeze({ rejectDuplicateMapKeys: true, allowUndefined: false, tags });

/** Reads one CBOR item. Throws `decodeFailure` or, when the value breaks its schema, `validationFailure`. */
export function readCbor(
  bytes: Uint8Array,
  context: DeserializeContext,
  check: BodyCheck | undefined,
): unknown {
  if (bytes.length === 0) throw decodeFailure("body-empty", "An empty body is not CBOR.");
  const isMarked = selfDescription.every((byte, index) => bytes[index] === byte);
  if (!isMarked && !context.isDeclared) {
    throw decodeFailure(
      "identity-missing",
      "Only CBOR that begins with the tag 55799 is recognised without a label.",
    );
  }
  const start = isMarked ? selfDescription.length : 0;
  checkCbor(bytes, start, { maxDepth: context.maxDepth, maxItems });
  const value = decodeItem(bytes.subarray(start));
  if (check === undefined) return value;
  const result = check(value);
  if (!result.isValid) throw validationFailure(result.text);
  return result.value;
}

function decodeItem(item: Uint8Array): unknown {
  try {
    const value: unknown = decode(item, decodeOptions);
    // The library hands over views on the input for byte strings at the root of what it reads.
    return value instanceof Uint8Array ? value.slice() : value;
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    // Its text may quote the payload, so it is not passed on.
    throw decodeFailure("malformed", "The CBOR decoder refused the body.");
  }
}

function toDate(ms: number): Date {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime()))
    throw decodeFailure("value-out-of-range", "A CBOR date is none that Date can hold.");
  return date;
}
