import assert from "node:assert/strict";
import avsc from "avsc";
import { describe, expect, it } from "vitest";
import { avro } from "./avro-serializer.js";
import { errorOf, framed, read, roundTrip, write } from "./messages.test-support.js";
import type { AvroSchema } from "./schema/normalize-schema.js";

/** The reason for which a payload is refused. */
function reasonOf(schema: AvroSchema, sample: unknown, payload: readonly number[]): string | undefined {
  const serializer = avro({ schema });
  return errorOf(() => read(serializer, framed(serializer, sample, payload))).reason;
}

/** The variable-length zig-zag form of a count. */
function long(value: bigint | number): number[] {
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
  const bytes: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}

const point = { type: "record", name: "Point", fields: [{ name: "x", type: "int" }] } as const;
const empty = { type: "record", name: "Empty", fields: [] } as const;
const arrayOf = (items: AvroSchema) => ({ type: "array", items }) as const;
const mapOf = (values: AvroSchema) => ({ type: "map", values }) as const;
const recordOf = (fields: Record<string, AvroSchema>, name = "Root") => ({
  type: "record",
  name,
  fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
});

describe("reading refuses, unlike avsc,", () => {
  const bombs: [string, AvroSchema, unknown, number[]][] = [
    ["an array of records that claims 100,000,000 items", arrayOf(point), [], long(1e8)],
    ["an array of nulls that claims 200,000,000 items", arrayOf("null"), [], [...long(2e8), 0]],
    ["an array of empty records that claims 200,000,000 items", arrayOf(empty), [], [...long(2e8), 0]],
    ["an array of fixeds of no bytes", arrayOf({ type: "fixed", name: "F", size: 0 }), [], [...long(2e8), 0]],
    ["a map that claims 2^50 entries", mapOf("int"), {}, long(2 ** 50)],
    ["a negative count of 2^50", arrayOf("int"), [], [...long(-(2 ** 50)), 2, 0]],
    ["the smallest long as a count", arrayOf("int"), [], [...long(-(2n ** 63n)), 2, 0]],
    [
      "many small blocks of nulls in an array of arrays",
      arrayOf(arrayOf("null")),
      [],
      [...long(2000), ...Array.from({ length: 2000 }, () => [...long(9000), 0]).flat(), 0],
    ],
  ];
  it.each(bombs)("%s", (_, schema, sample, payload) => {
    expect(reasonOf(schema, sample, payload)).toBe("count-exceeded");
  });

  it("a count of 2^50 in a field that the reader skips", () => {
    for (const skipped of [arrayOf("int"), mapOf("int")]) {
      const writer = recordOf({ a: skipped, b: "int" });
      const reader = recordOf({ b: "int" });
      const serializer = avro({ schema: reader, writerSchemas: [writer] });
      const sample = avro({ schema: writer });
      const body = framed(sample, { a: skipped.type === "array" ? [] : {}, b: 1 }, [...long(2 ** 50), 0, 2]);
      expect(errorOf(() => read(serializer, body)).reason).toBe("count-exceeded");
      const cut = framed(sample, { a: skipped.type === "array" ? [] : {}, b: 1 }, [
        ...long(-1),
        ...long(500),
        0,
        2,
      ]);
      expect(errorOf(() => read(serializer, cut)).reason).toBe("truncated");
    }
  });

  it("a block whose byte size is wrong", () => {
    expect(reasonOf(arrayOf("int"), [], [...long(-1), ...long(2), 4, 6, 0])).toBe("malformed");
    expect(reasonOf(mapOf("int"), {}, [...long(-1), ...long(2), 2, 0x41, 6, 0])).toBe("malformed");
    expect(reasonOf(arrayOf("int"), [], [...long(-1), ...long(-3), 4, 0])).toBe("malformed");
  });

  it("bytes after the value, also with a reader schema", () => {
    expect(reasonOf("int", 1, [2, 0])).toBe("trailing-bytes");
    const writer = recordOf({ a: "int", b: "int" });
    const serializer = avro({ schema: recordOf({ a: "int" }), writerSchemas: [writer] });
    const body = write(avro({ schema: writer }), { a: 1, b: 2 });
    expect(errorOf(() => read(serializer, Uint8Array.of(...body, 0))).reason).toBe("trailing-bytes");
  });

  it("a body that ends at any earlier offset", () => {
    const fields = {
      a: "int",
      b: "string",
      c: arrayOf("double"),
      d: mapOf("bytes"),
      e: ["null", "long"],
      f: "float",
      g: "boolean",
      h: { type: "fixed", name: "F", size: 3 },
      i: { type: "enum", name: "E", symbols: ["A"] },
    } as const;
    const value = {
      a: 300,
      b: "a text of more than sixteen bytes",
      c: [1.5, 2],
      d: { k: Uint8Array.of(1, 2) },
      e: 2 ** 40,
      f: 0.5,
      g: true,
      h: Uint8Array.of(1, 2, 3),
      i: "A",
    };
    const writer = recordOf(fields);
    const readers = [avro({ schema: writer }), avro({ schema: recordOf({ z: "null" }) })];
    readers[1] = avro({
      schema: { ...recordOf({}), fields: [{ name: "z", type: "int", default: 1 }] },
      writerSchemas: [writer],
    });
    const body = write(readers[0]!, value);
    for (const reader of readers)
      for (let length = 0; length < body.length; length++)
        expect(["truncated", "identity-missing"]).toContain(
          errorOf(() => read(reader, body.subarray(0, length))).reason,
        );
    expect(read(readers[1]!, body)).toEqual({ z: 1 });
  });

  it("an int beyond 32 bits", () => {
    expect(reasonOf("int", 1, long(2 ** 40))).toBe("value-out-of-range");
    expect(reasonOf("int", 1, long(2 ** 31))).toBe("value-out-of-range");
    expect(
      reasonOf(
        "int",
        1,
        Array.from({ length: 200 }, () => 0xff),
      ),
    ).toBe("value-out-of-range");
  });

  it("a long beyond 64 bits", () => {
    expect(reasonOf("long", 1, [...Array.from({ length: 9 }, () => 0xff), 2])).toBe("value-out-of-range");
    expect(
      reasonOf(
        "long",
        1,
        Array.from({ length: 200 }, () => 0xff),
      ),
    ).toBe("value-out-of-range");
  });

  it("integers that take more bytes than they need", () => {
    expect(reasonOf("int", 1, [0x82, 0])).toBe("malformed");
    expect(reasonOf("long", 1, [0x80, 0x80, 0x80, 0x80, 0x80, 0])).toBe("malformed");
    expect(reasonOf("string", "", [0x80, 0])).toBe("malformed");
  });

  it("a boolean that is neither 0 nor 1", () => {
    expect(reasonOf("boolean", true, [2])).toBe("malformed");
  });

  it("invalid UTF-8 in strings and map keys, but not a real U+FFFD", () => {
    expect(reasonOf("string", "", [2, 0xff])).toBe("utf8-invalid");
    expect(reasonOf("string", "", [6, 0xed, 0xa0, 0x80])).toBe("utf8-invalid");
    expect(reasonOf("string", "", [...long(40), ...Array.from({ length: 39 }, () => 0x41), 0xc3])).toBe(
      "utf8-invalid",
    );
    expect(reasonOf(mapOf("int"), {}, [2, 2, 0xff, 2, 0])).toBe("utf8-invalid");
    for (const text of ["\ufffd", `${"A".repeat(40)}\ufffd`])
      expect(roundTrip(avro({ schema: "string" }), text)).toBe(text);
  });

  it("negative lengths", () => {
    expect(reasonOf("string", "", [1])).toBe("malformed");
    expect(reasonOf("bytes", new Uint8Array(0), [1])).toBe("malformed");
  });

  it("indexes of enums and unions that do not exist", () => {
    const symbols = { type: "enum", name: "E", symbols: ["A"] } as const;
    expect(reasonOf(symbols, "A", [2])).toBe("value-out-of-range");
    expect(reasonOf(symbols, "A", [1])).toBe("value-out-of-range");
    expect(reasonOf(["null", "int"], null, [4])).toBe("value-out-of-range");
    expect(reasonOf(["int", "long"], { int: 1 }, [1])).toBe("value-out-of-range");
  });

  it("the map key __proto__", () => {
    const key = [18, ...Buffer.from("__proto__")];
    expect(reasonOf(mapOf(mapOf("int")), {}, [2, ...key, 0, 0])).toBe("key-forbidden");
  });

  it("values of a recursive schema that are nested deeper than the limit", () => {
    const node = {
      type: "record",
      name: "Node",
      fields: [{ name: "next", type: ["null", "Node"] }],
    } as const;
    const serializer = avro({ schema: node });
    const nested = (depth: number) =>
      framed(serializer, { next: null }, [...Array.from({ length: depth - 1 }, () => 2), 0]);
    expect(read(serializer, nested(3), { maxDepth: 3 })).toEqual({ next: { next: { next: null } } });
    expect(errorOf(() => read(serializer, nested(4), { maxDepth: 3 })).reason).toBe("depth-exceeded");
    expect(errorOf(() => read(serializer, nested(100_000))).reason).toBe("depth-exceeded");
    const unlimited = { maxDepth: Number.POSITIVE_INFINITY };
    expect(errorOf(() => read(serializer, nested(1_000_000), unlimited)).reason).toBe("depth-exceeded");
    const skipping = avro({
      schema: recordOf({ b: "int" }),
      writerSchemas: [
        {
          type: "record",
          name: "Root",
          fields: [
            { name: "a", type: node },
            { name: "b", type: "int" },
          ],
        },
      ],
    });
    const writer = avro({
      schema: {
        type: "record",
        name: "Root",
        fields: [
          { name: "a", type: node },
          { name: "b", type: "int" },
        ],
      },
    });
    const body = framed(writer, { a: { next: null }, b: 1 }, [...Array.from({ length: 200 }, () => 2), 0, 2]);
    expect(errorOf(() => read(skipping, body)).reason).toBe("depth-exceeded");
  });

  it("a record that contains itself endlessly", () => {
    const endless = { type: "record", name: "Node", fields: [{ name: "next", type: "Node" }] } as const;
    const serializer = avro({ schema: [endless, "null"] });
    expect(errorOf(() => read(serializer, framed(serializer, null, [0]))).reason).toBe("depth-exceeded");
  });
});

