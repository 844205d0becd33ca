import { createHash } from "node:crypto";
import fc from "fast-check";
import type { Family } from "./corpus.js";

const seed = 20_261_106;

interface Item {
  readonly id: string;
  readonly quantity: number;
  readonly price: number;
  readonly tags: readonly string[];
}

/**
 * Bodies of formats that the chain does not have, written by hand after their specifications, and what programs put on a wire without any
 * format: measurements, digests, frames of field buses.
 */
export function foreignFormats(): Family[] {
  const items = sampleItems();
  const each = (write: (item: Item, index: number) => Uint8Array) => bodies(items.map(write));
  return [
    ...schemaFormats(each),
    ...selfDescribingFormats(each),
    ...files(each),
    ...rawData(),
    ...textFormats(each),
    ...damagedJson(items),
  ];
}

type Each = (write: (item: Item, index: number) => Uint8Array) => Family["bodies"];

/** Formats whose bytes hold values and tags, and no names. */
function schemaFormats(each: Each): Family[] {
  return [
    { format: "Protocol Buffers of many types", bodies: each((item) => protobuf(item, 1)) },
    {
      format: "Protocol Buffers with field numbers from 16",
      bodies: each((item, n) => protobuf(item, 16 + n)),
    },
    {
      format: "Protocol Buffers with a length in front",
      bodies: each((item) => prefixed(varint, protobuf(item, 1))),
    },
    {
      format: "gRPC frames",
      bodies: each((item) => concat([0, ...uint32(protobuf(item, 1).length)], protobuf(item, 1))),
    },
    {
      format: "Thrift binary",
      bodies: each(({ id, quantity }) =>
        concat(
          [0x80, 1, 0, 1],
          block(uint32, "order"),
          uint32(quantity),
          [11, 0, 1],
          block(uint32, id),
          [8, 0, 2],
          uint32(quantity),
          [0],
        ),
      ),
    },
    {
      format: "Thrift compact",
      bodies: each(({ id, quantity }) =>
        concat(
          [0x82, 0x21, 1],
          block(varint, "order"),
          [0x18],
          block(varint, id),
          [0x15],
          varint(quantity),
          [0],
        ),
      ),
    },
    {
      format: "FlatBuffers",
      bodies: each(({ id, quantity }) =>
        concat(
          [16, 0, 0, 0, 0, 0, 10, 0, 12, 0, 8, 0, 4, 0, 10, 0],
          uint32le(8),
          uint32le(quantity),
          uint32le(id.length),
          id,
          [0],
        ),
      ),
    },
    {
      format: "Cap'n Proto",
      bodies: each(({ id, quantity }) =>
        concat(
          uint32le(0),
          uint32le(4),
          [0, 0, 0, 0, 1, 0, 1, 0],
          uint32le(quantity),
          [0, 0, 0, 0, 5, 0, 0, 0],
          uint32le(8 * id.length + 10),
          id,
          [0],
        ),
      ),
    },
    {
      format: "XDR",
      bodies: each(({ id, quantity }) =>
        concat(uint32(quantity), block(uint32, id), new Uint8Array((4 - (id.length % 4)) % 4)),
      ),
    },
    {
      format: "ASN.1 DER",
      bodies: each(({ id, quantity }) =>
        tlv(
          0x30,
          concat(tlv(0x0c, Buffer.from(id.slice(0, 100))), tlv(0x02, Uint8Array.from(uint32(quantity)))),
        ),
      ),
    },
    {
      format: "ASN.1 BER with context tags",
      bodies: each(({ id, quantity }, n) =>
        concat(
          tlv(0x81 + (n % 15), Buffer.from(id.slice(0, 100))),
          tlv(0xa1, Uint8Array.from(uint32(quantity))),
        ),
      ),
    },
    {
      format: "HL7 MLLP frames",
      bodies: each(({ id }) => concat([0x0b], `MSH|^~\\&|A|B|||20261105||ADT^A01|${id}|P|2.5`, [0x1c, 0x0d])),
    },
  ];
}

