import { bytes, text } from "@waybill/core";
import { describe, it } from "vitest";
import {
  type Expectation,
  type SelfDescribingValueName,
  selfDescribingValues,
} from "./self-describing-values.js";
import { serializerCases } from "./serializer-cases.js";
import type { SerializerSubject } from "./serializer-subject.js";
import { strictJsonSubject } from "./strict-json.test-support.js";

const textSubject: SerializerSubject = {
  create: () => text(),
  values: [
    ...allRefusedExcept({
      "the empty string": "same",
      "a string": "same",
      "a string of many scripts": "same",
      "a string of control characters": "same",
      "a string of 100,000 characters": "same",
    }),
    { name: "a byte order mark", value: "\ufeffhello" },
    { name: "US-ASCII", value: "hello", message: { contentType: "text/plain; charset=us-ascii" } },
    {
      name: "more than the US-ASCII that the content type names",
      value: "Zoë",
      message: { contentType: "text/plain; charset=us-ascii" },
      isRefused: true,
    },
    {
      name: "a charset that is not supported",
      value: "hello",
      message: { contentType: "text/plain; charset=utf-16" },
      isRefused: true,
    },
  ],
  marked: (marker) => `${marker}é`,
  nesting: undefined,
  isUnframed: true,
  bodies: [
    {
      name: "UTF-8 that the content type names in upper case",
      bytes: new TextEncoder().encode("Zoë"),
      value: "Zoë",
      message: { contentType: 'text/plain; charset="UTF-8"; format=flowed' },
    },
  ],
  hostile: [
    { name: "ill-formed UTF-8", bytes: Uint8Array.of(0x61, 0xc3), reason: "utf8-invalid" },
    { name: "Latin-1", bytes: Uint8Array.of(0x5a, 0x6f, 0xeb), reason: "utf8-invalid" },
    { name: "an encoded surrogate", bytes: Uint8Array.of(0xed, 0xa0, 0x80), reason: "utf8-invalid" },
    {
      name: "text under the label of another charset",
      bytes: Uint8Array.of(0x61),
      reason: "charset-unsupported",
      message: { contentType: "text/plain; charset=windows-1252" },
    },
    {
      name: "UTF-8 under the label US-ASCII",
      bytes: Uint8Array.of(0xc3, 0xab),
      reason: "malformed",
      message: { contentType: "text/plain; charset=US-ASCII" },
    },
  ],
};

const bytesSubject: SerializerSubject = {
  create: () => bytes(),
  values: [
    ...allRefusedExcept({ bytes: "same" }),
    { name: "no bytes", value: new Uint8Array() },
    { name: "a Buffer", value: Buffer.from("hello"), becomes: { value: new TextEncoder().encode("hello") } },
    { name: "an ArrayBuffer", value: new ArrayBuffer(3), isRefused: true },
  ],
  marked: (marker) => new TextEncoder().encode(marker),
  nesting: undefined,
  isUnframed: true,
};

describe.each([
  ["text", textSubject],
  ["bytes", bytesSubject],
])("%s", (_, subject) => {
  for (const { name, run } of serializerCases(subject)) it(name, run);
});

/** The value table with everything refused except the given values. */
function allRefusedExcept(expectations: Partial<Record<SelfDescribingValueName, Expectation>>) {
  const names = strictJsonSubject().values.map(({ name }) => name as SelfDescribingValueName);
  const refused = Object.fromEntries(names.map((name) => [name, "refused"])) as Record<
    SelfDescribingValueName,
    Expectation
  >;
  return selfDescribingValues({ ...refused, ...expectations });
}
