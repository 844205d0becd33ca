import { type SerializerSubject, selfDescribingValues, serializerCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { json } from "./json-serializer.js";

const utf8 = new TextEncoder();

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
} as const;

const subject: SerializerSubject = {
  create: () => json(),
  values: selfDescribingValues(expectations),
  marked: (marker) => ({ order: [{ note: `${marker}\u00e9` }] }),
  items: (count) => [...Array(count - 1).fill(0), []],
  nesting: {
    value: (depth) => {
      let value: unknown = [];
      for (let level = 1; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
      return value;
    },
    bytes: (depth) => utf8.encode("[".repeat(depth) + "]".repeat(depth)),
  },
  recognises: ["json", "json-byte-order-mark"],
  recognisesEmptyContainers: true,
  hostile: [
    { name: "a __proto__ key", bytes: utf8.encode('{"__proto__":{"a":1}}'), reason: "key-forbidden" },
    {
      name: "an escaped __proto__ key",
      bytes: utf8.encode('{"\\u005f_proto__":1}'),
      reason: "key-forbidden",
    },
    {
      name: "a constructor.prototype path",
      bytes: utf8.encode('[{"constructor":{"prototype":{"a":1}}}]'),
      reason: "key-forbidden",
    },
    { name: "a number beyond a double", bytes: utf8.encode("[1e400]"), reason: "value-out-of-range" },
    { name: "two documents", bytes: utf8.encode("{}\n{}"), reason: "trailing-bytes" },
    {
      name: "a string of ill-formed UTF-8",
      bytes: Uint8Array.of(0x22, 0xc3, 0x28, 0x22),
      reason: "utf8-invalid",
    },
    {
      name: "an encoded surrogate",
      bytes: Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22),
      reason: "utf8-invalid",
    },
  ],
};

describe("json", () => {
  for (const { name, run } of serializerCases(subject)) it(name, run);
});

describe("json that writes bigints and bytes, validated", () => {
  // Created once: compiling a schema takes longer than most cases.
  const serializer = json({
    writeBigInts: "number",
    writeBytes: "base64",
    schema: { not: { const: "never" } },
  });
  const lenient: SerializerSubject = {
    ...subject,
    create: () => serializer,
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
  };
  for (const { name, run } of serializerCases(lenient)) it(name, run);
});
