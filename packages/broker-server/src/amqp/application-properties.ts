import {
  type AmqpDescribed,
  AmqpMap,
  type AmqpValue,
  described,
  int,
  isTyped,
  long,
  timestamp,
  uuid,
  uuidText,
} from "@waybill/amqp";
import {
  type ApplicationProperties,
  type ApplicationPropertyValue,
  ruleGuid,
  ruleTimeSpan,
} from "@waybill/broker";

const TIME_SPAN = "com.microsoft:timespan";
const INT_LIMIT = 2 ** 31;

/** Application properties as the broker and its rules read them. Integers of 64 bits are `bigint`, the others `number`. */
export function fromAmqpProperties(map: AmqpMap | undefined): ApplicationProperties {
  const properties: Record<string, ApplicationPropertyValue> = {};
  for (const [key, value] of map?.entries ?? []) {
    const name = keyText(key);
    if (name !== undefined) define(properties, name, fromAmqpValue(value));
  }
  return properties;
}

/** One simple value as the broker reads it; values without a counterpart there stay as they are, for it to hand back. */
export function fromAmqpValue(value: AmqpValue): ApplicationPropertyValue {
  if (!isTyped(value)) return value;
  switch (value.type) {
    case "symbol":
    case "long":
    case "ulong":
      return value.value;
    case "timestamp":
      return new Date(Number(value.value));
    case "uuid":
      return ruleGuid(uuidText(value));
    case "described":
      return isTimeSpan(value) ? ruleTimeSpan(value.value.value) : value;
    case "decimal32":
    case "decimal64":
    case "decimal128":
    case "array":
    case "char":
      return value;
    default:
      return value.value;
  }
}

/** A value of the broker as AMQP: whole numbers become int or long, `bigint` becomes long, others double. */
export function toAmqpValue(value: unknown): AmqpValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "bigint":
      return long(value);
    case "number":
      return toAmqpNumber(value);
    case "object":
      return value === null ? null : toAmqpObject(value);
    default:
      return null;
  }
}

/** `name` and value for each of the broker's properties. */
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
  return value >= -INT_LIMIT && value < INT_LIMIT ? int(value) : long(BigInt(value));
}

function toAmqpObject(value: object): AmqpValue {
  if (value instanceof Uint8Array || value instanceof AmqpMap) return value;
  if (value instanceof Date) return timestamp(value);
  if (Array.isArray(value)) return value.map(toAmqpValue);
  const { type } = value as { type?: unknown };
  if (type === "guid") return uuid((value as { value: string }).value);
  if (type === "timespan") return described(TIME_SPAN, long((value as { ticks: bigint }).ticks));
  if (typeof type === "string" && isTyped(value as AmqpValue)) return value as AmqpValue;
  return new AmqpMap(Object.entries(value).map(([name, item]) => [name, toAmqpValue(item)] as const));
}

function isTimeSpan(
  value: AmqpDescribed,
): value is AmqpDescribed & { value: { type: "long"; value: bigint } } {
  const { descriptor, value: inner } = value;
  return keyText(descriptor) === TIME_SPAN && isTyped(inner) && inner.type === "long";
}

/** Keys come from the wire: one named `__proto__` has to stay a key. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
