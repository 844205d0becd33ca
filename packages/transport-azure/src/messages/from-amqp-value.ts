import { AmqpChar } from "./amqp-char.js";

/** The AMQP type codes that precede values which rhea returns as bytes. Source: AMQP 1.0, part 1.6. */
const code = {
  smallUlong: 0x53,
  ulong: 0x80,
  long: 0x81,
  uuid: 0x98,
  binary8: 0xa0,
  symbol8: 0xa3,
  symbol32: 0xb3,
} as const;

/** Type codes and sizes of decimals, whose bytes rhea does not convert. */
const decimals = [
  { type: "decimal32", code: 0x74, size: 4 },
  { type: "decimal64", code: 0x84, size: 8 },
  { type: "decimal128", code: 0x94, size: 16 },
] as const;

const maps: readonly number[] = [0xc1, 0xd1];

/** The sections that may hold bytes, by the descriptors that rhea knows. */
const sections = new Map<number | string, "data" | "value">([
  [0x75, "data"],
  ["amqp:data:binary", "data"],
  [0x77, "value"],
  ["amqp:value:*", "value"],
]);

/**
 * Converts a value decoded by rhea without guessing its type. rhea returns 64-bit integers beyond 2^53, uuids and binary all as `Buffer`.
 * The buffer is a view on the received bytes, so the type code can be read in front of it. Integers become `bigint`, uuids strings, binary
 * `Uint8Array`; described values lose their descriptor.
 */
export function fromAmqpValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (value instanceof Uint8Array) return fromBytes(value);
  if (Array.isArray(value)) return value.map(fromAmqpValue);
  if (value instanceof AmqpChar) return value.toString();
  if (isRheaTyped(value)) return fromAmqpValue(value.value);
  return fromAmqpMap(value);
}

/**
 * As `fromAmqpValue`, for values in a body: decimals, UUIDs, characters and described values become objects of two or three members that name
 * the type; core turns these into plain values.
 */
export function fromAmqpBody(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (value instanceof Uint8Array) return decimal(value) ?? fromBodyBytes(value);
  if (Array.isArray(value)) return value.map(fromAmqpBody);
  if (value instanceof AmqpChar) return { type: "char", value: value.codePoint };
  if (isRheaTyped(value)) return fromTyped(value);
  return mapOf(entriesOf(value).map(([name, item]) => [name, fromAmqpBody(item)]));
}

/** rhea assigns the entries of a map to an object, so that one named `__proto__` becomes its prototype. */
function entriesOf(map: object): (readonly [string, unknown])[] {
  const prototype: unknown = Object.getPrototypeOf(map);
  const own = Object.entries(map);
  return prototype === Object.prototype ? own : [...own, ["__proto__", prototype]];
}

/**
 * Values that rhea leaves typed: described values and their content. Maps among them are still flat lists of alternating keys and values.
 */
function fromTyped({ type, value, descriptor }: RheaTyped): unknown {
  const items = Array.isArray(value) ? value.map(fromAmqpBody) : undefined;
  const isMap = maps.includes(type.typecode);
  const plain = isMap && items !== undefined ? mapOf(inPairs(items)) : (items ?? fromAmqpBody(value));
  return descriptor === undefined
    ? plain
    : { type: "described", descriptor: fromAmqpBody(descriptor), value: plain };
}

function inPairs(items: readonly unknown[]): (readonly [unknown, unknown])[] {
  return Array.from({ length: items.length >> 1 }, (_, at) => [items[2 * at], items[2 * at + 1]]);
}

/** A `Map` if not all keys are texts, or if an object would look like a typed value. */
function mapOf(entries: readonly (readonly [unknown, unknown])[]): object {
  const isObject = entries.every(
    ([key, value]) => typeof key === "string" && !(key === "type" && typeof value === "string"),
  );
  return isObject ? Object.fromEntries(entries as [string, unknown][]) : new Map(entries);
}

/** Only the type code in front of the bytes distinguishes a decimal from binary of the same size. */
function decimal(bytes: Uint8Array): unknown {
  const found = decimals.find(({ code: typecode, size }) => isOf(bytes, typecode, size));
  return found === undefined ? undefined : { type: found.type, value: Uint8Array.from(bytes) };
}