describe("reading returns", () => {
  it("plain objects, including their prototype", () => {
    const inner = {
      type: "record",
      name: "Inner",
      fields: [{ name: "a", type: ["int", "double"] }],
    } as const;
    const schema = recordOf({ inner, map: mapOf("Inner"), list: arrayOf("Inner") });
    const value = { inner: { a: { int: 1 } }, map: { k: { a: { double: 0.5 } } }, list: [{ a: { int: 2 } }] };
    assert.deepStrictEqual(roundTrip(avro({ schema }), value), value);
    const evolved = {
      ...schema,
      fields: [...schema.fields, { name: "added", type: { ...inner, name: "Added" }, default: { a: 7 } }],
    };
    const reader = avro({ schema: evolved, writerSchemas: [schema] });
    const read1 = read(reader, write(avro({ schema }), value));
    assert.deepStrictEqual(read1, { ...value, added: { a: { int: 7 } } });
    expect("clone" in {}).toBe(false);
  });

  it("longs as numbers while they are safe and as bigints beyond, with their sign", () => {
    const serializer = avro({ schema: "long" });
    const safe = Number.MAX_SAFE_INTEGER;
    for (const value of [
      0,
      -1,
      2 ** 30,
      -(2 ** 30),
      -(2 ** 30) - 1,
      2 ** 52 + 1,
      -(2 ** 52) - 1,
      safe,
      -safe,
    ])
      expect(roundTrip(serializer, value)).toBe(value);
    for (const value of [BigInt(safe) + 1n, -BigInt(safe) - 1n, 2n ** 63n - 1n, -(2n ** 63n)])
      expect(roundTrip(serializer, value)).toBe(value);
    expect(roundTrip(serializer, 5n)).toBe(5);
  });

  it("longs always as bigints, if configured", () => {
    const serializer = avro({ schema: recordOf({ a: "long", b: ["null", "long"] }), longs: "bigint" });
    assert.deepStrictEqual(roundTrip(serializer, { a: 1, b: 2n }), { a: 1n, b: 2n });
    const reader = avro({
      schema: {
        ...recordOf({ a: "long" }),
        fields: [
          { name: "a", type: "long" },
          { name: "z", type: "long", default: 9 },
        ],
      },
      writerSchemas: [recordOf({ a: "int" })],
      longs: "bigint",
    });
    assert.deepStrictEqual(read(reader, write(avro({ schema: recordOf({ a: "int" }) }), { a: 1 })), {
      a: 1n,
      z: 9n,
    });
  });

  it("bytes and fixed as plain copies", () => {
    const serializer = avro({ schema: recordOf({ a: "bytes", b: { type: "fixed", name: "F", size: 2 } }) });
    const body = Uint8Array.from(write(serializer, { a: Buffer.from([1, 2, 3]), b: Uint8Array.of(4, 5) }));
    const { a, b } = read(serializer, body) as { a: Uint8Array; b: Uint8Array };
    body.fill(0xff);
    assert.deepStrictEqual([a, b], [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)]);
    expect([a.buffer.byteLength, b.buffer.byteLength]).toEqual([3, 2]);
  });

  it("the same value from a Uint8Array, a Buffer and a view in the middle of other memory, without changing it", () => {
    const serializer = avro({ schema: recordOf({ a: "string", b: "double" }) });
    const value = { a: "a text of more than sixteen bytes", b: 1.5 };
    const body = write(serializer, value);
    const memory = new Uint8Array(body.length + 20).fill(0xee);
    memory.set(body, 7);
    const view = memory.subarray(7, 7 + body.length);
    for (const bytes of [body, Buffer.from(body), view]) expect(read(serializer, bytes)).toEqual(value);
    expect(view).toEqual(body);
  });

  it("the value of a writer's union, even if not all of its branches can be read", () => {
    const writer = recordOf({ a: ["null", "string"] });
    const serializer = avro({ schema: recordOf({ a: "string" }), writerSchemas: [writer] });
    expect(read(serializer, write(avro({ schema: writer }), { a: "text" }))).toEqual({ a: "text" });
    const body = write(avro({ schema: writer }), { a: null });
    expect(errorOf(() => read(serializer, body)).reason).toBe("schema-violation");
  });

  it("the branch of the same name, for every field with a union", () => {
    const a = { type: "record", name: "A", fields: [{ name: "a", type: "int" }] };
    const b = { type: "record", name: "B", fields: [{ name: "b", type: "int" }] };
    const writer = recordOf({ first: b, second: "B" });
    const reader = recordOf({ first: [a, b], second: ["A", "B"] });
    const serializer = avro({ schema: reader, writerSchemas: [writer] });
    const body = write(avro({ schema: writer }), { first: { b: 1 }, second: { b: 2 } });
    expect(read(serializer, body)).toEqual({ first: { B: { b: 1 } }, second: { B: { b: 2 } } });
  });

  it("bytes as bytes from a union that also has a string", () => {
    const reader = recordOf({ a: ["string", "bytes"], z: ["null", "int"] });
    const writer = recordOf({ a: ["string", "bytes"], z: "int" });
    const body = write(avro({ schema: writer }), { a: Uint8Array.of(0xff), z: 1 });
    const serializer = avro({ schema: reader, writerSchemas: [writer] });
    expect(read(serializer, body)).toEqual({ a: Uint8Array.of(0xff), z: 1 });
  });

  it("a large array for two fields that have the same writer field", () => {
    const writer = recordOf({ list: arrayOf("int") });
    const fields = ["list", "copy"].map((name) => ({
      name,
      type: arrayOf("int"),
      aliases: name === "copy" ? ["list"] : [],
    }));
    const serializer = avro({ schema: { type: "record", name: "Root", fields }, writerSchemas: [writer] });
    const list = Array.from({ length: 30_000 }, (_, index) => index % 60);
    expect(read(serializer, write(avro({ schema: writer }), { list }))).toEqual({ list, copy: list });
  });

  it("records whose namespaces differ, since only their names must match", () => {
    const writer = { ...recordOf({ a: "int" }), namespace: "old.shop" };
    const serializer = avro({
      schema: {
        ...recordOf({ a: "int", b: "int" }),
        namespace: "shop",
        fields: [{ name: "a", type: "long" }],
      },
      writerSchemas: [writer],
    });
    expect(read(serializer, write(avro({ schema: writer }), { a: 1 }))).toEqual({ a: 1 });
  });
});

