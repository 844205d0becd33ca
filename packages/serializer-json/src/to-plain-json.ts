import { encodeFailure, unwritableKind } from "@waybill/core";
import type { ResolvedJsonOptions } from "./json-serializer.js";

/** The state of one careful walk: the limits, and the way from the root to the present value. */
interface Walk {
  readonly maxDepth: number;
  readonly options: ResolvedJsonOptions;
  readonly mark: string;
  readonly path: (string | number)[];
  readonly ancestors: object[];
}

/**
 * Writes a value as JSON text with a decision for each kind of value: `toJSON` is honoured, absent properties are left out, and whatever
 * `JSON.stringify` would drop, turn into `null` or write as `{}` is refused by an `encodeFailure` that names its path.
 */
export function toPlainJson(value: unknown, maxDepth: number, options: ResolvedJsonOptions): string {
  // An unguessable mark tells bigints, written as strings first, from the application's own strings.
  const mark = globalThis.crypto.randomUUID();
  const walk: Walk = { maxDepth, options, mark, path: [], ancestors: [] };
  const text = JSON.stringify(toPlain(value, walk));
  return text.includes(mark) ? text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1") : text;
}

function toPlain(value: unknown, walk: Walk): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : refuse("a number that is not finite", walk);
    case "bigint":
      return fromBigInt(value, walk);
    case "object":
      return value === null ? null : fromObject(value, walk);
    default:
      return refuse(`a value of type ${typeof value}`, walk);
  }
}

function fromBigInt(value: bigint, walk: Walk): string {
  const { writeBigInts } = walk.options;
  if (writeBigInts === "refuse") return refuse("a bigint (see the option writeBigInts)", walk);
  return writeBigInts === "string" ? String(value) : `${walk.mark}${value}`;
}

function fromObject(value: object, walk: Walk): unknown {
  if (value instanceof Uint8Array) {
    if (walk.options.writeBytes === "refuse") return refuse("bytes (see the option writeBytes)", walk);
    return toBase64(value);
  }
  if (value instanceof Date && Number.isNaN(value.getTime())) return refuse("an invalid date", walk);
  const json = applyToJson(value, walk);
  if (typeof json !== "object" || json === null) return toPlain(json, walk);
  return fromContainer(json, walk);
}

/** As in `JSON.stringify`, the result's own `toJSON` is not asked again. */
function applyToJson(value: object, walk: Walk): unknown {
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value, String(walk.path.at(-1) ?? "")) : value;
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

function fromRecord(value: Record<string, unknown>, walk: Walk): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item === undefined) continue;
    if (key === "__proto__") refuse('a key "__proto__", which readers refuse', walk);
    const written = at(key, item, walk);
    if (
      key === "constructor" &&
      typeof written === "object" &&
      written !== null &&
      Object.hasOwn(written, "prototype")
    )
      refuse('a key "prototype" under "constructor", which readers refuse', walk);
    plain[key] = written;
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
  throw encodeFailure(`The body cannot be written as JSON: at ${path} is ${what}.`);
}

function toBase64(bytes: Uint8Array): string {
  if (typeof Buffer !== "undefined")
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