function selfDescribingFormats(each: Each): Family[] {
  return [
    {
      format: "Smile",
      bodies: each(({ id, quantity }) =>
        concat(
          [0x3a, 0x29, 0x0a, 1, 0xfa, 0x81],
          "id",
          [0x40 + Math.min(id.length, 31)],
          id.slice(0, 32),
          [0x82],
          "qty",
          [0xc0 + (quantity & 31), 0xfb],
        ),
      ),
    },
    {
      format: "UBJSON",
      bodies: each(({ id, quantity }) =>
        concat(
          "{",
          "U",
          [2],
          "id",
          "SU",
          [id.length & 0xff],
          id,
          "U",
          [3],
          "qty",
          "l",
          uint32(quantity),
          "}",
        ),
      ),
    },
    {
      format: "Bencode",
      bodies: each(({ id, quantity }) => concat(`d2:id${id.length}:${id}3:qtyi${quantity}ee`)),
    },
    {
      format: "CBOR sequence",
      bodies: each(({ id, quantity }) =>
        concat(
          [0x82, 0x60 + Math.min(id.length, 23)],
          id.slice(0, 23),
          [0x1a],
          uint32(quantity),
          [0x81, 0xf6],
        ),
      ),
    },
    {
      format: "CBOR arrays of maps",
      bodies: each(({ quantity, tags }) =>
        concat(
          [0x80 + (tags.length % 24)],
          ...tags.map((tag) => concat([0xa1, 0x61], tag.slice(0, 1) || "a", [quantity % 24])),
        ),
      ),
    },
    {
      format: "CBOR with tags",
      bodies: each(({ id, quantity }) =>
        concat([0xd8, 0x40 + (quantity % 16), 0x40 + Math.min(id.length, 23)], id.slice(0, 23)),
      ),
    },
    {
      format: "Amazon Ion, binary",
      bodies: each(({ id }) => concat([0xe0, 1, 0, 0xea, 0x80 + Math.min(id.length, 13)], id.slice(0, 13))),
    },
    {
      format: "Python pickle",
      bodies: each(({ id, quantity }, n) =>
        concat(
          [0x80, 2 + (n % 4), 0x7d, 0x28, 0x8c, 2],
          "id",
          [0x8c, id.length & 0xff],
          id,
          [0x4a],
          uint32le(quantity),
          "u.",
        ),
      ),
    },
    {
      format: "Java serialization",
      bodies: each(({ id }) => concat([0xac, 0xed, 0, 5, 0x74], block(uint16, id))),
    },
    {
      format: ".NET BinaryFormatter",
      bodies: each(({ id }) =>
        concat(
          [0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 6, 1, 0, 0, 0],
          block(varint, id),
          [0x0b],
        ),
      ),
    },
    {
      format: "PHP serialize",
      bodies: each(({ id, quantity }) =>
        concat(`a:2:{s:2:"id";s:${id.length}:"${id}";s:3:"qty";i:${quantity};}`),
      ),
    },
    {
      format: "Ruby Marshal",
      bodies: each(({ id }) => concat([4, 8, 0x7b, 6, 0x3a, 7], "id", [0x22, (id.length & 0x7f) + 5], id)),
    },
    {
      format: "AMF 3",
      bodies: each(({ id }) => concat([0x0a, 0x0b, 1, 5], "id", [6, ((id.length << 1) | 1) & 0x7f], id, [1])),
    },
    {
      format: "Hessian 2",
      bodies: each(({ id, quantity }) =>
        concat("H", [0x02, 0x00, 0x4d, 0x02], "id", [id.length & 0x1f], id.slice(0, 31), [
          0x90 + (quantity & 0x2f),
          0x5a,
        ]),
      ),
    },
    {
      format: "AMQP encoded maps",
      bodies: each(({ id, quantity }) =>
        concat(
          [0xd1],
          uint32(id.length + 20),
          uint32(4),
          [0xa1, 2],
          "id",
          [0xa1, id.length & 0xff],
          id,
          [0xa1, 3],
          "qty",
          [0x71],
          uint32(quantity),
        ),
      ),
    },
    { format: "Netstrings", bodies: each(({ id }) => concat(`${id.length}:${id},`)) },
    {
      format: "MessagePack of the old specification, in Latin-1",
      bodies: each(({ id, quantity }) =>
        concat(
          [0x82, 0xa4],
          [0x6e, 0xe4, 0x6d, 0x65],
          [0xa0 + Math.min(id.length, 31)],
          id.slice(0, 31),
          [0xa3],
          "qty",
          [quantity & 0x7f],
        ),
      ),
    },
    {
      format: "MessagePack behind a length",
      bodies: each(({ quantity }) =>
        concat(uint32(8), [0x82, 0xa2], "id", [1, 0xa3], "qty", [quantity & 0x7f]),
      ),
    },
    {
      format: "two MessagePack maps in a row",
      bodies: each(({ quantity }) =>
        concat([0x82, 0xa2], "id", [1, 0xa3], "qty", [2], [0x82, 0xa2], "id", [1, 0xa3], "qty", [
          quantity & 0x7f,
        ]),
      ),
    },
    {
      format: "MessagePack with integer keys",
      bodies: each(({ id, quantity }) =>
        concat([0x82, 1, 0xa0 + Math.min(id.length, 31)], id.slice(0, 31), [2, 0xce], uint32(quantity)),
      ),
    },
  ];
}

