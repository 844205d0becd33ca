import type { AvroSchema } from "@waybill/serializer-avro";

/** A small body that becomes a large value. */
export interface Shape {
  readonly contentType: string;
  /** For Avro: the schema, and the value whose body gives the header. */
  readonly schema?: AvroSchema;
  readonly sample?: unknown;
  /** The bytes, before compression and without a header. */
  readonly make: () => Buffer;
  /** The reason of its refusal; undefined for a body within the limits. */
  readonly reason?: string;
  readonly isUncompressed?: true;
}

export const mebibyte = 1024 * 1024;

/** The default limit of decompressed bodies, minus a header. */
const size = 16 * mebibyte - 16;

/** The default limit on items of large bodies. */
const mostItems = 1_048_576;

const json = "application/json";
const msgpack = "application/vnd.msgpack";
const avro = "application/avro";

/** Bodies that must be refused cheaply. */
export const refused: Readonly<Record<string, Shape>> = {
  "JSON: arrays in arrays": refusal("depth-exceeded", json, () => Buffer.alloc(size, "[")),
  "JSON: objects in objects": refusal("depth-exceeded", json, () => Buffer.alloc(size, '{"a":')),
  "JSON: empty arrays": refusal("items-exceeded", json, () => jsonOf("[", "]", () => "[]")),
  "JSON: zeros": refusal("items-exceeded", json, () => jsonOf("[", "]", () => "0")),
  "JSON: an object of many keys": refusal("items-exceeded", json, () =>
    jsonOf("{", "}", (index) => `"${name(index, 5)}":0`),
  ),
  "JSON: objects with keys of their own": refusal("items-exceeded", json, () =>
    jsonOf("[", "]", (index) => `{"${name(index, 5)}":0}`),
  ),
  "JSON: one number of 16 million digits": refusal("value-out-of-range", json, () =>
    Buffer.concat([Buffer.from("["), Buffer.alloc(size - 2, "7"), Buffer.from("]")]),
  ),
  "JSON: wrong in its last character": refusal("malformed", json, () =>
    Buffer.concat([jsonOf("[", ",", (index) => `"\\u0041${name(index, 12)}"`), Buffer.from("}")]),
  ),
  "JSON: 100 MiB of arrays in arrays, not compressed": {
    contentType: json,
    make: () => Buffer.alloc(100 * mebibyte, "["),
    reason: "depth-exceeded",
    isUncompressed: true,
  },
  "MessagePack: empty byte strings": refusal("items-exceeded", msgpack, () => msgpackOf(0xdd, [0xc4, 0])),
  "MessagePack: nils": refusal("items-exceeded", msgpack, () => msgpackOf(0xdd, [0xc0])),
  "MessagePack: empty maps": refusal("items-exceeded", msgpack, () => msgpackOf(0xdd, [0x80])),
  "MessagePack: arrays in arrays": refusal("depth-exceeded", msgpack, () => Buffer.alloc(size, 0x91)),
  "MessagePack: a map of empty strings": refusal("items-exceeded", msgpack, () =>
    msgpackOf(0xdf, [0xa0, 0xa0]),
  ),
  "Avro: empty arrays": {
    ...arrayShape({ type: "array", items: "null" }),
    make: () => avroOf([0]),
    reason: "items-exceeded",
  },
  "Avro: items of no bytes": {
    ...arrayShape({ type: "array", items: "null" }),
    // Each array is one block of 63 nulls.
    make: () => avroOf([0x7e, 0]),
    reason: "items-exceeded",
  },
  "Avro: records of no bytes": {
    ...arrayShape({
      type: "record",
      name: "Nothing",
      fields: Array.from({ length: 100 }, (_, index) => ({ name: `f${index}`, type: "null" })),
    }),
    make: () => Buffer.from([...long(10_000), 0]),
    reason: "items-exceeded",
  },
  "Avro: a map of empty strings": {
    contentType: avro,
    schema: { type: "map", values: "string" },
    sample: {},
    make: () => avroOf([0, 0]),
    reason: "items-exceeded",
  },
};

/** Bodies at the limits, of values that need the most memory. */
export const allowed: Readonly<Record<string, Shape>> = {
  "JSON: objects with keys of their own": {
    contentType: json,
    make: () => jsonOf("[", "]", (index) => `{"${name(index, 8)}":{}}`, mostItems / 2),
  },
  "JSON: an object of many keys": {
    contentType: json,
    make: () => jsonOf("{", "}", (index) => `"${name(index, 8)}":{}`, mostItems),
  },
  "JSON: integers beyond 2^53": {
    contentType: json,
    make: () => jsonOf("[", "]", () => "12345678901234567"),
  },
  "JSON: 100 MiB of text of two bytes a character, not compressed": {
    contentType: json,
    make: () =>
      Buffer.concat([
        Buffer.from('["€'),
        Buffer.alloc(100 * mebibyte - 32, "x"),
        Buffer.from('",12345678901234567]'),
      ]),
    isUncompressed: true,
  },
  "MessagePack: byte strings": {
    contentType: msgpack,
    make: () => msgpackOf(0xdd, [0xc4, 15, ...Buffer.alloc(15)], mostItems / 4),
  },
  "MessagePack: maps with keys of their own": {
    contentType: msgpack,
    make: () => {
      const head = [0xdd, ...uint32(mostItems / 2)];
      const maps = Array.from({ length: mostItems / 2 }, (_, index) => `\x81\xac${name(index, 12)}\x80`);
      return Buffer.concat([Buffer.from(head), Buffer.from(maps.join(""), "latin1")]);
    },
  },
};

function refusal(reason: string, contentType: string, make: Shape["make"]): Shape {
  return { contentType, make, reason };
}

function arrayShape(items: AvroSchema): Pick<Shape, "contentType" | "schema" | "sample"> {
  return { contentType: avro, schema: { type: "array", items }, sample: [] };
}

/** As many items as fit, or as requested, separated by commas. */
function jsonOf(open: string, close: string, item: (index: number) => string, count = mostPossible): Buffer {
  const body = Buffer.alloc(size);
  let end = body.write(open);
  for (let index = 0; index < count; index++) {
    const text = (index === 0 ? "" : ",") + item(index);
    if (end + text.length + close.length > size) break;
    end += body.write(text, end, "latin1");
  }
  end += body.write(close, end);
  return body.subarray(0, end);
}

const mostPossible = Number.POSITIVE_INFINITY;

function msgpackOf(
  head: number,
  item: readonly number[],
  count = Math.floor((size - 5) / item.length),
): Buffer {
  return Buffer.concat([
    Buffer.from([head, ...uint32(count)]),
    Buffer.alloc(count * item.length, Buffer.from(item)),
  ]);
}

/** One block of as many items as fit. */
function avroOf(item: readonly number[]): Buffer {
  const count = Math.floor((size - 8) / item.length);
  return Buffer.concat([
    Buffer.from(long(count)),
    Buffer.alloc(count * item.length, Buffer.from(item)),
    Buffer.from([0]),
  ]);
}

/** The variable-length zig-zag form of a count. */
function long(count: number): number[] {
  const bytes: number[] = [];
  let rest = count * 2;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function name(index: number, length: number): string {
  return index.toString(36).padStart(length, "0");
}
