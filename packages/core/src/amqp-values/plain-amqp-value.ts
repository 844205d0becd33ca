import { isObject } from "@waybill/foundation";
import { byteStringItems, depthExceeded, itemsExceeded, keyForbidden } from "../errors/body-failures.js";
import { amqpDecimal } from "./amqp-decimal.js";

/** The limits of a value with all its items. */
interface GraphLimits {
  readonly maxDepth: number;
  readonly maxItems: number;
}

/** Descriptors of .NET's own types. Source: Microsoft.Azure.Amqp, `AmqpConstants`. */
const timeSpan = "com.microsoft:timespan";
const dateTimeOffset = "com.microsoft:datetime-offset";

/** Ticks of 100 ns from the year 1 to 1970. */
const epochTicks = 621_355_968_000_000_000n;

/**
 * Converts the value of an AMQP value or sequence section to plain values, in the same way for all transports: decimals, UUIDs and
 * characters become strings, .NET's time spans strings as .NET prints them, its `DateTimeOffset` a `Date`; other described values lose their
 * descriptor. Throws `decodeFailure` for a value that exceeds the limits.
 */
export function plainAmqpValue(value: unknown, limits: GraphLimits): unknown {
  return new Graph(limits).plain(value, 0);
}

/** The value in a described value, which the official SDK gives without its descriptor; any other value as it is. */
export function withoutDescriptor(value: unknown): unknown {
  let inner = value;
  for (;;) {
    const typed = isObject(inner) ? plainTyped(inner as Typed) : undefined;
    if (typed?.isDescribed !== true) return inner;
    inner = typed.value;
  }
}

class Graph {
  readonly #limits: GraphLimits;
  #itemsLeft: number;

  constructor(limits: GraphLimits) {
    this.#limits = limits;
    this.#itemsLeft = limits.maxItems;
  }

  plain(value: unknown, depth: number): unknown {
    if (!isObject(value) || value instanceof Date) return value;
    // Memory of its own: a transport's may be a part of what it received with other messages.
    if (value instanceof Uint8Array) return new Uint8Array(value);
    if (ArrayBuffer.isView(value)) return value;
    if (Array.isArray(value)) {
      this.#enter(depth);
      return value.map((item) => this.#item(item, depth));
    }
    if (value instanceof Map) {
      this.#enter(depth);
      return Array.from(value.keys()).every((key) => typeof key === "string")
        ? this.#object(Array.from(value), depth)
        : new Map(Array.from(value, ([key, item]) => [this.plain(key, depth + 1), this.#item(item, depth)]));
    }
    const typed = plainTyped(value as Typed);
    if (typed !== undefined) return typed.isDescribed ? this.plain(typed.value, depth + 1) : typed.value;
    this.#enter(depth);
    return this.#object(Object.entries(value), depth);
  }

  #object(entries: readonly (readonly [string, unknown])[], depth: number): object {
    return Object.fromEntries(
      entries.map(([key, item]) => {
        requireHarmless(key, item);
        return [key, this.#item(item, depth)] as const;
      }),
    );
  }

  #item(item: unknown, depth: number): unknown {
    this.#itemsLeft -= ArrayBuffer.isView(item) ? byteStringItems : 1;
    if (this.#itemsLeft < 0) throw itemsExceeded(this.#limits.maxItems);
    return this.plain(item, depth + 1);
  }

  #enter(depth: number): void {
    if (depth >= this.#limits.maxDepth) throw depthExceeded(this.#limits.maxDepth);
  }
}

/** Refuses names by which careless code would change prototypes, as every serializer does. */
function requireHarmless(key: string, item: unknown): void {
  const isConstructor = key === "constructor" && isObject(item);
  if (key === "__proto__" || (isConstructor && Object.hasOwn(item, "prototype"))) throw keyForbidden(key);
}

/**
 * How transports represent AMQP types without a JavaScript type: an object with two members, or three with a descriptor. A sender's map that has a
 * text as `type`, as these do, is a `Map` with them.
 */
interface Typed {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly ticks?: unknown;
  readonly descriptor?: unknown;
}

interface PlainTyped {
  readonly value: unknown;
  /** The value may contain further values to convert. */
  readonly isDescribed?: true;
}

/** Undefined for an object of other members. */
function plainTyped(typed: Typed): PlainTyped | undefined {
  const { type, value, ticks, descriptor } = typed;
  const members = Object.keys(typed).length;
  if (typeof type !== "string" || members > 3) return undefined;
  if (members === 3)
    return type === "described" && "descriptor" in typed ? described(descriptor, value) : undefined;
  if (members !== 2) return undefined;
  switch (type) {
    case "timespan":
      return typeof ticks === "bigint" ? { value: timeSpanText(ticks) } : undefined;
    case "guid":
    case "uuid":
      return isUuid(value) ? { value } : undefined;
    case "char":
      return charOf(value);
    case "timestamp":
      return typeof value === "bigint" ? { value } : undefined;
    default: {
      const text = value instanceof Uint8Array ? amqpDecimal(type, value) : undefined;
      return text === undefined ? undefined : { value: text };
    }
  }
}

function described(descriptor: unknown, value: unknown): PlainTyped {
  const ticks = ticksOf(value);
  const name = nameOf(descriptor);
  if (name === timeSpan && ticks !== undefined) return { value: timeSpanText(ticks) };
  if (name === dateTimeOffset && ticks !== undefined) {
    const date = new Date(Number((ticks - epochTicks) / 10_000n));
    if (!Number.isNaN(date.getTime())) return { value: date };
  }
  return { value, isDescribed: true };
}

function nameOf(descriptor: unknown): unknown {
  return isObject(descriptor) && "value" in descriptor ? descriptor.value : descriptor;
}

function ticksOf(value: unknown): bigint | undefined {
  const inner = nameOf(value);
  if (typeof inner === "bigint") return inner;
  return typeof inner === "number" && Number.isSafeInteger(inner) ? BigInt(inner) : undefined;
}

/** As .NET prints a `TimeSpan`: `[-][d.]hh:mm:ss[.fffffff]`. */
function timeSpanText(ticks: bigint): string {
  const all = ticks < 0n ? -ticks : ticks;
  const part = (per: bigint, modulus: bigint) => String((all / per) % modulus).padStart(2, "0");
  const days = all / 864_000_000_000n;
  const fraction = all % 10_000_000n;
  return [
    ticks < 0n ? "-" : "",
    days === 0n ? "" : `${days}.`,
    `${part(36_000_000_000n, 24n)}:${part(600_000_000n, 60n)}:${part(10_000_000n, 60n)}`,
    fraction === 0n ? "" : `.${String(fraction).padStart(7, "0")}`,
  ].join("");
}

function isUuid(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value);
}

function charOf(value: unknown): PlainTyped | undefined {
  if (typeof value === "string" && [...value].length === 1) return { value };
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 0x10ffff)
    return undefined;
  return { value: String.fromCodePoint(value) };
}