/** The beginnings of files, with data that could follow. */
function files(each: Each): Family[] {
  const kinds: readonly (readonly [string, readonly number[] | string])[] = [
    ["PNG", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]],
    ["JPEG", [0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0]],
    ["GIF", "GIF89a"],
    ["WebP and WAV", "RIFF"],
    ["MP4", [0, 0, 0, 24, 0x66, 0x74, 0x79, 0x70]],
    ["PDF", "%PDF-1.7\n%âãÏÓ\n"],
    ["ZIP", [0x50, 0x4b, 3, 4, 20, 0, 8, 0]],
    ["Zstandard and LZ4", [0x28, 0xb5, 0x2f, 0xfd, 0x24]],
    ["SQLite", "SQLite format 3\0"],
    ["Parquet", "PAR1"],
    ["WebAssembly", [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]],
    ["MIDI events", [0x92, 60, 64, 0x82, 60, 0]],
  ];
  return kinds.map(([name, start]) => ({
    format: name,
    bodies: each(({ id }, n) => concat(start, digest(`${name} ${id} ${n}`).subarray(0, 4 + (n % 28)))),
  }));
}

/** Bytes without any format, as programs for measurements and keys write them. */
function rawData(): Family[] {
  const sampled = (arbitrary: fc.Arbitrary<Uint8Array>, numRuns = 120) =>
    bodies(fc.sample(arbitrary, { numRuns, seed }));
  const counts = fc.integer({ min: 1, max: 40 });
  const numbers = (
    width: number,
    write: (target: Buffer, value: number, offset: number) => void,
    max: number,
  ) =>
    fc
      .tuple(counts, fc.integer({ min: 0, max }), fc.integer({ min: 1, max: 9 }))
      .map(([count, start, step]) => {
        const target = Buffer.alloc(count * width);
        for (let index = 0; index < count; index++)
          write(target, (start + index * step) % max, index * width);
        return target;
      });
  const byte = fc.integer({ min: 0, max: 255 });
  return [
    {
      format: "arrays of 8-bit measurements",
      bodies: sampled(numbers(1, (to, value, at) => to.writeUInt8(value, at), 256)),
    },
    {
      format: "arrays of 16-bit measurements",
      bodies: sampled(numbers(2, (to, value, at) => to.writeInt16LE(value - 16_384, at), 32_768)),
    },
    {
      format: "arrays of 32-bit floats",
      bodies: sampled(numbers(4, (to, value, at) => to.writeFloatLE(value / 7, at), 5_000)),
    },
    {
      format: "timestamps of 64 bits",
      bodies: sampled(
        numbers(8, (to, value, at) => to.writeBigInt64BE(1_780_000_000_000n + BigInt(value), at), 9_999),
      ),
    },
    {
      format: "UUIDs and digests",
      bodies: bodies(
        Array.from({ length: 400 }, (_, n) => digest(`${n}`).subarray(0, n % 2 === 0 ? 16 : 32)),
      ),
    },
    {
      format: "Modbus frames",
      bodies: sampled(
        fc
          .tuple(byte, byte, byte)
          .map(([unit, low, high]) => Uint8Array.of(unit, 3, 2, high, low, unit ^ low, high)),
      ),
    },
    {
      format: "two bytes, every pair that begins like a container of MessagePack",
      bodies: bodies(
        [...Array.from({ length: 31 }, (_, count) => 0x81 + count), 0xdc, 0xde].flatMap((first) =>
          Array.from({ length: 256 }, (_, second) => Uint8Array.of(first, second)),
        ),
      ),
    },
    {
      format: "a byte beyond ASCII and a line of ASCII",
      bodies: bodies(
        Array.from({ length: 128 }, (_, high) =>
          Array.from({ length: 24 }, (_, length) =>
            concat([0x80 + high], "Order A-1042 was shipped".slice(0, length)),
          ),
        ).flat(),
      ),
    },
    {
      format: "two bytes beyond ASCII and a line of ASCII",
      // As long as the second byte says if it is taken for the length of a key, and a byte for its value.
      bodies: bodies(
        Array.from({ length: 31 }, (_, first) =>
          Array.from({ length: 32 }, (_, key) =>
            [key + 1, 7, 20].map((length) => [first, key, length] as const),
          ),
        )
          .flat(2)
          .map(([first, key, length]) =>
            concat([0x81 + first, 0xa0 + key], "Order A-1042 was shipped on 5 November".slice(0, length)),
          ),
      ),
    },
  ];
}

