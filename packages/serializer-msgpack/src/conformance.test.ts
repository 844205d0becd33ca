import { type SerializerSubject, selfDescribingValues, serializerCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { msgpack } from "./msgpack-serializer.js";

/** Written by Debian's python3-msgpack 1.0.3-2+b1 with `msgpack.packb(value, datetime=True).hex()`. */
const pythonBodies = {
  order:
    "86a26964a6412d31303432a8637573746f6d6572a45a6fc3aba6616d6f756e74cb40603e6666666666a470616964c3a46e6f7465c0a56c696e6573" +
    "9282a3736b75a46c616d70a87175616e746974790282a3736b75a462756c62a87175616e746974790c",
  integers:
    "dc0014007fcc80ccffcd0100cdffffce00010000ceffffffffcf0000000100000000cf001fffffffffffffffe0d0dfd080d1ff7fd18000d2ffff7f" +
    "ffd280000000d3ffffffff7fffffffd3ffe0000000000001",
  wideIntegers: "93cf7fffffffffffffffd38000000000000000cfffffffffffffffff",
  bytes: "81a77061796c6f6164c406000102fdfeff",
  timestamps: "93d6ff6aec77f0d7ffbc1cbd006aec77f0c70cff1dcd6500ffffffffffffffff",
};

const order = {
  id: "A-1042",
  customer: "Zoë",
  amount: 129.95,
  paid: true,
  note: null,
  lines: [
    { sku: "lamp", quantity: 2 },
    { sku: "bulb", quantity: 12 },
  ],
};
const integers = [
  ...[0, 127, 128, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, 9_007_199_254_740_991],
  ...[-1, -32, -33, -128, -129, -32_768, -32_769, -2_147_483_648, -2_147_483_649, -9_007_199_254_740_991],
];
const instants = ["2026-11-05T12:34:56Z", "2026-11-05T12:34:56.789Z", "1969-12-31T23:59:59.5Z"];

const subject: SerializerSubject = {
  create: () => msgpack(),
  values: selfDescribingValues(),
  marked: (marker) => ({ order: [{ note: `${marker}é` }] }),
  items: (count) => [...Array(count - 1).fill(0), []],
  nesting: {
    value: (depth) => {
      let value: unknown = [1];
      for (let level = 1; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
      return value;
    },
    bytes: (depth) => {
      const bytes = new Uint8Array(depth + 1).fill(0x91);
      bytes[depth] = 0x07;
      return bytes;
    },
  },
  recognises: ["msgpack"],
  bodies: [
    {
      name: "an order of Python msgpack 1.0.3",
      bytes: Buffer.from(pythonBodies.order, "hex"),
      value: order,
    },
    {
      name: "integers of every width of Python msgpack 1.0.3",
      bytes: Buffer.from(pythonBodies.integers, "hex"),
      value: integers,
    },
    {
      name: "64-bit integers of Python msgpack 1.0.3",
      bytes: Buffer.from(pythonBodies.wideIntegers, "hex"),
      value: [2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n - 1n],
    },
    {
      name: "bytes of Python msgpack 1.0.3",
      bytes: Buffer.from(pythonBodies.bytes, "hex"),
      value: { payload: Uint8Array.of(0, 1, 2, 253, 254, 255) },
    },
    {
      name: "timestamps of 32, 64 and 96 bits of Python msgpack 1.0.3",
      bytes: Buffer.from(pythonBodies.timestamps, "hex"),
      value: instants.map((instant) => new Date(instant)),
    },
    {
      name: "integers of every width",
      bytes: hex("96 07 cc ff cd ff ff ce ff ff ff ff cf 00 00 00 00 00 00 00 05 d3 ff ff ff ff ff ff ff ff"),
      value: [7, 255, 65_535, 4_294_967_295, 5, -1],
    },
    {
      name: "timestamps of 4, 8 and 12 bytes",
      bytes: hex(
        "93 d6 ff 00 00 00 01 d7 ff 00 00 00 00 00 00 00 01 c7 0c ff 00 00 00 00 00 00 00 00 00 00 00 01",
      ),
      value: [new Date(1000), new Date(1000), new Date(1000)],
    },
    {
      name: "the first and the last timestamp that is a date",
      bytes: hex(
        "92 c7 0c ff 00 00 00 00 00 00 07 db a8 21 80 00 c7 0c ff 00 00 00 00 ff ff f8 24 57 de 80 00",
      ),
      value: [new Date(8.64e15), new Date(-8.64e15)],
    },
    { name: "a 32-bit float", bytes: hex("91 ca 3f c0 00 00"), value: [1.5] },
  ],
  hostile: [
    { name: "the unused byte 0xc1", bytes: Uint8Array.of(0x91, 0xc1), reason: "malformed" },
    { name: "a record extension", bytes: hex("92 d4 72 40 91 a1 61 40 01"), reason: "type-forbidden" },
    { name: "an undefined extension", bytes: hex("91 d4 00 00"), reason: "type-forbidden" },
    { name: "a set extension", bytes: hex("d4 73 00 91 01"), reason: "type-forbidden" },
    { name: "an error extension", bytes: hex("d4 65 00 93 a1 45 a1 6d c0"), reason: "type-forbidden" },
    { name: "a regular expression", bytes: hex("d4 78 00 92 a1 61 a0"), reason: "type-forbidden" },
    { name: "a pointer extension", bytes: hex("91 d6 70 00 00 00 01"), reason: "type-forbidden" },
    { name: "a typed array", bytes: hex("c7 02 74 01 07"), reason: "type-forbidden" },
    { name: "a large bigint", bytes: hex("c7 02 42 01 07"), reason: "type-forbidden" },
    { name: "bundled strings", bytes: hex("91 d6 62 00 00 00 01"), reason: "type-forbidden" },
    { name: "an array count bomb", bytes: hex("dd ff ff ff ff"), reason: "count-exceeded" },
    { name: "a map count bomb", bytes: hex("df 7f ff ff ff"), reason: "count-exceeded" },
    { name: "a nested count bomb", bytes: hex("92 dd 00 00 00 02 01"), reason: "count-exceeded" },
    { name: "a string longer than the body", bytes: hex("db ff ff ff ff 61"), reason: "truncated" },
    { name: "bytes longer than the body", bytes: hex("c6 ff ff ff ff 61"), reason: "truncated" },
    { name: "ill-formed UTF-8", bytes: hex("a2 c3 28"), reason: "utf8-invalid" },
    { name: "an encoded surrogate", bytes: hex("a3 ed a0 80"), reason: "utf8-invalid" },
    { name: "an integer key", bytes: hex("81 01 02"), reason: "key-forbidden" },
    { name: "a nil key", bytes: hex("81 c0 02"), reason: "key-forbidden" },
    { name: "a __proto__ key", bytes: hex("81 a9 5f 5f 70 72 6f 74 6f 5f 5f 80"), reason: "key-forbidden" },
    {
      name: "a constructor.prototype path",
      bytes: hex("81 ab 63 6f 6e 73 74 72 75 63 74 6f 72 81 a9 70 72 6f 74 6f 74 79 70 65 01"),
      reason: "key-forbidden",
    },
    {
      name: "a timestamp beyond any date",
      bytes: hex("c7 0c ff 00 00 00 00 7f ff ff ff ff ff ff ff"),
      reason: "value-out-of-range",
    },
    {
      name: "a timestamp one nanosecond beyond any date",
      bytes: hex("c7 0c ff 00 00 00 01 00 00 07 db a8 21 80 00"),
      reason: "value-out-of-range",
    },
    {
      name: "a timestamp of too many nanoseconds",
      bytes: hex("d7 ff ff ff ff fc 00 00 00 00"),
      reason: "value-out-of-range",
    },
  ],
};

describe("msgpack", () => {
  for (const { name, run } of serializerCases(subject)) it(name, run);
});

function hex(text: string): Uint8Array {
  return Uint8Array.from(text.split(" "), (byte) => Number.parseInt(byte, 16));
}
