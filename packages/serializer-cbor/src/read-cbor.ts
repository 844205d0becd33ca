import { WaybillError } from "@waybill/core";
import type { BodyCheck, DeserializeContext } from "@waybill/core/serializer";
import { decodeFailure, validationFailure } from "@waybill/core/serializer";
import { type DecodeOptions, decode, type TagDecodeControl } from "cborg";
import { CarefulTokenizer } from "./careful-tokenizer.js";
import { checkCbor } from "./check-cbor.js";
import { RecordTokenizer, recordTag } from "./record-tokenizer.js";
import { withoutUndefined } from "./without-undefined.js";

type Tags = NonNullable<DecodeOptions["tags"]>;

/** Tag 55799 marks data as CBOR and does not change the value. Source: RFC 8949, 3.4.6. */
export const selfDescription: readonly number[] = Object.freeze([0xd9, 0xd9, 0xf7]);

// All options, because a custom tokenizer gets none of the library's defaults.
const decodeOptions = Object.freeze({
  strict: false,
  allowIndefinite: true,
  allowBigInt: true,
  rejectDuplicateMapKeys: true,
  allowUndefined: true,
});

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
      "Only CBOR that begins with the tag 55799 is recognised without a content type.",
    );
  }
  const value = decodeItem(isMarked ? bytes.subarray(selfDescription.length) : bytes, context);
  if (check === undefined) return value;
  const result = check(value);
  if (!result.isValid) throw validationFailure(result.text);
  return result.value;
}

/** Checks and decodes one item without the leading tag. */
export function decodeItem(item: Uint8Array, limits: Parameters<typeof checkCbor>[1]): unknown {
  const { needsCare, hasRecords, hasUndefined } = checkCbor(item, limits);
  // Of a Buffer the decoder would return byte strings that are views on the message's memory.
  const bytes = new Uint8Array(item.buffer, item.byteOffset, item.byteLength);
  const value = hasRecords ? decodeRecords(bytes, needsCare) : decodePlain(bytes, needsCare);
  return hasUndefined ? withoutUndefined(value) : value;
}

function decodePlain(item: Uint8Array, needsCare: boolean): unknown {
  return decodeWith(item, new CarefulTokenizer(item, decodeOptions, needsCare), {});
}

function decodeRecords(item: Uint8Array, needsCare: boolean): unknown {
  const tokenizer = new RecordTokenizer(item, decodeOptions, needsCare);
  const tags = {
    [recordTag]: (content: TagDecodeControl) => toRecord(tokenizer.keys, content() as readonly unknown[]),
  };
  return decodeWith(item, tokenizer, tags);
}

function toRecord(keys: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [index, key] of keys.entries()) record[key] = values[index];
  return record;
}

function decodeWith(item: Uint8Array, tokenizer: CarefulTokenizer, tags: Tags): unknown {
  try {
    return decode(item, { ...decodeOptions, tokenizer, tags });
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    // The error's text may quote the payload, so it is not passed on.
    throw decodeFailure("malformed", "The CBOR decoder refused the body.");
  }
}
