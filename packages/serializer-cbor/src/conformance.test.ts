import { type SerializerSubject, selfDescribingValues, serializerCases } from "@waybill/conformance";
import { Encoder, encode as encodeOfNode } from "cbor-x";
import { describe, it } from "vitest";
import { cbor } from "./cbor-serializer.js";

/** Written by Debian's python3-cbor2 5.4.6-1+b1 with `cbor2.dumps(value).hex()`. */
const pythonBodies = {
  order:
    "a662696466412d3130343268637573746f6d6572645a6fc3ab66616d6f756e74fb40603e66666666666470616964f5646e6f7465f6656c696e657382" +
    "a263736b75646c616d70687175616e7469747902a263736b756462756c62687175616e746974790c",
  integers:
    "9400187f188018ff19010019ffff1a000100001affffffff1b00000001000000001b001fffffffffffff20381f3820387f3880397fff3980003a7fff" +
    "ffff3a800000003b001ffffffffffffe",
  wideIntegers:
    "851b7fffffffffffffff3b7fffffffffffffff1bffffffffffffffffc249400000000000000000c3493fffffffffffffffff",
  bytes: "a1677061796c6f616446000102fdfeff",
  dates:
    "82c074323032362d31312d30355431323a33343a35365ac0781b323032362d31312d30355431323a33343a35362e3738393030305a",
  epoch: "81c1fb41dabb1dfc200000",
  decimals: "86c482211932c3c4822220c4820301c48221c24942ed123b0bd8203a14c4822100c4822a0f",
  others: "82d8255012345678123456781234567812345678d901028101",
  halfFloats: "84f93e00fb3fb999999999999af97c00f98000",
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
const instants = ["2026-11-05T12:34:56Z", "2026-11-05T12:34:56.789Z"];

const subject: SerializerSubject = {
  create: () => cbor(),
  values: selfDescribingValues({
    "a bigint beyond 64 bits": "same",
  }),
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
  items: (count) => Array.from({ length: count }, (_, index) => index),
  isRecognisable: false,
  recognises: ["cbor"],
  bodies: [
    {
      name: "an order of Python cbor2 5.4.6",
      bytes: Buffer.from(pythonBodies.order, "hex"),
      value: order,
    },
    {
      name: "integers of every width of Python cbor2 5.4.6",
      bytes: Buffer.from(`94${pythonBodies.integers.slice(2)}`, "hex"),
      value: integers,
    },
    {
      name: "integers of 64 bits and beyond of Python cbor2 5.4.6",
      bytes: Buffer.from(pythonBodies.wideIntegers, "hex"),
      value: [2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n - 1n, 2n ** 70n, -(2n ** 70n)],
    },
    {
      name: "bytes of Python cbor2 5.4.6",
      bytes: Buffer.from(pythonBodies.bytes, "hex"),
      value: { payload: Uint8Array.of(0, 1, 2, 253, 254, 255) },
    },
    {
      name: "dates as text of Python cbor2 5.4.6",
      bytes: Buffer.from(pythonBodies.dates, "hex"),
      value: instants.map((instant) => new Date(instant)),
    },
    {
      name: "a date as a number of Python cbor2 5.4.6",
      bytes: Buffer.from(pythonBodies.epoch, "hex"),
      value: [new Date("2026-11-05T12:34:56.500Z")],
    },
    {
      name: "dates with fractions of a millisecond, which are dropped towards the past",
      bytes: Uint8Array.of(
        0x85,
        ...epoch(1_793_923_199.9999995),
        ...epoch(-0.0001),
        ...epoch(1.001),
        ...epoch(-1.001),
        ...epoch(-1e-20),
      ),
      value: [
        new Date("2026-11-05T23:59:59.999Z"),
        new Date(-1),
        new Date(1_001),
        new Date(-1_001),
        new Date(-1),
      ],
    },
    {
      name: "dates as text with seven digits",
      bytes: Uint8Array.of(
        0x82,
        ...date("2026-11-05T23:59:59.9999999Z"),
        ...date("1969-12-31T23:59:59.9999999Z"),
      ),
      value: [new Date("2026-11-05T23:59:59.999Z"), new Date(-1)],
    },
    {
      name: "floats of the smallest width of Python cbor2 5.4.6",
      bytes: Buffer.from(pythonBodies.halfFloats, "hex"),
      value: [1.5, 0.1, Number.POSITIVE_INFINITY, -0],
    },
    { name: "an array of indefinite length", bytes: hex("9f 01 82 02 03 ff"), value: [1, [2, 3]] },
    {
      name: "a map of indefinite length",
      bytes: hex("bf 61 61 01 61 62 9f 02 ff ff"),
      value: { a: 1, b: [2] },
    },
    {
      name: "integers with more bytes than needed",
      bytes: hex("82 18 01 1b 00 00 00 00 00 00 00 05"),
      value: [1, 5],
    },
    {
      name: "a string in chunks, from RFC 8949, 3.2.3",
      bytes: hex("a1 61 61 7f 63 61 62 63 62 c3 a9 60 ff"),
      value: { a: "abcé" },
    },
    { name: "bytes in chunks", bytes: hex("81 5f 42 01 02 41 03 ff"), value: [Uint8Array.of(1, 2, 3)] },
    { name: "a string that begins with U+FEFF", bytes: hex("81 64 ef bb bf 61"), value: ["\uFEFFa"] },
    {
      name: "a large integer and a string that begins with U+FEFF",
      bytes: hex("82 64 ef bb bf 61 1b 7f ff ff ff ff ff ff ff"),
      value: ["\uFEFFa", 2n ** 63n - 1n],
    },
    {
      name: "decimals of Python cbor2 5.4.6",
      bytes: Buffer.from(pythonBodies.decimals, "hex"),
      value: ["129.95", "-0.001", "1E+3", "12345678901234567890.12", "0.00", "1.5E-10"],
    },
    {
      name: "UUID, date and set of Python cbor2 5.4.6",
      bytes: Buffer.from(pythonBodies.others, "hex"),
      value: ["12345678-1234-5678-1234-567812345678", [1]],
    },
    {
      name: "dates as days and as text, RFC 8943",
      bytes: hex("82 d8 64 19 50 67 d9 03 ec 6a 32 30 32 36 2d 31 31 2d 30 35"),
      value: ["2026-05-10", "2026-11-05"],
    },
    {
      name: "members and items that are undefined",
      bytes: hex("a3 61 61 f7 61 62 82 f7 01 61 63 81 a1 61 64 f7"),
      value: { b: [null, 1], c: [{}] },
    },
    {
      name: "bytes of cbor-x",
      bytes: encodeOfNode({ a: Uint8Array.of(1, 2) }),
      value: { a: Uint8Array.of(1, 2) },
    },
    { name: "an undefined member of cbor-x", bytes: encodeOfNode({ a: undefined, b: 1 }), value: { b: 1 } },
    {
      name: "records of cbor-x",
      bytes: new Encoder().encode({
        a: 1,
        b: [{ a: 2, b: [{ a: 3, b: "\uFEFFx" }] }, { c: {} }, { c: { a: 4, b: 5 } }],
      }),
      value: { a: 1, b: [{ a: 2, b: [{ a: 3, b: "\uFEFFx" }] }, { c: {} }, { c: { a: 4, b: 5 } }] },
    },
    {
      name: "records of cbor-x whose ids are used again",
      bytes: new Encoder().encode(Array.from({ length: 1_000 }, (_, index) => ({ [`k${index}`]: index }))),
      value: Array.from({ length: 1_000 }, (_, index) => ({ [`k${index}`]: index })),
    },
    { name: "a self-described map", bytes: hex("d9 d9 f7 a1 61 61 01"), value: { a: 1 } },
  ],
  hostile: [
    { name: "a reserved length", bytes: hex("81 1c"), reason: "malformed" },
    { name: "only a break code", bytes: hex("81 ff") },
    { name: "a break code in the middle of an entry", bytes: hex("bf 61 61 ff") },
    { name: "undefined", bytes: hex("f7"), reason: "type-forbidden" },
    {
      name: "a record that the body does not define",
      bytes: hex("d9 e0 00 81 01"),
      reason: "type-forbidden",
    },
    {
      name: "a record with a duplicate key",
      bytes: hex("d9 df ff 84 19 e0 00 82 61 61 61 61 01 02"),
      reason: "malformed",
    },
    {
      name: "a record with more keys than values",
      bytes: hex("d9 df ff 83 19 e0 00 82 61 61 61 62 01"),
      reason: "malformed",
    },
    {
      name: "a record with more values than keys",
      bytes: hex("82 d9 df ff 83 19 e0 00 81 61 61 01 d9 e0 00 82 01 02"),
      reason: "malformed",
    },
    {
      name: "a record with a __proto__ key",
      bytes: hex("d9 df ff 83 19 e0 00 81 69 5f 5f 70 72 6f 74 6f 5f 5f a0"),
      reason: "key-forbidden",
    },
    { name: "a record whose keys are cut", bytes: hex("d9 df ff 84 19 e0 00 82 61 61"), reason: "truncated" },
    {
      name: "100,000 records in each other",
      bytes: Buffer.concat([
        hex("d9 df ff 83 19 e0 00 81 61 61"),
        Buffer.from("d9e00081".repeat(100_000), "hex"),
        hex("01"),
      ]),
      reason: "depth-exceeded",
    },
    { name: "a byte array that is not bytes", bytes: hex("d8 40 61 61"), reason: "malformed" },
    { name: "an unassigned simple value", bytes: hex("81 f8 ff"), reason: "type-forbidden" },
    { name: "an unsupported tag", bytes: hex("d8 18 41 01"), reason: "type-forbidden" },
    { name: "a tag 55799 inside", bytes: hex("81 d9 d9 f7 01"), reason: "type-forbidden" },
    { name: "a date that is a number", bytes: hex("c0 01"), reason: "malformed" },
    {
      name: "a date of the year 400,000",
      bytes: hex("c1 1b 00 00 0b 7a 00 00 00 00"),
      reason: "value-out-of-range",
    },
    { name: "a string in chunks of bytes", bytes: hex("7f 41 61 ff"), reason: "malformed" },
    { name: "a string in chunks that are in chunks", bytes: hex("7f 7f 61 61 ff ff"), reason: "malformed" },
    { name: "a string in chunks without an end", bytes: hex("7f 61 61"), reason: "truncated" },
    {
      name: "a character divided between two chunks",
      bytes: hex("7f 61 c3 61 a9 ff"),
      reason: "utf8-invalid",
    },
    { name: "a date of February 30", bytes: date("2026-02-30T00:00:00Z"), reason: "malformed" },
    { name: "a date that is not RFC 3339", bytes: date("5 November 2026"), reason: "malformed" },
    { name: "a decimal of three parts", bytes: hex("c4 83 01 02 03"), reason: "malformed" },
    {
      name: "a decimal of a huge exponent",
      bytes: hex("c4 82 1a 7f ff ff ff 01"),
      reason: "value-out-of-range",
    },
    {
      name: "a decimal of more than 128 bytes",
      bytes: Uint8Array.of(0xc4, 0x82, 0x21, 0xc2, 0x58, 129, ...new Uint8Array(129).fill(0xab)),
      reason: "value-out-of-range",
    },
    { name: "an integer of 16 MB", bytes: wideInteger(16_000_000), reason: "value-out-of-range" },
    { name: "a UUID of 15 bytes", bytes: hex(`d8 25 4f${" 00".repeat(15)}`), reason: "malformed" },
    { name: "100,000 nested tags", bytes: new Uint8Array(100_000).fill(0xd5), reason: "type-forbidden" },
    { name: "an array count bomb", bytes: hex("9a ff ff ff ff"), reason: "count-exceeded" },
    { name: "a map count bomb", bytes: hex("bb 7f ff ff ff ff ff ff ff"), reason: "count-exceeded" },
    {
      name: "a string longer than the body",
      bytes: hex("7b 00 00 00 01 00 00 00 00 61"),
      reason: "truncated",
    },
    { name: "bytes longer than the body", bytes: hex("5a ff ff ff ff 61"), reason: "truncated" },
    { name: "ill-formed UTF-8", bytes: hex("62 c3 28"), reason: "utf8-invalid" },
    { name: "an integer key", bytes: hex("a1 01 02"), reason: "key-forbidden" },
    { name: "a duplicate key", bytes: hex("a2 61 61 01 61 61 02") },
    { name: "a __proto__ key", bytes: hex("a1 69 5f 5f 70 72 6f 74 6f 5f 5f a0"), reason: "key-forbidden" },
    {
      name: "a constructor.prototype path",
      bytes: hex("a1 6b 63 6f 6e 73 74 72 75 63 74 6f 72 a1 69 70 72 6f 74 6f 74 79 70 65 01"),
      reason: "key-forbidden",
    },
  ],
};

describe("cbor", () => {
  for (const { name, run } of serializerCases(subject)) it(name, run);
});

describe("cbor with selfDescribed", () => {
  const marked: SerializerSubject = {
    ...subject,
    create: () => cbor({ selfDescribed: true }),
    isRecognisable: true,
    recognises: ["cbor"],
  };
  for (const { name, run } of serializerCases(marked)) it(name, run);
});

function date(text: string): Uint8Array {
  return Uint8Array.of(
    0xc0,
    ...(text.length < 24 ? [0x60 + text.length] : [0x78, text.length]),
    ...Buffer.from(text),
  );
}

/** Tag 1 with a double. */
function epoch(seconds: number): Uint8Array {
  const bytes = Buffer.alloc(10);
  bytes.set([0xc1, 0xfb]);
  bytes.writeDoubleBE(seconds, 2);
  return bytes;
}

function wideInteger(length: number): Uint8Array {
  const bytes = new Uint8Array(length + 6).fill(0xff);
  bytes.set([0xc2, 0x5a]);
  new DataView(bytes.buffer).setUint32(2, length);
  return bytes;
}

function hex(text: string): Uint8Array {
  return Uint8Array.from(text.split(" "), (byte) => Number.parseInt(byte, 16));
}
