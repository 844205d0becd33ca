/** A value that JSON can hold. */
export type PortableValue =
  | null
  | boolean
  | number
  | string
  | readonly PortableValue[]
  | { readonly [key: string]: PortableValue };

/** Deeper than any pipeline allows. */
const maxDepth = 512;

/**
 * Writes any decoded body as JSON without loss. Values that JSON cannot express become an object with one key: `{ "$bigint": "1" }`,
 * `{ "$bytes": "AQI=" }`, `{ "$date": "2026-01-01T00:00:00.000Z" }`, `{ "$map": [[key, value]] }`, `{ "$set": [] }`, `{ "$number": "NaN" }`,
 * `{ "$undefined": true }`; an object that looks like one of these becomes `{ "$object": … }`.
 */
export function toPortableValue(value: unknown): PortableValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Object.is(value, -0)) return { $number: "-0" };
      return Number.isFinite(value) ? value : { $number: String(value) };
    case "bigint":
      return { $bigint: String(value) };
    case "object":
      return value === null ? null : portableObject(value);
    default:
      return { $undefined: true };
  }
}

/** Reads what {@link toPortableValue} wrote; other objects are returned as they are. Throws `TypeError` or `SyntaxError` for a tag with unsuitable content. */
export function fromPortableValue(value: PortableValue): unknown {
  return read(value, 0);
}

function portableObject(value: object): PortableValue {
  if (Array.isArray(value)) return Array.from(value, toPortableValue);
  if (value instanceof Date)
    return { $date: Number.isNaN(value.getTime()) ? "invalid" : value.toISOString() };
  if (ArrayBuffer.isView(value)) {
    return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
  }
  if (value instanceof Map) {
    return { $map: Array.from(value, ([key, item]) => [toPortableValue(key), toPortableValue(item)]) };
  }
  if (value instanceof Set) return { $set: Array.from(value, toPortableValue) };
  const object = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPortableValue(item)]));
  return tagOf(object) === undefined ? object : { $object: object };
}

function read(value: PortableValue, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) throw new TypeError(`The value is nested deeper than ${maxDepth} levels.`);
  const inner = (item: PortableValue) => read(item, depth + 1);
  if (isList(value)) return value.map(inner);
  const tag = tagOf(value);
  const reader = readers[tag ?? ""];
  const content = tag && value[tag];
  return reader === undefined || content === undefined ? readFields(value, inner) : reader(content, inner);
}

type Inner = (item: PortableValue) => unknown;

/** How the content of each tag is read. */
const readers: Readonly<Record<string, (content: PortableValue, inner: Inner) => unknown>> = {
  $bigint: (content) => BigInt(String(content)),
  $bytes: bytes,
  $date: date,
  $map: (content, inner) => new Map(entries(content).map(([key, item]) => [inner(key), inner(item)])),
  $set: (content, inner) => new Set(list(content).map(inner)),
  $number: number,
  $object: readFields,
  $undefined: () => undefined,
};

function tagOf(object: object): string | undefined {
  const [key, ...others] = Object.keys(object);
  return others.length === 0 && key?.startsWith("$") ? key : undefined;
}

/** `Object.fromEntries` makes own properties of all keys, `__proto__` included. */
function readFields(value: PortableValue, inner: Inner): unknown {
  if (typeof value !== "object" || value === null || isList(value))
    throw new TypeError("An object was expected.");
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item)]));
}

function bytes(value: PortableValue): Uint8Array {
  const read = Buffer.from(String(value), "base64");
  // The decoder skips characters that are not Base64, so the result is encoded again and compared.
  if (read.toString("base64") === value) return Uint8Array.from(read);
  throw new TypeError("$bytes must be Base64.");
}

function date(value: PortableValue): Date {
  const read = new Date(typeof value === "string" ? value : Number.NaN);
  if (value === "invalid" || !Number.isNaN(read.getTime())) return read;
  throw new TypeError("$date must be an instant in ISO 8601.");
}

function number(value: PortableValue): number {
  const read = Number(typeof value === "string" && value.trim() !== "" ? value : "no number");
  if (value === "NaN" || !Number.isNaN(read)) return read;
  throw new TypeError("$number must be a string with a number.");
}

function entries(value: PortableValue): (readonly [PortableValue, PortableValue])[] {
  return list(value).map((entry) => {
    const [key, item] = list(entry);
    if (key === undefined || item === undefined) throw new TypeError("A pair of key and value was expected.");
    return [key, item];
  });
}

function list(value: PortableValue): readonly PortableValue[] {
  if (!isList(value)) throw new TypeError("A list was expected.");
  return value;
}

function isList(value: PortableValue): value is readonly PortableValue[] {
  return Array.isArray(value);
}
