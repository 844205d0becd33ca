import { type SerializerSubject, selfDescribingValues, serializerCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { dotnetBinary } from "./dotnet-serializer.js";
import { readBytes, readExpected } from "./fixtures.test-support.js";

const subject: SerializerSubject = {
  create: () => dotnetBinary(),
  values: selfDescribingValues({ null: "refused" }),
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
