import {
  type Expectation,
  type SerializerSubject,
  selfDescribingValues,
  serializerCases,
} from "@waybill/conformance";
import { describe, it } from "vitest";
import { msgpack } from "./msgpack-serializer.js";

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
  NaN: "same",
  Infinity: "same",
  "-Infinity": "same",
  "a small bigint": { becomes: 5 },
  "the largest signed 64-bit integer": "same",
  "the smallest signed 64-bit integer": "same",
  "the largest unsigned 64-bit integer": "same",
  "a bigint beyond 64 bits": "refused",
  "the empty string": "same",
  "a string": "same",
  "a string of many scripts": "same",
  "a string of control characters": "same",
  "a string of 100,000 characters": "same",
  "a lone surrogate": "refused",
  "a long string with a lone surrogate": "refused",
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
  "a date": "same",
  "an invalid date": "refused",
  "an object with a date": "same",
  bytes: "same",
  "an object with bytes": "same",
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

describe("msgpack() obeys the law for serializers", () => {
  const subject: SerializerSubject = {
    create: () => msgpack(),
    values: selfDescribingValues(expectations),
    marked: (marker) => ({ note: marker }),
    nesting: {
      value: (depth) => nested(depth),
      bytes: (depth) => new Uint8Array(depth).fill(0x91, 0, depth - 1).fill(0x90, depth - 1),
    },
    bodies: [
      {
        name: "integers of every width, @msgpack/msgpack 3.1.3",
        bytes: hex("96 07 cc ff cd ffff ce ffffffff cf 0000000000000005 d3 ffffffffffffffff"),
        value: [7, 255, 65_535, 4_294_967_295, 5, -1],
      },
      {
        name: "timestamps of 4, 8 and 12 bytes",
        bytes: hex("93 d6ff 00000001 d7ff 0000000400000001 c70cff 00000000 0000000000000001"),
        value: [new Date(1000), new Date(1000), new Date(1000)],
      },
      { name: "a 32-bit float", bytes: hex("91 ca 3fc00000"), value: [1.5] },
    ],
    hostile: [
      { name: "a string that is not UTF-8", bytes: hex("91 a1 ff"), reason: "utf8-invalid" },
      { name: "a key that is not UTF-8", bytes: hex("81 a1 ff 01"), reason: "utf8-invalid" },
      { name: "the byte that is never used", bytes: hex("91 c1"), reason: "malformed" },
      {
        name: "a __proto__ key",
        bytes: hex("81 a9 5f5f70726f746f5f5f 81 a1 61 c3"),
        reason: "key-forbidden",
      },
      { name: "a key that is a number", bytes: hex("81 01 01") },
      { name: "a key that is nil", bytes: hex("81 c0 01") },
      { name: "a record of msgpackr", bytes: hex("91 d4 72 40 91 a1 61 01"), reason: "type-forbidden" },
      { name: "a set of msgpackr", bytes: hex("91 d4 73 00 91 01"), reason: "type-forbidden" },
      {
        name: "a regular expression of msgpackr",
        bytes: hex("91 d4 78 00 92 a1 61 a0"),
        reason: "type-forbidden",
      },
      { name: "an error of msgpackr", bytes: hex("91 d4 65 00 93 a1 61 a1 62 c0"), reason: "type-forbidden" },
      { name: "a bigint of msgpackr", bytes: hex("91 c7 01 42 05"), reason: "type-forbidden" },
      { name: "bundled strings of msgpackr", bytes: hex("91 d6 62 00000000"), reason: "type-forbidden" },
      { name: "a timestamp of 5 bytes", bytes: hex("91 c7 05 ff 0000000001") },
      { name: "an array that promises 2^32-1 items", bytes: hex("91 dd ffffffff c0") },
      { name: "a map that promises 2^32-1 entries", bytes: hex("91 df ffffffff a1 61 01") },
      { name: "arrays in arrays that each promise 65,535 items", bytes: hex("dcffff ".repeat(100)) },
    ],
    recognises: ["msgpack"],
  };
  for (const { name, run } of serializerCases(subject)) it(name, run);
});

function nested(depth: number): unknown {
  return Array.from({ length: depth - 1 }).reduce<unknown>((inner) => [inner], []);
}

function hex(text: string): Uint8Array {
  return Uint8Array.from(text.replaceAll(" ", "").match(/../g)!, (pair) => Number.parseInt(pair, 16));
}
