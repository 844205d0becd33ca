import type { ApplicationProperties } from "@waybill/core";
import type { MessageId } from "@waybill/core/transport";
import rhea from "rhea";
import type { WireProperties } from "../sdk/service-bus-client.js";

const { types } = rhea;

/**
 * A value as rhea, the AMQP library of the SDK, encodes it without loss. By itself rhea writes a `bigint` as an empty map and NaN as null,
 * and fails on numbers beyond 64 bits. Plain integers stay as the SDK sends them.
 */
export function toAmqpValue(value: unknown): unknown {
  switch (typeof value) {
    case "bigint":
      return toAmqpLong(value);
    case "number":
      return isPlainNumber(value) ? value : types.wrap_double(value);
    case "object":
      return value === null ? null : toAmqpObject(value);
    default:
      return value;
  }
}

/** Application properties for rhea; returns the same object if nothing needs converting. */
export function toAmqpProperties(properties: ApplicationProperties): WireProperties {
  for (const name of Object.keys(properties)) {
    if (!isPlain(properties[name])) return toAmqpObject(properties) as WireProperties;
  }
  return properties;
}

/** A message id or correlation id: string, ulong or binary. rhea would encode plain bytes as a uuid. */
export function toAmqpId(id: MessageId): unknown {
  // When scheduling, the SDK replaces falsy ids.
  if (id === 0) return types.wrap_ulong(0);
  if (id === "") return types.wrap_string("");
  if (typeof id === "bigint") return types.wrap_ulong(toBytes(id) as never);
  return id instanceof Uint8Array ? types.wrap_binary(toBuffer(id) as never) : id;
}

/**
 * The session state that clears the state. The SDK would write its null as the text `null`; this value is a buffer for the SDK and an AMQP
 * null for rhea.
 */
export function nullState(): Buffer {
  return Object.assign(Buffer.alloc(0), { toRheaTyped: () => types.wrap(null) });
}

/** The same bytes as a `Buffer`, which rhea expects. */
export function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function toAmqpLong(value: bigint): unknown {
  const isSigned = value >= -(2n ** 63n) && value < 2n ** 63n;
  return isSigned ? types.wrap_long(toBytes(value) as never) : types.wrap_ulong(toBytes(value) as never);
}

function toAmqpObject(value: object): unknown {
  if (value instanceof Date) return value;
  if (value instanceof Uint8Array) return toBuffer(value);
  if (Array.isArray(value)) return value.map(toAmqpValue);
  if (value instanceof Map) return new Map(Array.from(value, (entry) => entry.map(toAmqpValue) as never));
  const typed = toTyped(value);
  if (typed !== undefined) return typed;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toAmqpValue(item)]));
}

/** A value of a type without a counterpart in JavaScript, as it was received; undefined for a map. See `EncodedBody`. */
function toTyped(object: { readonly type?: unknown; readonly value?: unknown }): unknown {
  const { type, value } = object;
  if (type === "described" && "descriptor" in object) return toDescribed(object.descriptor, value);
  if (Object.keys(object).length !== 2) return undefined;
  if (type === "uuid" && typeof value === "string" && uuidText.test(value))
    return types.wrap_uuid(Buffer.from(value.replaceAll("-", ""), "hex") as never);
  if (type === "char" && typeof value === "number") return types.wrap_char(value);
  const decimal = decimals.get(type);
  return value instanceof Uint8Array && decimal?.bytes === value.length
    ? decimal.wrap(toBuffer(value))
    : undefined;
}

const uuidText = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

interface Decimal {
  readonly bytes: number;
  readonly wrap: (bytes: Buffer) => unknown;
}

/** rhea's declarations lack the decimals. */
const { Decimal32, Decimal64, Decimal128 } = types as unknown as Readonly<Record<string, Decimal["wrap"]>>;

const decimals: ReadonlyMap<unknown, Decimal> = new Map(
  Object.entries({
    decimal32: { bytes: 4, wrap: (bytes: Buffer) => Decimal32?.(bytes) },
    decimal64: { bytes: 8, wrap: (bytes: Buffer) => Decimal64?.(bytes) },
    decimal128: { bytes: 16, wrap: (bytes: Buffer) => Decimal128?.(bytes) },
  }),
);

/** .NET casts the numbers of its own types to long. */
function toDescribed(descriptor: unknown, value: unknown): unknown {
  const isOfDotnet = typeof descriptor === "string" && descriptor.startsWith("com.microsoft:");
  const content =
    isOfDotnet && Number.isSafeInteger(value) ? toAmqpLong(BigInt(value as number)) : toAmqpValue(value);
  const name = typeof descriptor === "string" ? types.wrap_symbol(descriptor) : toUlong(descriptor);
  return name === undefined ? content : types.described(name as never, types.wrap(content) as never);
}

function toUlong(value: unknown): unknown {
  if (typeof value === "bigint") return types.wrap_ulong(toBytes(value) as never);
  return typeof value === "number" ? types.wrap_ulong(value) : undefined;
}

function isPlain(value: unknown): boolean {
  return typeof value === "number"
    ? isPlainNumber(value)
    : typeof value === "string" || typeof value === "boolean";
}

/** A number that rhea encodes correctly: integers as int, uint, long or ulong; fractions and infinities as double. */
function isPlainNumber(value: number): boolean {
  return Number.isInteger(value)
    ? Number.isSafeInteger(value) && !Object.is(value, -0)
    : !Number.isNaN(value);
}

function toBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value));
  return bytes;
}
