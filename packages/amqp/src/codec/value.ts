/**
 * Any AMQP value (1.6). JavaScript types represent AMQP types without loss: `null`, `boolean`, `string`, `Uint8Array` for binary, an array
 * for list, and `number` for **double**. All other types are tagged with their name, because the same number means different things to a
 * peer as int, uint or long.
 */
export type AmqpValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly AmqpValue[]
  | AmqpMap
  | AmqpTyped;

/** A value of a type without a JavaScript counterpart; distinguished by `type`. */
export type AmqpTyped =
  | AmqpSmallNumber
  | AmqpWideNumber
  | AmqpOctets
  | AmqpSymbol
  | AmqpArray
  | AmqpDescribed;

/** A number that fits a JavaScript number exactly. `char` is the code point (1.6.16). */
export interface AmqpSmallNumber {
  readonly type: "ubyte" | "ushort" | "uint" | "byte" | "short" | "int" | "float" | "char";
  readonly value: number;
}

/** A 64-bit number. `timestamp` is milliseconds since the Unix epoch (1.6.17). */
export interface AmqpWideNumber {
  readonly type: "ulong" | "long" | "timestamp";
  readonly value: bigint;
}

/** A fixed-width value, stored as its bytes in network order: RFC 4122 order for uuid (1.6.18). */
export interface AmqpOctets {
  readonly type: "uuid" | "decimal32" | "decimal64" | "decimal128";
  readonly value: Uint8Array;
}

/** A symbolic value of a constrained domain (1.6.21), one character per byte. */
export interface AmqpSymbol {
  readonly type: "symbol";
  readonly value: string;
}

/** Values of one type with a shared constructor (1.6.24); `descriptors`, outermost first, apply to each of them. */
export interface AmqpArray {
  readonly type: "array";
  readonly elementType: AmqpTypeName;
  readonly descriptors: readonly AmqpValue[];
  readonly values: readonly AmqpValue[];
}

/** A value annotated with a descriptor (1.1.2). */
export interface AmqpDescribed {
  readonly type: "described";
  readonly descriptor: AmqpValue;
  readonly value: AmqpValue;
}

/** The primitive types of 1.6, as used in an array's constructor. */
export type AmqpTypeName =
  | "null"
  | "boolean"
  | "double"
  | "string"
  | "binary"
  | "list"
  | "map"
  | Exclude<AmqpTyped["type"], "described">;

/**
 * A map (1.6.23) as its entries in wire order: keys may be of any type, and names chosen by a peer never become properties of an object.
 */
export class AmqpMap {
  readonly entries: ReadonlyArray<readonly [AmqpValue, AmqpValue]>;

  /** Keeps an array as it is, and copies another iterable. */
  constructor(entries: Iterable<readonly [AmqpValue, AmqpValue]> = []) {
    this.entries = Array.isArray(entries) ? entries : [...entries];
  }

  /** The value of the string or symbol key `name`; `undefined` if there is none. */
  get(name: string): AmqpValue | undefined {
    for (const [key, value] of this.entries) {
      if (key === name || (isTyped(key) && key.type === "symbol" && key.value === name)) return value;
    }
    return undefined;
  }

  get size(): number {
    return this.entries.length;
  }
}

/** A map with symbol keys, as in annotations and the property maps of performatives. */
export function symbolMap(fields: Readonly<Record<string, AmqpValue>>): AmqpMap {
  return new AmqpMap(Object.entries(fields).map(([key, value]) => [symbol(key), value] as const));
}

/** A map with string keys, as in application properties and management bodies. */
export function stringMap(fields: Readonly<Record<string, AmqpValue>>): AmqpMap {
  return new AmqpMap(Object.entries(fields));
}

/**
 * An 8-bit unsigned integer (1.6.3). These functions check no range: encoding throws `TypeError` or `RangeError` for an integer out of it.
 */
export const ubyte = (value: number): AmqpSmallNumber => ({ type: "ubyte", value });
/** A 16-bit unsigned integer (1.6.4). */
export const ushort = (value: number): AmqpSmallNumber => ({ type: "ushort", value });
/** A 32-bit unsigned integer (1.6.5). */
export const uint = (value: number): AmqpSmallNumber => ({ type: "uint", value });
/** A 64-bit unsigned integer (1.6.6). */
export const ulong = (value: bigint): AmqpWideNumber => ({ type: "ulong", value });
/** An 8-bit signed integer (1.6.7). */
export const byte = (value: number): AmqpSmallNumber => ({ type: "byte", value });
/** A 16-bit signed integer (1.6.8). */
export const short = (value: number): AmqpSmallNumber => ({ type: "short", value });
/** A 32-bit signed integer (1.6.9). */
export const int = (value: number): AmqpSmallNumber => ({ type: "int", value });
/** A 64-bit signed integer (1.6.10). */
export const long = (value: bigint): AmqpWideNumber => ({ type: "long", value });
/** A 32-bit floating-point number (1.6.11). Encoding rounds the value. */
export const float = (value: number): AmqpSmallNumber => ({ type: "float", value });
/** A Unicode character by its code point (1.6.16). */
export const char = (codePoint: number): AmqpSmallNumber => ({ type: "char", value: codePoint });
/** A symbolic value, in ASCII (1.6.21). */
export const symbol = (value: string): AmqpSymbol => ({ type: "symbol", value });

/** A timestamp from a `Date`, or from milliseconds since the epoch for values beyond the range of `Date`. */
export function timestamp(at: Date | bigint): AmqpWideNumber {
  return { type: "timestamp", value: typeof at === "bigint" ? at : BigInt(at.getTime()) };
}

/** A uuid from its 16 bytes in RFC 4122 order, or from its text form. Throws `TypeError` for anything else. */
export function uuid(id: Uint8Array | string): AmqpOctets {
  const bytes = typeof id === "string" ? Buffer.from(id.replaceAll("-", ""), "hex") : id;
  if (bytes.length !== 16) throw new TypeError("a uuid has 16 bytes");
  return { type: "uuid", value: bytes };
}

/** The lower-case text form of a uuid. */
export function uuidText(id: AmqpOctets): string {
  const hex = Buffer.from(id.value).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** An array of values of one type, for example `array("long", [long(1n)])`. */
export function array(elementType: AmqpTypeName, values: readonly AmqpValue[]): AmqpArray {
  return { type: "array", elementType, descriptors: [], values };
}

/** A described value. A bigint descriptor becomes a ulong, a string a symbol. */
export function described(descriptor: AmqpValue | bigint, value: AmqpValue): AmqpDescribed {
  return { type: "described", descriptor: toDescriptor(descriptor), value };
}

/** Whether a value is tagged with a `type`. */
export function isTyped(value: AmqpValue | undefined): value is AmqpTyped {
  return typeof value === "object" && value !== null && "type" in value;
}

/** The name of a value's AMQP type. */
export function typeName(value: AmqpValue): AmqpTypeName | "described" {
  if (value === null) return "null";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return "double";
  if (typeof value === "string") return "string";
  if (value instanceof Uint8Array) return "binary";
  if (value instanceof AmqpMap) return "map";
  return isTyped(value) ? value.type : "list";
}

function toDescriptor(descriptor: AmqpValue | bigint): AmqpValue {
  if (typeof descriptor === "bigint") return ulong(descriptor);
  return typeof descriptor === "string" ? symbol(descriptor) : descriptor;
}
