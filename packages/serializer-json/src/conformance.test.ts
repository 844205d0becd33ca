import { type SerializerSubject, selfDescribingValues, serializerCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { json } from "./json-serializer.js";

const utf8 = new TextEncoder();

/** The outcomes with any options. */
const outcomes = {
  NaN: "refused",
  Infinity: "refused",
  "-Infinity": "refused",
  "a lone surrogate": "same",
  "a long string with a lone surrogate": "same",
  "a date": { becomes: "2026-11-05T12:34:56.789Z" },
  "an object with a date": { becomes: { at: "2026-11-05T12:34:56.789Z" } },
} as const;

const subject: SerializerSubject = {
  create: () => json(),
  values: selfDescribingValues({
    ...outcomes,
    "a small bigint": "refused",
    "the largest signed 64-bit integer": "refused",
    "the smallest signed 64-bit integer": "refused",
    "the largest unsigned 64-bit integer": "refused",
    bytes: "refused",
    "an object with bytes": "refused",
  }),
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
      ...outcomes,
      "a bigint beyond 64 bits": "same",
      bytes: { becomes: "AAEC/f7/" },
      "an object with bytes": { becomes: { payload: "AAEC/f7/" } },
    }),
  };
  for (const { name, run } of serializerCases(lenient)) it(name, run);
});