function textFormats(each: Each): Family[] {
  return [
    { format: "INI", bodies: each(({ id, quantity }) => concat(`[order]\nid=${id}\nqty=${quantity}\n`)) },
    {
      format: "TOML",
      bodies: each(({ id, quantity }) => concat(`[[order]]\nid = "${id}"\nqty = ${quantity}\n`)),
    },
    {
      format: "JavaScript literals",
      bodies: each(({ id, quantity }) => concat(`{id:'${id}',qty:${quantity}}`)),
    },
    {
      format: "Python literals",
      bodies: each(({ id, quantity }) => concat(`{'id': '${id}', 'qty': ${quantity}, 'paid': True}`)),
    },
    {
      format: "JSON lines",
      bodies: each(({ id, quantity }) =>
        concat(`${JSON.stringify({ id })}\n${JSON.stringify({ quantity })}\n`),
      ),
    },
    {
      format: "JSON with a trailing comma",
      bodies: each(({ id, quantity }) => concat(`{"id":${JSON.stringify(id)},"qty":${quantity},}`)),
    },
    { format: "JSON with NaN", bodies: each(({ id }) => concat(`{"id":${JSON.stringify(id)},"price":NaN}`)) },
    { format: "JSON behind a guard", bodies: each(({ id }) => concat(`)]}',\n${JSON.stringify({ id })}`)) },
    { format: "JSONP", bodies: each(({ id }) => concat(`callback(${JSON.stringify({ id })})`)) },
    {
      format: "S-expressions",
      bodies: each(({ id, quantity }) => concat(`(order (id "${id}") (qty ${quantity}))`)),
    },
    { format: "HTML", bodies: each(({ id }) => concat(`<!doctype html><p>${id}</p>`)) },
    {
      format: "EDIFACT",
      bodies: each(({ id, quantity }) => concat(`UNB+UNOA:1+A+B'BGM+220+${id}'QTY+21:${quantity}'`)),
    },
    {
      format: "HTTP messages",
      bodies: each(({ id }) =>
        concat(`POST /orders HTTP/1.1\r\nHost: shop\r\n\r\n${JSON.stringify({ id })}`),
      ),
    },
    {
      format: "PEM and JWT",
      bodies: each(({ id }) =>
        concat(`eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify({ id })).toString("base64url")}.`),
      ),
    },
    {
      format: "logs in brackets",
      bodies: each(({ id }, n) => concat(`[2026-11-05 12:34:${n % 60}] [INFO] order ${id}`)),
    },
    { format: "templates in braces", bodies: each(({ id }) => concat(`{{#order}}${id}{{/order}}`)) },
    {
      format: "legacy .NET text behind a length",
      bodies: each(({ id }) =>
        concat(
          [0x99],
          block((length) => [length & 0xff], id),
        ),
      ),
    },
  ];
}