describe("writing refuses, with the path,", () => {
  const symbols = { type: "enum", name: "E", symbols: ["A", "B"] } as const;
  const refused: [string, AvroSchema, unknown, string][] = [
    [
      "the enum symbol toString",
      recordOf({ e: symbols }),
      { e: "toString" },
      '"e" is a value of kind string where enum "E"',
    ],
    ["the enum symbol constructor", symbols, "constructor", "the root"],
    [
      "a field that is not declared",
      recordOf({ a: "int" }),
      { a: 1, secret: 2 },
      "the root has fields that are not declared where record",
    ],
    [
      "an undeclared field with an inherited name",
      recordOf({ a: "int" }),
      { a: 1, constructor: 2 },
      "the root",
    ],
    [
      "an undeclared field next to a default",
      { ...recordOf({}), fields: [{ name: "a", type: "int", default: 1 }] },
      { b: 1 },
      "the root",
    ],
    [
      "a missing field",
      recordOf({ a: recordOf({ b: "int" }, "Inner") }),
      { a: {} },
      '"a.b" is missing where int is expected',
    ],
    [
      "null for a field with a default",
      { ...recordOf({}), fields: [{ name: "a", type: "int", default: 1 }] },
      { a: null },
      '"a" is a value of kind null',
    ],
    [
      "a bigint for an int",
      recordOf({ a: "int" }),
      { a: 5n },
      '"a" is a value of kind bigint where int is expected',
    ],
    ["a bigint beyond 64 bits", "long", 2n ** 63n, "the root is a value of kind bigint where long"],
    ["a fraction for a long", arrayOf("long"), [1, 0.5], '"[1]" is a value of kind number where long'],
    ["an integer that is not safe", "long", 2 ** 53, "the root"],
    ["an int beyond 32 bits", "int", 2 ** 31, "the root"],
    ["the map key __proto__", mapOf(mapOf("int")), JSON.parse('{"__proto__":{}}'), "map is expected"],
    ["a Map for a map", mapOf("int"), new Map([["a", 1]]), "where map is expected"],
    ["an array for a record", empty, [], 'where record "Empty"'],
    ["a short lone surrogate", "string", "\ud800", "the root is a value of kind string where string"],
    [
      "a long lone surrogate",
      recordOf({ a: "string" }),
      { a: `${"A".repeat(100)}\udc00` },
      '"a" is a value of kind string',
    ],
    ["a lone surrogate in a map key", mapOf("int"), { "\ud800": 1 }, "where map is expected"],
    ["a fixed of another size", { type: "fixed", name: "F", size: 2 }, Uint8Array.of(1), 'where fixed "F"'],
    [
      "a value of no branch",
      recordOf({ a: ["null", "int"] }),
      { a: "x" },
      "where a branch of the union is expected",
    ],
    ["an inherited branch name", ["int", "long"], { constructor: 1 }, "where a branch of the union"],
    ["undefined", "string", undefined, "the root is missing"],
    ["a function", "string", () => "x", "the root is a value of kind function"],
    [
      "a deep path",
      arrayOf(mapOf(recordOf({ a: "int" }))),
      [{ k: { a: 1 } }, { secret: { a: "x" } }],
      '"[1][*].a" is a value of kind string',
    ],
  ];
  it.each(refused)("%s", (_, schema, value, text) => {
    const error = errorOf(() => write(avro({ schema }), value));
    expect(error.code).toBe("serialization-failed");
    expect(error.message).toContain(text);
    expect(error.message).not.toContain("secret");
  });

  it("values that are nested deeper than the limit, or contain themselves", () => {
    const node = {
      type: "record",
      name: "Node",
      fields: [{ name: "next", type: ["null", "Node"] }],
    } as const;
    const serializer = avro({ schema: node });
    const two = { next: { next: null } };
    expect(roundTrip(serializer, two, { maxDepth: 2 })).toEqual(two);
    expect(errorOf(() => write(serializer, two, { maxDepth: 1 })).message).toContain("nests deeper than 1");
    const loop: { next: unknown } = { next: null };
    loop.next = loop;
    for (const maxDepth of [128, Number.POSITIVE_INFINITY])
      expect(errorOf(() => write(serializer, loop, { maxDepth })).message).toContain("nest");
  });

  it("more items without bytes than the limit when reading", () => {
    const serializer = avro({ schema: arrayOf("null") });
    const nulls = (length: number) => Array.from({ length }, () => null);
    expect(roundTrip(serializer, nulls(10_000))).toEqual(nulls(10_000));
    expect(errorOf(() => write(serializer, nulls(20_000))).message).toContain("take no bytes");
  });

  it("objects of the platform, instead of writing the defaults", () => {
    const record = { ...recordOf({}), fields: [{ name: "size", type: "int", default: 7 }] } as const;
    const schemas: [AvroSchema, (value: object) => unknown][] = [
      [record, (value) => value],
      [["null", record], (value) => value],
      [mapOf(record), (value) => ({ key: value })],
      [mapOf("int"), (value) => value],
    ];
    const objects = {
      Map: new Map([["size", 1]]),
      Promise: Promise.resolve({ size: 1 }),
      Blob: new Blob(["text"]),
      "Intl.NumberFormat": new Intl.NumberFormat("en"),
      Intl,
    };
    for (const [schema, wrap] of schemas) {
      const serializer = avro({ schema });
      for (const [kind, object] of Object.entries(objects))
        expect(errorOf(() => write(serializer, wrap(object))).message).toContain(
          `is an object of kind ${kind}`,
        );
      for (const object of [new Date(), Uint8Array.of(1)])
        expect(errorOf(() => write(serializer, wrap(object))).code).toBe("serialization-failed");
    }
    class Box {
      readonly #size = 3;
      get size(): number {
        return this.#size;
      }
    }
    assert.deepStrictEqual(roundTrip(avro({ schema: record }), new Box()), { size: 3 });
  });

  it("values whose getters throw, without their error, which may quote the value", () => {
    const value = {
      get a() {
        throw new Error("not loaded");
      },
    };
    const error = errorOf(() => write(avro({ schema: recordOf({ a: "int" }) }), value));
    expect(error.message).toContain("reading it threw an error");
    expect(error.cause).toBeUndefined();
  });
});

