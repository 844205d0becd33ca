import { type PlainRules, type PlainWalk, toPlain } from "@waybill/core/serializer";

/**
 * Copies a value with a decision for each kind of value: `toJSON` is honoured (except of dates and bytes, which MessagePack has),
 * absent properties are left out, and whatever plain MessagePack cannot represent is refused by an `encodeFailure` that names its path.
 */
export function toPlainMsgpack(value: unknown, maxDepth: number): unknown {
  return toPlain(value, maxDepth, msgpackRules);
}

const msgpackRules: PlainRules = {
  format: "MessagePack",
  item(item, walk) {
    switch (typeof item) {
      case "number":
      case "boolean":
        return item;
      case "string":
        return item.isWellFormed() ? item : walk.refuse("a string with a lone surrogate");
      case "bigint":
        return BigInt.asIntN(64, item) === item || BigInt.asUintN(64, item) === item
          ? item
          : walk.refuse("a bigint beyond 64 bits");
      case "object":
        return item === null ? null : fromObject(item, walk);
      default:
        return walk.refuse(`a value of type ${typeof item}`);
    }
  },
  // A map, because a plain object with a key "constructor" would mislead the encoder.
  record(entries, walk) {
    for (const [key] of entries) if (!key.isWellFormed()) walk.refuse("a key with a lone surrogate");
    return new Map(entries);
  },
};

function fromObject(value: object, walk: PlainWalk): unknown {
  if (value instanceof Uint8Array) return value;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? walk.refuse("an invalid date") : new Date(value.getTime());
  return walk.object(value);
}
