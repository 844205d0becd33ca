import type { SerializerValue } from "./serializer-subject.js";

class Money {
  readonly amount = 12;
}

const table = {
  null: null,
  true: true,
  false: false,
  zero: 0,
  "negative zero": -0,
  "a small integer": 7,
  "a negative integer": -129,
  "an integer beyond 32 bits": 2 ** 40 + 1,
  "the largest safe integer": Number.MAX_SAFE_INTEGER,
  "the smallest safe integer": Number.MIN_SAFE_INTEGER,
  "an integral number beyond 2^53": 2 ** 60,
  "a fraction": 129.95,
  "the smallest number": 5e-324,
  "the largest number": Number.MAX_VALUE,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
  "a small bigint": 5n,
  "the largest signed 64-bit integer": 2n ** 63n - 1n,
  "the smallest signed 64-bit integer": -(2n ** 63n),
  "the largest unsigned 64-bit integer": 2n ** 64n - 1n,
  "a bigint beyond 64 bits": 2n ** 70n,
  "the empty string": "",
  "a string": "The order was shipped.",
  "a string of many scripts": "Zoë, 日本, \u{1f600}",
  "a string of control characters": '\u0000\n\u001f"\\\u2028',
  "a string of 100,000 characters": "lamp ".repeat(20_000),
  "a lone surrogate": "\ud800",
  "a long string with a lone surrogate": `${"lamp ".repeat(100)}\udc00`,
  "an empty array": [],
  "an empty object": {},
  "an array": [1, "two", null, true, [3], { four: 4 }],
  "an order": {
    id: "A-1042",
    customer: "Zoë",
    amount: 129.95,
    paid: true,
    note: null,
    lines: [
      { sku: "lamp", quantity: 2 },
      { sku: "bulb", quantity: 12 },
    ],
  },
  "an array of 70,000 numbers": Array.from({ length: 70_000 }, (_, index) => index),
  "an object of 70,000 keys": Object.fromEntries(
    Array.from({ length: 70_000 }, (_, index) => [`key${index}`, index]),
  ),
  "an array of empty containers": [[], {}, [[]], [{}]],
  "an object with an empty key": { "": 1 },
  "an object with numeric keys": { 2: "b", 1: "a" },
  "an object with keys of many scripts": { 日本: 1, "\u{1f600}": 2 },
  "an object with the keys of every object": {
    constructor: 1,
    toString: "text",
    hasOwnProperty: null,
    valueOf: [],
  },
  "an object with a __proto__ key": JSON.parse('{"__proto__":{"isPolluted":true},"a":1}') as unknown,
  "an object with an undefined member": { a: 1, b: undefined },
  "an array with an undefined item": [1, undefined, 2],
  "a sparse array": sparseArray(),
  undefined: undefined,
  "a function": () => 1,
  "a symbol": Symbol("waybill"),
  "an object with a function": { a: 1, run: () => 1 },
  "an object with a symbol": { a: 1, mark: Symbol("waybill") },
  "a date": new Date("2026-11-05T12:34:56.789Z"),
  "an invalid date": new Date(Number.NaN),
  "an object with a date": { at: new Date("2026-11-05T12:34:56.789Z") },
  bytes: Uint8Array.of(0, 1, 2, 253, 254, 255),
  "an object with bytes": { payload: Uint8Array.of(0, 1, 2, 253, 254, 255) },
  "a map": new Map<unknown, unknown>([["a", 1]]),
  "a map with a key that is not a string": new Map<unknown, unknown>([[{ a: 1 }, 1]]),
  "a set": new Set([1, 2]),
  "a regular expression": /^(a+)+$/,
  "an error": new Error("lost"),
  "an instance of a class": new Money(),
  "an object without prototype": Object.assign(Object.create(null) as object, { a: 1 }),
  "an object with toJSON": { toJSON: () => ({ replaced: true }) },
  "an object that holds itself": cyclicObject(),
};

const largeValues: ReadonlySet<string> = new Set(["an array of 70,000 numbers", "an object of 70,000 keys"]);

/** The names of the table of values. */
export type SelfDescribingValueName = keyof typeof table;

/** The outcome of a value: read back the same, refused, or read back as another value. */
export type Expectation = "same" | "refused" | { readonly becomes: unknown };

/**
 * The table of values for self-describing formats: values that JavaScript programs put into messages, intentionally or by mistake. Every entry needs an
 * outcome, so that each format defines what happens to, for example, `NaN` or a `Map`. "Refused" is always allowed. Throws `TypeError` for
 * an unknown or a missing one.
 */
export function selfDescribingValues(
  expectations: Readonly<Record<SelfDescribingValueName, Expectation>>,
): SerializerValue[] {
  const unknown = Object.keys(expectations).find((name) => !Object.hasOwn(table, name));
  if (unknown !== undefined) throw new TypeError(`The value table has no entry "${unknown}".`);
  return Object.entries(table).map(([name, value]) => {
    const expectation = expectations[name as SelfDescribingValueName];
    if (expectation === undefined)
      throw new TypeError(`The table of values has no expectation for "${name}".`);
    return {
      name,
      value,
      ...(largeValues.has(name) ? { isLarge: true } : {}),
      ...(expectation === "refused" ? { isRefused: true } : {}),
      ...(typeof expectation === "object" ? { becomes: { value: expectation.becomes } } : {}),
    };
  });
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
