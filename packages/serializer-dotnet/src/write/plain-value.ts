import { WaybillError } from "@waybill/core";
import { encodeFailure, type PlainRules, type PlainWalk, toPlain } from "@waybill/core/serializer";

/** A record's members that have a value, in its own order. */
export class PlainRecord {
  readonly entries: readonly (readonly [key: string, value: unknown])[];

  constructor(entries: readonly (readonly [key: string, value: unknown])[]) {
    this.entries = entries;
  }
}

const rules: PlainRules = {
  format: ".NET binary XML",
  item: (item: unknown, walk: PlainWalk) => {
    switch (typeof item) {
      case "string":
        return item.isWellFormed() ? item : walk.refuse("a string with a lone surrogate");
      case "boolean":
      case "number":
      case "bigint":
        return item;
      case "object":
        if (item === null) return null;
        if (item instanceof Date) return Number.isNaN(item.getTime()) ? walk.refuse("an invalid date") : item;
        if (item instanceof Uint8Array) return item;
        return walk.object(item);
      default:
        return walk.refuse(item === undefined ? "undefined" : `a ${typeof item}`);
    }
  },
  record(entries, walk) {
    for (const [key] of entries) if (!key.isWellFormed()) walk.refuse("a key with a lone surrogate");
    return new PlainRecord(entries);
  },
};

/**
 * A copy of a value with the types that the writers know: string, boolean, number, bigint, null, `Date`, `Uint8Array`, array,
 * {@link PlainRecord}. Refuses other types with the path.
 */
export function toPlainValue(value: unknown, maxDepth: number): unknown {
  try {
    return toPlain(value, maxDepth, rules);
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    // An error thrown by the value's own code may quote the value, so it is not passed on.
    throw encodeFailure("The body cannot be written as .NET binary XML: reading it threw an error.");
  }
}