/** The entries of a map with string keys, as own properties whatever their names. */
export function fromAmqpMap(map: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, fromAmqpValue(value)]));
}

/** Whether bytes that the SDK reports as a data section were an AMQP value section: it does not distinguish the two. */
export function isValueSection(bytes: Uint8Array): boolean {
  if (!isBinary(bytes)) return true;
  const isShort = byteBefore(bytes, 2) === code.binary8 && byteBefore(bytes, 1) === bytes.length;
  let found = descriptorBefore(bytes, isShort ? 2 : 5);
  // In a value section the bytes may have descriptors of their own. What is in front of the section's is another section.
  while (found !== undefined && !sections.has(found.descriptor))
    found = descriptorBefore(bytes, found.distance);
  return found !== undefined && sections.get(found.descriptor) === "value";
}

/** The descriptor that ends `end` bytes before these bytes, which rhea leaves out, and how far before them it begins. */
function descriptorBefore(
  bytes: Uint8Array,
  end: number,
): { readonly descriptor: number | string; readonly distance: number } | undefined {
  const isAt = (distance: number, typeCode: number) =>
    byteBefore(bytes, distance) === typeCode && byteBefore(bytes, distance + 1) === 0x00;
  if (isAt(end + 2, code.smallUlong)) return { descriptor: byteBefore(bytes, end + 1), distance: end + 3 };
  if (isAt(end + 9, code.ulong)) {
    const { buffer, byteOffset } = bytes;
    const descriptor = Number(new DataView(buffer, byteOffset - end - 8, 8).getBigUint64(0));
    return { descriptor, distance: end + 10 };
  }
  for (let length = 0; length <= 255; length++) {
    const start = end + length;
    if (byteBefore(bytes, start + 1) !== length) continue;
    if (isAt(start + 2, code.symbol8))
      return { descriptor: asciiBefore(bytes, start, length), distance: start + 3 };
    if (isAt(start + 5, code.symbol32))
      return { descriptor: asciiBefore(bytes, start, length), distance: start + 6 };
  }
  return undefined;
}

function asciiBefore({ buffer, byteOffset }: Uint8Array, distance: number, length: number): string {
  return Buffer.from(buffer, byteOffset - distance, length).toString("latin1");
}

/** The same bytes as a plain `Uint8Array`: `slice` and the JSON form of `Buffer` differ. */
export function plainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function fromBytes(bytes: Uint8Array): unknown {
  const { buffer, byteOffset } = bytes;
  if (isOf(bytes, code.long, 8)) return new DataView(buffer, byteOffset, 8).getBigInt64(0);
  if (isOf(bytes, code.ulong, 8)) return new DataView(buffer, byteOffset, 8).getBigUint64(0);
  return isOf(bytes, code.uuid, 16) ? uuidText(bytes) : plainBytes(bytes);
}

/** A UUID keeps its type, so that core distinguishes it from a string, which is a body. */
function fromBodyBytes(bytes: Uint8Array): unknown {
  return isOf(bytes, code.uuid, 16) ? { type: "uuid", value: uuidText(bytes) } : fromBytes(bytes);
}

function isBinary(bytes: Uint8Array): boolean {
  const isInteger = isOf(bytes, code.long, 8) || isOf(bytes, code.ulong, 8);
  return !(isInteger || isOf(bytes, code.uuid, 16) || decimal(bytes) !== undefined);
}

/** Binary of 8 or 16 bytes is preceded by its length, so it never matches one of these type codes. */
function isOf(bytes: Uint8Array, typeCode: number, length: number): boolean {
  return bytes.length === length && byteBefore(bytes, 1) === typeCode;
}

function byteBefore({ buffer, byteOffset }: Uint8Array, distance: number): number {
  return byteOffset < distance ? -1 : new DataView(buffer, byteOffset - distance, 1).getUint8(0);
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

interface RheaTyped {
  readonly type: { readonly typecode: number };
  readonly value: unknown;
  readonly descriptor?: unknown;
}

/** Values with a descriptor, such as a .NET time span, which rhea leaves unconverted. No value from the wire has a method. */
function isRheaTyped(value: object): value is RheaTyped {
  return typeof (value as { readonly toRheaTyped?: unknown }).toRheaTyped === "function";
}
