import { type PlainRules, type PlainWalk, toPlain } from "@waybill/core/serializer";
import { base64 } from "@waybill/foundation";
import type { ResolvedJsonOptions } from "./json-serializer.js";

/**
 * Writes a value as JSON text with a decision for each kind of value: `toJSON` is honoured, absent properties are left out, and whatever
 * `JSON.stringify` would drop, turn into `null` or write as `{}` is refused by an `encodeFailure` that names its path.
 */
export function toPlainJson(value: unknown, maxDepth: number, options: ResolvedJsonOptions): string {
  // A random mark distinguishes bigints, written as strings first, from the application's own strings.
  const mark = globalThis.crypto.randomUUID();
  const text = JSON.stringify(toPlain(value, maxDepth, jsonRules(options, mark)));
  return text.includes(mark) ? text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1") : text;
}

function jsonRules({ writeBigInts, writeBytes }: ResolvedJsonOptions, mark: string): PlainRules {
  const fromBigInt = (value: bigint, walk: PlainWalk): string => {
    if (writeBigInts === "refuse") return walk.refuse("a bigint (see the option writeBigInts)");
    return writeBigInts === "string" ? String(value) : `${mark}${value}`;
  };
  const fromObject = (value: object, walk: PlainWalk): unknown => {
    if (value instanceof Uint8Array)
      return writeBytes === "refuse" ? walk.refuse("bytes (see the option writeBytes)") : base64(value);
    if (value instanceof Date && Number.isNaN(value.getTime())) return walk.refuse("an invalid date");
    return walk.object(value);
  };
  return {
    format: "JSON",
    item(item, walk) {
      switch (typeof item) {
        case "string":
        case "boolean":
          return item;
        case "number":
          return Number.isFinite(item) ? item : walk.refuse("a number that is not finite");
        case "bigint":
          return fromBigInt(item, walk);
        case "object":
          return item === null ? null : fromObject(item, walk);
        default:
          return walk.refuse(`a value of type ${typeof item}`);
      }
    },
    record: Object.fromEntries,
  };
}