describe("writing", () => {
  it("fills in defaults and omits undefined members", () => {
    const schema = {
      ...recordOf({}),
      fields: [
        { name: "a", type: "int", default: 7 },
        { name: "b", type: "bytes", default: "\u00ff" },
      ],
    };
    assert.deepStrictEqual(roundTrip(avro({ schema }), { c: undefined }), { a: 7, b: Uint8Array.of(255) });
  });

  it("returns bytes that do not change, small ones from memory that they share and large ones from their own", () => {
    const serializer = avro({ schema: "string" });
    // More than the shared memory holds.
    const texts = Array.from({ length: 50 }, (_, index) => String(index).repeat(index * 40));
    const written = texts.map((text) => write(serializer, text));
    expect(written.map((bytes) => read(serializer, bytes))).toEqual(texts);
    for (const bytes of written) expect(Object.getPrototypeOf(bytes)).toBe(Uint8Array.prototype);
    const large = write(serializer, "x".repeat(10_000));
    expect(large.buffer.byteLength).toBe(large.length);
  });

  it("allows a serialization inside another", () => {
    const serializer = avro({ schema: recordOf({ a: "string", b: "string" }) });
    const inner = { a: "inner a", b: "inner b" };
    let innerBody: Uint8Array | undefined;
    const outer = {
      a: "outer a",
      get b() {
        innerBody = write(serializer, inner);
        return "outer b";
      },
    };
    const body = write(serializer, outer);
    expect(read(serializer, body)).toEqual({ a: "outer a", b: "outer b" });
    expect(read(serializer, innerBody!)).toEqual(inner);
  });

  it("grows with the value and returns the same bytes as avsc", () => {
    const schema = recordOf({
      list: arrayOf("string"),
      map: mapOf("double"),
      bytes: "bytes",
      big: arrayOf("long"),
    });
    const value = {
      list: Array.from({ length: 3000 }, (_, index) => "Zoë 日本 ".repeat(index % 30)),
      map: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key ${index}`, index / 3])),
      bytes: Buffer.alloc(50_000, 7),
      big: [2 ** 33, -(2 ** 33), 2 ** 50, 64, -65],
    };
    const expected = avsc.Type.forSchema(structuredClone(schema) as never).toBuffer(value);
    expect(Buffer.from(write(avro({ schema }), value).subarray(10)).equals(expected)).toBe(true);
  });
});

describe("unions", () => {
  it("count the wrapping object as a level", () => {
    const serializer = avro({ schema: arrayOf(["int", "double"]) });
    expect(roundTrip(serializer, [{ int: 1 }], { maxDepth: 2 })).toEqual([{ int: 1 }]);
    const body = write(serializer, [{ int: 1 }]);
    expect(errorOf(() => read(serializer, body, { maxDepth: 1 })).reason).toBe("depth-exceeded");
    expect(errorOf(() => write(serializer, [{ int: 1 }], { maxDepth: 1 })).message).toContain("nests deeper");
  });

  it("are unwrapped if values distinguish the branches", () => {
    const schema = recordOf({ u: ["null", "boolean", "long", "string", "bytes", arrayOf("int"), point] });
    for (const u of [null, true, 1, 2n ** 60n, "text", Uint8Array.of(1), [1, 2], { x: 1 }])
      assert.deepStrictEqual(roundTrip(avro({ schema }), { u }), { u });
  });

  it("are wrapped by branch name otherwise", () => {
    const serializer = avro({ schema: ["null", "int", "double"] });
    for (const value of [null, { int: 1 }, { double: 1 }])
      assert.deepStrictEqual(roundTrip(serializer, value), value);
    expect(errorOf(() => write(serializer, 1)).code).toBe("serialization-failed");
  });

  it("are always or never wrapped, if configured", () => {
    assert.deepStrictEqual(roundTrip(avro({ schema: ["null", "int"], unions: "always" }), { int: 1 }), {
      int: 1,
    });
    expect(() => avro({ schema: ["int", "double"], unions: "never" })).toThrow(
      /union \[int, double\] cannot be distinguished/,
    );
  });
});

it("never writes a number beyond the range of a float as infinity", () => {
  const serializer = avro({ schema: recordOf({ rate: "float" }) });
  expect(errorOf(() => write(serializer, { rate: 1e300 })).message).toContain("beyond the range of a float");
  for (const rate of [3.4028234663852886e38, Number.NEGATIVE_INFINITY, Number.NaN]) {
    expect(roundTrip(serializer, { rate })).toEqual({ rate });
  }
});
