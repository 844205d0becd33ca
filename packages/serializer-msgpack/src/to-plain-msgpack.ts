import { encodeFailure, unwritableKind } from "@waybill/core";

/** The state of one careful walk: the limit, and the way from the root to the present value. */
interface Walk {
  readonly maxDepth: number;
  readonly path: (string | number)[];
  readonly ancestors: object[];
}

/**
 * Copies a value with a decision for each kind of value: `toJSON` is honoured (but not that of dates and bytes, which MessagePack has),
 * absent properties are left out, and whatever plain MessagePack cannot hold is refused by an `encodeFailure` that names its path.
 */
export function toPlainMsgpack(value: unknown, maxDepth: number): unknown {
  return toPlain(value, { maxDepth, path: [], ancestors: [] });
}

function toPlain(value: unknown, walk: Walk): unknown {
  switch (typeof value) {
    case "number":
    case "boolean":
      return value;
    case "string":
      return value.isWellFormed() ? value : refuse("a string with a lone surrogate", walk);
    case "bigint":
      return BigInt.asIntN(64, value) === value || BigInt.asUintN(64, value) === value
        ? value
        : refuse("a bigint beyond 64 bits", walk);
    case "object":
      return value === null ? null : fromObject(value, walk);
    default:
      return refuse(`a value of type ${typeof value}`, walk);
  }
}

function fromObject(value: object, walk: Walk): unknown {
  if (value instanceof Uint8Array) return value;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? refuse("an invalid date", walk) : new Date(value.getTime());
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON !== "function") return fromContainer(value, walk);
  const json: unknown = toJSON.call(value, String(walk.path.at(-1) ?? ""));
  // As in `JSON.stringify`, the result's own `toJSON` is not asked again.
  return typeof json === "object" && json !== null ? fromContainer(json, walk) : toPlain(json, walk);
}

function fromContainer(value: object, walk: Walk): unknown {
  const kind = unwritableKind(value);
  if (kind !== undefined) return refuse(`an object of kind ${kind}`, walk);
  if (walk.ancestors.includes(value)) return refuse("a cycle", walk);
  if (walk.ancestors.length >= walk.maxDepth) return refuse(`nesting beyond ${walk.maxDepth} levels`, walk);
  walk.ancestors.push(value);
  const plain = Array.isArray(value)
    ? fromArray(value, walk)
    : fromRecord(value as Record<string, unknown>, walk);
  walk.ancestors.pop();
  return plain;
}

function fromArray(value: readonly unknown[], walk: Walk): unknown[] {
  const plain: unknown[] = [];
  for (let index = 0; index < value.length; index++) plain.push(at(index, value[index], walk));
  return plain;
}

function fromRecord(value: Record<string, unknown>, walk: Walk): object {
  // A map, because a plain object with a key "constructor" would mislead the encoder.
  const plain = new Map<string, unknown>();
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item === undefined) continue;
    if (key === "__proto__") refuse('a key "__proto__", which readers refuse', walk);
    if (!key.isWellFormed()) refuse("a key with a lone surrogate", walk);
    const written = at(key, item, walk);
    if (key === "constructor" && written instanceof Map && written.has("prototype"))
      refuse('a key "prototype" under "constructor", which readers refuse', walk);
    plain.set(key, written);
  }
  return plain;
}

function at(step: string | number, item: unknown, walk: Walk): unknown {
  walk.path.push(step);
  const plain = toPlain(item, walk);
  walk.path.pop();
  return plain;
}

function refuse(what: string, walk: Walk): never {
  const pointer = walk.path
    .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
  const path = pointer === "" ? "its root" : pointer.length > 256 ? `${pointer.slice(0, 256)}…` : pointer;
  throw encodeFailure(`The body cannot be written as MessagePack: at ${path} is ${what}.`);
}
