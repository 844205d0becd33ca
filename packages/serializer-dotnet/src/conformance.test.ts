import { type SerializerSubject, selfDescribingValues, serializerCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { dotnetBinary } from "./dotnet-serializer.js";
import { readBytes, readExpected } from "./fixtures.test-support.js";

const expectations = {
  null: "refused",
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
} as const;

const subject: SerializerSubject = {
  create: () => dotnetBinary(),
  values: selfDescribingValues(expectations),
  marked: (marker) => ({ order: [{ note: `${marker}\u00e9` }] }),
  nesting: {
    value: (depth) => {
      let value: unknown = [];
      for (let level = 1; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
      return value;
    },
    bytes: (depth) => nestedLists(depth),
  },
  items: (count) => Array.from({ length: count }, (_, index) => index),
  recognises: ["dotnet-binary"],
  bodies: ["poco-order", "dynamics-context", "list-string", "dictionary-string-int"].map((name) => ({
    name: `${name}, by DataContractSerializer`,
    bytes: readBytes(`legacy/${name}.bin`),
    value: readExpected(`legacy/${name}.expected.json`),
  })),
  hostile: [
    { name: "a reference to a string table", bytes: readBytes("malformed/dictionary-element.bin") },
    {
      name: "an array of 2^31 items",
      bytes: readBytes("malformed/array-count-2gib.bin"),
      reason: "count-exceeded",
    },
    {
      name: "a second root",
      bytes: readBytes("malformed/trailing-second-root.bin"),
      reason: "trailing-bytes",
    },
  ],
};

/** `ArrayOfanyType` in `anyType` items, with their types, of a given depth. */
function nestedLists(depth: number): Uint8Array {
  const text = (value: string) => [value.length, ...Buffer.from(value)];
  const root = [
    ...[
      0x40,
      ...text("ArrayOfanyType"),
      0x08,
      ...text("http://schemas.microsoft.com/2003/10/Serialization/Arrays"),
    ],
    ...[0x09, ...text("i"), ...text("http://www.w3.org/2001/XMLSchema-instance")],
  ];
  const item = [0x40, ...text("anyType"), 0x2e, ...text("type"), 0x98, ...text("ArrayOfanyType")];
  const bytes = Buffer.alloc(root.length + (item.length + 1) * (depth - 1) + 1, 0x01);
  bytes.set(root);
  for (let level = 0; level < depth - 1; level++) bytes.set(item, root.length + level * item.length);
  return new Uint8Array(bytes);
}

describe("dotnetBinary", () => {
  for (const { name, run } of serializerCases(subject)) it(name, run);
});

describe("dotnetBinary, members of objects", () => {
  const items = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
  const cases = serializerCases({ ...subject, items }).filter((each) => each.name.startsWith("items:"));
  for (const { name, run } of cases) it(name, run);
});