/** JSON that something happened to: a first byte overwritten, a beginning cut off, a byte beyond UTF-8 among its letters. */
function damagedJson(items: readonly Item[]): Family[] {
  const texts = items.map((item) => Buffer.from(JSON.stringify(item)));
  const damaged = (damage: (text: Buffer, n: number) => Uint8Array) => bodies(texts.map(damage));
  return [
    {
      format: "JSON whose first byte is overwritten",
      bodies: bodies(
        texts
          .slice(0, 8)
          .flatMap((text) =>
            Array.from({ length: 128 }, (_, high) => concat([0x80 + high], text.subarray(1))),
          ),
      ),
    },
    {
      format: "short JSON whose first byte is overwritten",
      bodies: bodies(
        ["[1]", "[1,2]", '{"a":1}', "[true]", "[[1],[2]]"].flatMap((text) =>
          Array.from({ length: 128 }, (_, high) => concat([0x80 + high], text.slice(1))),
        ),
      ),
    },
    { format: "JSON without its first byte", bodies: damaged((text) => text.subarray(1)) },
    {
      format: "JSON with a letter of Latin-1",
      bodies: damaged((text, n) => concat(text.subarray(0, 8), [0xe4 + (n % 27)], text.subarray(8))),
    },
    {
      format: "JSON with a flipped high bit",
      bodies: damaged((text, n) =>
        Buffer.from(text.map((byte, at) => (at === n % text.length ? byte ^ 0x80 : byte))),
      ),
    },
    { format: "JSON behind a length", bodies: damaged((text) => prefixed(uint32, text)) },
    {
      format: "JSON in quotes and backslashes",
      bodies: damaged((text) => Buffer.from(text.toString().replaceAll('"', '\\"'))),
    },
  ];
}

function sampleItems(): Item[] {
  const text = fc.oneof(fc.string({ maxLength: 24 }), fc.constantFrom("A-1042", "lamp", "", "Order 7"));
  const ascii = text.map((value) => value.replace(/[^ -~]|["'\\<>{}]/g, "-"));
  return fc.sample(
    fc.record(
      {
        id: ascii,
        quantity: fc.integer({ min: 0, max: 2_000_000 }),
        price: fc.double({ min: 0, max: 10_000, noNaN: true }),
        tags: fc.array(ascii, { maxLength: 40 }),
      },
      { noNullPrototype: true },
    ),
    { numRuns: 60, seed },
  );
}

function bodies(all: readonly Uint8Array[]): Family["bodies"] {
  return all.filter(({ length }) => length > 0).map((bytes) => ({ bytes: Uint8Array.from(bytes) }));
}

/** A message with a text, a varint, a double, a boolean and repeated texts, its fields numbered from `first`. */
function protobuf({ id, quantity, price, tags }: Item, first: number): Uint8Array {
  const double = Buffer.alloc(8);
  double.writeDoubleLE(price);
  const key = (field: number, wireType: number) => varint((field << 3) | wireType);
  return concat(
    key(first, 2),
    block(varint, id),
    key(first + 1, 0),
    varint(quantity),
    key(first + 2, 1),
    double,
    key(first + 3, 0),
    [1],
    ...tags.slice(0, 3).map((tag) => concat(key(first + 4, 2), block(varint, tag))),
  );
}

function concat(...parts: readonly (string | readonly number[] | Uint8Array)[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Uint8Array.from(part))),
  );
}

function prefixed(length: (size: number) => readonly number[], bytes: Uint8Array): Uint8Array {
  return concat(length(bytes.length), bytes);
}

function block(length: (size: number) => readonly number[], text: string): Uint8Array {
  return prefixed(length, Buffer.from(text));
}

function tlv(tag: number, value: Uint8Array): Uint8Array {
  const length = value.length < 0x80 ? [value.length] : [0x81, value.length & 0xff];
  return concat([tag], length, value);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

function uint16(value: number): number[] {
  return [(value >> 8) & 0xff, value & 0xff];
}

function uint32(value: number): number[] {
  return [...uint16(value >>> 16), ...uint16(value & 0xffff)];
}

function uint32le(value: number): number[] {
  return uint32(value).reverse();
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
