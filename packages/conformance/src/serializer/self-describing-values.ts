import type { SerializerValue } from "./serializer-subject.js";

/** The outcome of a value: read back the same, refused, or read back as another value. */
export type Expectation = "same" | "refused" | { readonly becomes: unknown };

/** A value, and its outcome in a format that has all kinds of data that JavaScript and JSON have. */
interface TableEntry {
  readonly value: unknown;
  readonly expectation: Expectation;
}

class Money {
  readonly amount = 12;
}

const table = {
  null: same(null),
  true: same(true),
  false: same(false),
  zero: same(0),
  "negative zero": becomes(-0, 0),
  "a small integer": same(7),
  "a negative integer": same(-129),
  "an integer beyond 32 bits": same(2 ** 40 + 1),
  "the largest safe integer": same(Number.MAX_SAFE_INTEGER),
  "the smallest safe integer": same(Number.MIN_SAFE_INTEGER),
  "an integral number beyond 2^53": same(2 ** 60),
  "a fraction": same(129.95),
  "the smallest number": same(5e-324),
  "the largest number": same(Number.MAX_VALUE),
  NaN: same(Number.NaN),
  Infinity: same(Number.POSITIVE_INFINITY),
  "-Infinity": same(Number.NEGATIVE_INFINITY),
  "a small bigint": becomes(5n, 5),
  "the largest signed 64-bit integer": same(2n ** 63n - 1n),
  "the smallest signed 64-bit integer": same(-(2n ** 63n)),
  "the largest unsigned 64-bit integer": same(2n ** 64n - 1n),
  "a bigint beyond 64 bits": refused(2n ** 70n),
  "the empty string": same(""),
  "a string": same("The order was shipped."),
  "a string of many scripts": same("Zoë, 日本, \u{1f600}"),
  "a string of control characters": same('\u0000\n\u001f"\\\u2028'),
  "a string of 100,000 characters": same("lamp ".repeat(20_000)),
  "a lone surrogate": refused("\ud800"),
  "a long string with a lone surrogate": refused(`${"lamp ".repeat(100)}\udc00`),
  "an empty array": same([]),
  "an empty object": same({}),
  "an array": same([1, "two", null, true, [3], { four: 4 }]),
  "an order": same({
    id: "A-1042",
    customer: "Zoë",
    amount: 129.95,
    paid: true,
    note: null,
    lines: [
      { sku: "lamp", quantity: 2 },
      { sku: "bulb", quantity: 12 },
    ],
  }),
  "an array of 70,000 numbers": same(Array.from({ length: 70_000 }, (_, index) => index)),
  "an object of 70,000 keys": same(
    Object.fromEntries(Array.from({ length: 70_000 }, (_, index) => [`key${index}`, index])),
  ),
  "an array of empty containers": same([[], {}, [[]], [{}]]),
  "an object with an empty key": same({ "": 1 }),
  "an object with numeric keys": same({ 2: "b", 1: "a" }),
  "an object with keys of many scripts": same({ 日本: 1, "\u{1f600}": 2 }),
  "an object with the keys of every object": same({
    constructor: 1,
    toString: "text",
    hasOwnProperty: null,
    valueOf: [],
  }),
  "an object with a __proto__ key": refused(JSON.parse('{"__proto__":{"isPolluted":true},"a":1}') as unknown),
  "an object with an undefined member": becomes({ a: 1, b: undefined }, { a: 1 }),
  "an array with an undefined item": refused([1, undefined, 2]),
  "a sparse array": refused(sparseArray()),
  undefined: refused(undefined),
  "a function": refused(() => 1),
  "a symbol": refused(Symbol("waybill")),
  "an object with a function": refused({ a: 1, run: () => 1 }),
  "an object with a symbol": refused({ a: 1, mark: Symbol("waybill") }),
  "a date": same(new Date("2026-11-05T12:34:56.789Z")),
  "an invalid date": refused(new Date(Number.NaN)),
  "an object with a date": same({ at: new Date("2026-11-05T12:34:56.789Z") }),
  bytes: same(Uint8Array.of(0, 1, 2, 253, 254, 255)),
  "an object with bytes": same({ payload: Uint8Array.of(0, 1, 2, 253, 254, 255) }),
  "a map": refused(new Map<unknown, unknown>([["a", 1]])),
  "a map with a key that is not a string": refused(new Map<unknown, unknown>([[{ a: 1 }, 1]])),
  "a set": refused(new Set([1, 2])),
  "a regular expression": refused(/^(a+)+$/),
  "an error": refused(new Error("lost")),
  "an instance of a class": becomes(new Money(), { amount: 12 }),
  "an object without prototype": same(Object.assign(Object.create(null) as object, { a: 1 })),
  "an object with toJSON": becomes({ toJSON: () => ({ replaced: true }) }, { replaced: true }),
  "an object that holds itself": refused(cyclicObject()),
};

const largeValues: ReadonlySet<string> = new Set(["an array of 70,000 numbers", "an object of 70,000 keys"]);

/** The names of the table of values. */
export type SelfDescribingValueName = keyof typeof table;

/**
 * The table of values for self-describing formats: values that JavaScript programs put into messages, intentionally or by mistake. `differences` are
 * the outcomes that differ from those of a format with all kinds of data: numbers with `NaN`, integers of 64 bits, texts, bytes, dates, arrays, and
 * objects as `JSON.stringify` takes them. Everything else is refused, which is always allowed. Throws `TypeError` for an unknown name.
 */
export function selfDescribingValues(
  differences: Readonly<Partial<Record<SelfDescribingValueName, Expectation>>> = {},
): SerializerValue[] {
  const unknown = Object.keys(differences).find((name) => !Object.hasOwn(table, name));
  if (unknown !== undefined) throw new TypeError(`The value table has no entry "${unknown}".`);
  return Object.entries(table).map(([name, { value, expectation: usual }]) => {
    const expectation = differences[name as SelfDescribingValueName] ?? usual;
    return {
      name,
      value,
      ...(largeValues.has(name) ? { isLarge: true } : {}),
      ...(expectation === "refused" ? { isRefused: true } : {}),
      ...(typeof expectation === "object" ? { becomes: { value: expectation.becomes } } : {}),
    };
  });
}

function same(value: unknown): TableEntry {
  return { value, expectation: "same" };
}

function refused(value: unknown): TableEntry {
  return { value, expectation: "refused" };
}

function becomes(value: unknown, other: unknown): TableEntry {
  return { value, expectation: { becomes: other } };
}

function sparseArray(): unknown[] {
  const array: unknown[] = [1];
  array[2] = 3;
  return array;
}

function cyclicObject(): object {
  const object: Record<string, unknown> = { name: "loop" };
  object.self = object;
  return object;
}
