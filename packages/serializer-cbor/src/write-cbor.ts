import { WaybillError } from "@waybill/core";
import {
  type BodyCheck,
  encodeFailure,
  type PlainRules,
  type PlainWalk,
  type SerializeContext,
  toPlain,
} from "@waybill/core/serializer";
import { type EncodeOptions, encode, Tagged } from "cborg";
import { bigIntEncoder } from "cborg/taglib";
import { checkCbor } from "./check-cbor.js";
import { decodeItem, selfDescription } from "./read-cbor.js";

/** Writes one value as CBOR, optionally with the leading tag. Throws `encodeFailure`. */
export function writeCbor(
  value: unknown,
  context: SerializeContext,
  isMarked: boolean,
  check: BodyCheck | undefined,
): Uint8Array {
  const item = writeItem(value, context.maxDepth);
  requireFewItems(item, context);
  if (check !== undefined) {
    // Validated in the form that the reader will get.
    const result = check(decodeItem(item, { maxDepth: context.maxDepth }));
    if (!result.isValid) throw encodeFailure(result.text);
  }
  return isMarked ? marked(item) : item;
}

function marked(item: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(selfDescription.length + item.length);
  bytes.set(selfDescription);
  bytes.set(item, selfDescription.length);
  return bytes;
}

function writeItem(value: unknown, maxDepth: number): Uint8Array {
  try {
    return encode(toPlain(value, maxDepth, rules), encodeOptions);
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    // An error thrown by the value's own code may quote the value, so it is not passed on.
    throw encodeFailure("The body cannot be written as CBOR: reading it threw an error.");
  }
}

/** Refuses values with more items than readers accept. Every item takes at least one byte; a byte string counts for four. */
function requireFewItems(item: Uint8Array, { maxDepth, maxItemsIn }: SerializeContext): void {
  const maxItems = maxItemsIn?.(item.length);
  if (maxItems === undefined || item.length * 4 <= maxItems) return;
  try {
    checkCbor(item, { maxDepth, maxItems });
  } catch (error) {
    throw error instanceof WaybillError ? encodeFailure(`The body cannot be written: ${error.text}`) : error;
  }
}

// In the order of the value's keys: sorting them, the library's default, takes half of the time and does not matter to readers.
const encodeOptions = Object.freeze({
  mapSorter: undefined,
  typeEncoders: { bigint: bigIntEncoder },
}) as unknown as EncodeOptions;

const rules: PlainRules = {
  format: "CBOR",
  item(item: unknown, walk: PlainWalk): unknown {
    switch (typeof item) {
      case "string":
        return item.isWellFormed() ? item : walk.refuse("a string with a lone surrogate");
      case "boolean":
      case "number":
      case "bigint":
        return item;
      case "object":
        return item === null ? null : fromObject(item, walk);
      default:
        return walk.refuse(`a value of type ${typeof item}`);
    }
  },
  // A map, because a plain object would lose keys that its prototype has.
  record(entries, walk) {
    for (const [key] of entries) if (!key.isWellFormed()) walk.refuse("a key with a lone surrogate");
    return new Map(entries);
  },
};

function fromObject(value: object, walk: PlainWalk): unknown {
  if (value instanceof Uint8Array) return value;
  if (!(value instanceof Date)) return walk.object(value);
  return Number.isNaN(value.getTime()) ? walk.refuse("an invalid date") : new Tagged(0, value.toISOString());
}
