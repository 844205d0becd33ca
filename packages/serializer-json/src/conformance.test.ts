import { type Expectation, selfDescribingValues, serializerCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { json } from "./json-serializer.js";

const expectations = {
  null: "same",
  true: "same",
  false: "same",
  zero: "same",
  "negative zero": { becomes: 0 },
  "a small integer": "same",
  "a negative integer": "same",
  "an integer beyond 32 bits": "same",
  "the largest safe integer": "same",
  "the smallest safe integer": "same",
  "an integral number beyond 2^53": "same",
  "a fraction": "same",
  "the smallest number": "same",
  "the largest number": "same",
  NaN: "refused",
  Infinity: "refused",
  "-Infinity": "refused",
  "a small bigint": "refused",
  "the largest signed 64-bit integer": "refused",
  "the smallest signed 64-bit integer": "refused",
  "the largest unsigned 64-bit integer": "refused",
  "a bigint beyond 64 bits": "refused",
  "the empty string": "same",
  "a string": "same",
  "a string of many scripts": "same",
  "a string of control characters": "same",
  "a string of 100,000 characters": "same",
  "a lone surrogate": "same",
  "a long string with a lone surrogate": "same",
  "an empty array": "same",
  "an empty object": "same",
  "an array": "same",
  "an order": "same",
  "an array of 70,000 numbers": "same",
  "an object of 70,000 keys": "same",
  "an array of empty containers": "same",
  "an object with an empty key": "same",
  "an object with numeric keys": "same",
  "an object with keys of many scripts": "same",
  "an object with the keys of every object": "same",
  "an object with a __proto__ key": "refused",
  "an object with an undefined member": { becomes: { a: 1 } },
  "an array with an undefined item": "refused",
  "a sparse array": "refused",
  undefined: "refused",
  "a function": "refused",
  "a symbol": "refused",
  "an object with a function": "refused",
  "an object with a symbol": "refused",
  "a date": { becomes: "2026-11-05T12:34:56.789Z" },
  "an invalid date": "refused",
  "an object with a date": { becomes: { at: "2026-11-05T12:34:56.789Z" } },
  bytes: "refused",
  "an object with bytes": "refused",
  "a map": "refused",
  "a map with a key that is not a string": "refused",
  "a set": "refused",
  "a regular expression": "refused",
  "an error": "refused",
  "an instance of a class": { becomes: { amount: 12 } },
  "an object without prototype": "same",
  "an object with toJSON": { becomes: { replaced: true } },
  "an object that holds itself": "refused",
} as const satisfies Record<string, Expectation>;

const shape = {
  marked: (marker: string) => ({ note: marker }),
  nesting: {
    value: (depth: number) => JSON.parse(nested(depth)) as unknown,
    bytes: (depth: number) => encode(nested(depth)),
  },
  hostile: [
    { name: "JSON that is not UTF-8", bytes: Uint8Array.of(0x22, 0xff, 0x22), reason: "utf8-invalid" },
    { name: "a __proto__ key", bytes: encode('{"__proto__":{"isPolluted":true}}'), reason: "key-forbidden" },
    {
      name: "an escaped __proto__ key",
      bytes: encode('[{"\\u005f_proto__":1}]'),
      reason: "key-forbidden",
    },
    { name: "a number beyond all bounds", bytes: encode("[1e400]") },
    { name: "two documents", bytes: encode("{}{}") },
    { name: "a trailing comma", bytes: encode("[1,]"), reason: "malformed" },
    { name: "a comment", bytes: encode("[1/* one */]"), reason: "malformed" },
    { name: "NaN", bytes: encode("[NaN]"), reason: "malformed" },
  ],
  recognises: ["json"],
  recognisesEmptyContainers: true,
} as const;

describe("json() obeys the law for serializers", () => {
  const subject = { create: () => json(), values: selfDescribingValues(expectations), ...shape };
  for (const { name, run } of serializerCases(subject)) it(name, run);
});

describe("json() with bigints, bytes and a schema obeys the law for serializers", () => {
  const subject = {
    create: () => json({ writeBigInts: "number", writeBytes: "base64", schema: { not: { const: "never" } } }),
    values: selfDescribingValues({
      ...expectations,
      "a small bigint": { becomes: 5 },
      "the largest signed 64-bit integer": "same",
      "the smallest signed 64-bit integer": "same",
      "the largest unsigned 64-bit integer": "same",
      "a bigint beyond 64 bits": "same",
      bytes: { becomes: "AAEC/f7/" },
      "an object with bytes": { becomes: { payload: "AAEC/f7/" } },
    }),
    ...shape,
  };
  for (const { name, run } of serializerCases(subject)) it(name, run);
});

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
