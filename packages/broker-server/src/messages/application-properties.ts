import {
  type AmqpDescribed,
  AmqpMap,
  type AmqpTyped,
  type AmqpValue,
  described,
  encodeValue,
  int,
  isTyped,
  long,
  timestamp,
  ulong,
  uuid,
} from "@waybill/amqp";
import { uuidText } from "@waybill/amqp/server";
import type { ApplicationProperties, ApplicationPropertyValue } from "@waybill/broker";
import { type RuleGuid, type RuleTimeSpan, ruleGuid, ruleTimeSpan } from "@waybill/broker/front-end";

const timeSpan = "com.microsoft:timespan";
const intLimit = 2 ** 31;
const longLimit = 2n ** 63n;

/** Converts application properties for the broker and its rules. 64-bit integers become `bigint`, others `number`. */
export function fromAmqpProperties(map: AmqpMap | undefined): ApplicationProperties {
  const properties: Record<string, ApplicationPropertyValue> = {};
  for (const [key, value] of map?.entries ?? []) {
    const name = keyText(key);
    if (name !== undefined) define(properties, name, fromAmqpValue(value));
  }
  return properties;
}

/**
 * Converts a value for the broker: plain values only, which can be cloned and stored. Lists and arrays become arrays; maps become objects
 * if their keys are text, else `Map`s; so do those that have a text as `type`, as typed values do. Simple values without a counterpart stay
 * unchanged, to be sent back.
 */
export function fromAmqpValue(value: AmqpValue): ApplicationPropertyValue {
  // A Buffer would stay one for the reader, and a view would keep the whole message in memory.
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (Array.isArray(value)) return value.map(fromAmqpValue);
  if (value instanceof AmqpMap) return fromAmqpMap(value);
  if (!isTyped(value)) return value;
  switch (value.type) {
    case "array":
      return value.values.map(fromAmqpValue);
    case "timestamp":
      return dateOf(value.value) ?? value;
    case "uuid":
      return ruleGuid(uuidText(value));
    case "described":
      if (isTimeSpan(value)) return ruleTimeSpan(value.value.value);
      return isSimple(value.descriptor) && isSimple(value.value) ? value : fromAmqpValue(value.value);
    case "decimal32":
    case "decimal64":
    case "decimal128":
      return { type: value.type, value: Uint8Array.from(value.value) };
    case "char":
      return value;
    default:
      return value.value;
  }
}

/** A timestamp in ms since the epoch as a date; `undefined` beyond the range of `Date`. */
export function dateOf(ms: bigint): Date | undefined {
  const date = new Date(Number(ms));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/**
 * Converts a value of the broker to AMQP: integers become int or long, `bigint` becomes long or, above its range, ulong, other numbers
 * double.
 */
export function toAmqpValue(value: unknown): AmqpValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "bigint":
      return value < longLimit ? long(value) : ulong(value);
    case "number":
      return toAmqpNumber(value);
    case "object":
      return value === null ? null : toAmqpObject(value);
    default:
      return null;
  }
}

/** Converts the broker's application properties to AMQP. */
export function toAmqpProperties(properties: ApplicationProperties): AmqpMap {
  return new AmqpMap(Object.entries(properties).map(([name, value]) => [name, toAmqpValue(value)] as const));
}

/** The text of a key, whether it is a string or a symbol. */
export function keyText(key: AmqpValue): string | undefined {
  if (typeof key === "string") return key;
  return isTyped(key) && key.type === "symbol" ? key.value : undefined;
}

/** The text of a value, whether it is a string or a symbol. */
export function textOf(value: AmqpValue | undefined): string | undefined {
  return value === undefined ? undefined : keyText(value);
}

function toAmqpNumber(value: number): AmqpValue {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) return value;
  return value >= -intLimit && value < intLimit ? int(value) : long(BigInt(value));
}

function toAmqpObject(value: object): AmqpValue {
  if (value instanceof Uint8Array || value instanceof AmqpMap) return value;
  if (value instanceof Date) return timestamp(value);
  if (Array.isArray(value)) return Array.from(value, toAmqpValue);
  if (value instanceof Map) {
    return new AmqpMap(Array.from(value, ([key, item]) => [toAmqpValue(key), toAmqpValue(item)] as const));
  }
  return (
    toTyped(value) ??
    new AmqpMap(Object.entries(value).map(([name, item]) => [name, toAmqpValue(item)] as const))
  );
}

/** The number of members of typed values; those with two have a `value`. */
const typedMembers: Readonly<Partial<Record<string, number>>> = Object.freeze({
  ...{ guid: 2, timespan: 2, uuid: 2, timestamp: 2, symbol: 2, char: 2, float: 2 },
  ...{ ubyte: 2, ushort: 2, uint: 2, ulong: 2, byte: 2, short: 2, int: 2, long: 2 },
  ...{ decimal32: 2, decimal64: 2, decimal128: 2, described: 3, array: 4 },
});

/** A typed value; `undefined` for an object that merely has a member called `type`. */
function toTyped(value: { readonly type?: unknown }): AmqpValue | undefined {
  const { type } = value;
  if (typeof type !== "string" || !Object.hasOwn(typedMembers, type)) return undefined;
  if (Object.keys(value).length !== typedMembers[type]) return undefined;
  try {
    const typed = fromRuleType(value as RuleGuid | RuleTimeSpan) ?? (value as AmqpTyped);
    encodeValue(typed);
    return typed;
  } catch {
    return undefined;
  }
}

function fromRuleType(value: RuleGuid | RuleTimeSpan): AmqpValue | undefined {
  if (value.type === "guid") return uuid(value.value);
  return value.type === "timespan" ? described(timeSpan, long(value.ticks)) : undefined;
}

function fromAmqpMap(map: AmqpMap): object {
  const isObject = map.entries.every(([key]) => keyText(key) !== undefined);
  if (isObject && textOf(map.get("type")) === undefined) return fromAmqpProperties(map);
  return new Map(map.entries.map(([key, value]) => [fromAmqpValue(key), fromAmqpValue(value)]));
}

/** Whether a value neither contains others nor is a view on the encoded bytes. */
function isSimple(value: AmqpValue): boolean {
  if (typeof value !== "object" || value === null) return true;
  return isTyped(value) && value.type !== "described" && "value" in value && typeof value.value !== "object";
}

function isTimeSpan(
  value: AmqpDescribed,
): value is AmqpDescribed & { value: { type: "long"; value: bigint } } {
  const { descriptor, value: inner } = value;
  return keyText(descriptor) === timeSpan && isTyped(inner) && inner.type === "long";
}

/** Keys come from the wire: `__proto__` must stay an ordinary key. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
