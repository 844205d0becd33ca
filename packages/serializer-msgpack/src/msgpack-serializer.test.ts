import { type Serializer, WaybillError } from "@waybill/core";
import type { DeserializeContext } from "@waybill/core/serializer";
import fc from "fast-check";
import { Packr, pack, unpack } from "msgpackr";
import { describe, expect, it } from "vitest";
import { msgpack } from "./index.js";

describe("msgpack", () => {
  it("has the registered media type first, then the others in use", () => {
    expect(msgpack().mediaTypes).toEqual([
      "application/vnd.msgpack",
      "application/msgpack",
      "application/x-msgpack",
      "application/messagepack",
      "application/x-messagepack",
      "application/vnd.messagepack",
      "binary/messagepack",
      "+msgpack",
    ]);
  });

  it("is recognised by the first byte of a map or array that is not empty", () => {
    const { leadingBytes } = msgpack();
    expect(leadingBytes).toContain(0x81);
    expect(leadingBytes).toContain(0xdf);
    for (const byte of [0x80, 0x90, 0xa0, 0xc0, 0x7b, 0x5b]) expect(leadingBytes).not.toContain(byte);
  });

  it("accepts nothing that its decoder would read differently", () => {
    const serializer = msgpack();
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 24 }), (bytes) => {
        let value: unknown;
        try {
          value = read(serializer, bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(WaybillError);
          expect((error as WaybillError).code).toBe("deserialization-failed");
          return;
        }
        // Every accepted body has a plain form, which is read as the same value.
        expect(read(serializer, write(serializer, value))).toEqual(value);
      }),
      { numRuns: 20_000 },
    );
  });

  it("reads any plain value back, from bytes that msgpackr reads as the same value", () => {
    const serializer = msgpack();
    const plain = fc.object({
      maxDepth: 5,
      withDate: true,
      withBigInt: false,
      withTypedArray: false,
      key: fc
        .string({ unit: "grapheme" })
        .filter((key) => !["__proto__", "toJSON", "constructor"].includes(key)),
      values: [fc.string({ unit: "grapheme" }), fc.double(), fc.integer(), fc.boolean(), fc.constant(null)],
    });
    fc.assert(
      fc.property(plain, (value) => {
        let bytes: Uint8Array;
        try {
          bytes = write(serializer, value);
        } catch {
          return fc.pre(false);
        }
        expect(read(serializer, bytes)).toEqual(withoutNegativeZero(value));
        expect(unpack(bytes.slice())).toEqual(withoutNegativeZero(value));
      }),
    );
  });

  describe("the decoder's special cases", () => {
    it("does not read its records, which change the meaning of other bytes", () => {
      const records = new Packr({ useRecords: true }).pack([
        { sku: "a", qty: 1 },
        { sku: "b", qty: 2 },
      ]);
      expect(unpack(records.slice())).toEqual([
        { sku: "a", qty: 1 },
        { sku: "b", qty: 2 },
      ]);
      expect(reasonOf(() => read(msgpack(), records))).toBe("type-forbidden");
    });

    it("does not read regular expressions, errors, sets, pointers or large bigints", () => {
      const rich = new Packr({ useRecords: false, moreTypes: true, structuredClone: true });
      for (const value of [/a+/, new Error("x"), new Set([1]), Float32Array.of(1), 2n ** 70n])
        expect(reasonOf(() => read(msgpack(), rich.pack([value])))).toBe("type-forbidden");
      const shared = { a: 1 };
      expect(reasonOf(() => read(msgpack(), rich.pack([shared, shared])))).toBe("type-forbidden");
    });

    it("refuses the byte 0xc1, for which it returns a sentinel object", () => {
      expect(unpack(Buffer.of(0xc1))).toBeInstanceOf(Object);
      expect(reasonOf(() => read(msgpack(), Uint8Array.of(0xc1)))).toBe("malformed");
    });

    it("refuses ill-formed UTF-8 in short and long strings and in keys", () => {
      const long = Uint8Array.of(0xda, 0x02, 0x00, ...new Uint8Array(511).fill(0x61), 0xc3);
      for (const bytes of [
        hex("a2c328"),
        hex("a3eda080"),
        hex("a4f4908080"),
        hex("a2c080"),
        hex("81a1ff01"),
        long,
      ])
        expect(reasonOf(() => read(msgpack(), bytes))).toBe("utf8-invalid");
    });

    it("agrees with a strict decoder on valid UTF-8", () => {
      const serializer = msgpack();
      const strict = new TextDecoder("utf-8", { fatal: true });
      const lively = fc.array(
        fc.constantFrom(
          0x41,
          0x80,
          0x8f,
          0x90,
          0x9f,
          0xa0,
          0xbf,
          0xc1,
          0xc2,
          0xdf,
          0xe0,
          0xed,
          0xef,
          0xf0,
          0xf4,
          0xf5,
        ),
        {
          minLength: 1,
          maxLength: 8,
        },
      );
      fc.assert(
        fc.property(lively, (text) => {
          let isUtf8 = true;
          try {
            strict.decode(Uint8Array.from(text));
          } catch {
            isUtf8 = false;
          }
          const act = () => read(serializer, Uint8Array.of(0xa0 | text.length, ...text));
          if (isUtf8) expect(act).not.toThrow();
          else expect(reasonOf(act)).toBe("utf8-invalid");
        }),
        { numRuns: 3000 },
      );
    });

    it("refuses keys that are not strings, which it would turn into strings", () => {
      expect(unpack(Buffer.from(hex("810102")))).toEqual({ 1: 2 });
      expect(reasonOf(() => read(msgpack(), hex("810102")))).toBe("key-forbidden");
    });

    it("refuses a __proto__ key, which it would rename", () => {
      const bytes = Uint8Array.of(0x81, 0xa9, ...new TextEncoder().encode("__proto__"), 0x80);
      expect(reasonOf(() => read(msgpack(), bytes))).toBe("key-forbidden");
    });

    it("reads a plain key constructor", () => {
      const value = read(msgpack(), write(msgpack(), { constructor: "Acme" }));
      expect(Object.entries(value as object)).toEqual([["constructor", "Acme"]]);
    });

    it("keeps the last of duplicate keys, like the decoder", () => {
      expect(read(msgpack(), hex("82a16101a16102"))).toEqual({ a: 2 });
    });

    it("refuses count bombs immediately", () => {
      for (const bomb of ["ddffffffff", "df7fffffff", "91dd00ffffff00"])
        expect(reasonOf(() => read(msgpack(), hex(bomb)))).toBe("count-exceeded");
    });

    it("refuses deep nesting without recursion", () => {
      const bytes = new Uint8Array(1_000_001).fill(0x91);
      bytes[1_000_000] = 1;
      expect(reasonOf(() => read(msgpack(), bytes))).toBe("depth-exceeded");
      expect(reasonOf(() => read(msgpack(), bytes, { maxDepth: 2_000_000 }))).toBe("depth-exceeded");
    });

    it("reads 64-bit integers as numbers if they are safe integers, otherwise as bigints", () => {
      expect(read(msgpack(), hex("93cf0000000000000005d3fffffffffffffffbcfffffffffffffffff"))).toEqual([
        5,
        -5,
        2n ** 64n - 1n,
      ]);
    });

    it("drops fractions of a millisecond towards the past, so that no instant moves to the next day", () => {
      const timestamp = (seconds: bigint, nanoseconds: number, head = [0xc7, 12, 0xff]) => {
        const bytes = Buffer.alloc(12);
        bytes.writeUInt32BE(nanoseconds);
        bytes.writeBigInt64BE(seconds, 4);
        return [...head, ...bytes];
      };
      // 2026-11-05T23:59:59.9999999Z, as .NET writes it: in 8 bytes, with a length of one or two bytes, and in 12.
      const field = Buffer.alloc(8);
      field.writeBigUInt64BE((999_999_900n << 34n) | 1_793_923_199n);
      for (const bytes of [
        [0xd7, 0xff, ...field],
        [0xc7, 8, 0xff, ...field],
        [0xc8, 0, 8, 0xff, ...field],
        timestamp(1_793_923_199n, 999_999_900),
      ])
        expect(read(msgpack(), Uint8Array.from(bytes))).toEqual(new Date("2026-11-05T23:59:59.999Z"));
      expect(read(msgpack(), Uint8Array.from(timestamp(-1n, 999_999_999)))).toEqual(new Date(-1));
      expect(read(msgpack(), Uint8Array.from(timestamp(-2n, 1)))).toEqual(new Date(-2_000));
      expect(
        read(msgpack(), Uint8Array.from([0x92, 0xa4, 0xef, 0xbb, 0xbf, 0x61, ...timestamp(-1n, 500_000)])),
      ).toEqual(["\uFEFFa", new Date(-1_000)]);
    });

    it("returns bytes that are not views of the message", () => {
      const message = hex("c403010203");
      const value = read(msgpack(), message) as Uint8Array;
      expect(value.buffer).not.toBe(message.buffer);
      expect(value.buffer.byteLength).toBe(3);
    });

    it("adds no property to the message, although the decoder would add dataView", () => {
      const message = Buffer.from(hex("9101"));
      read(msgpack(), message);
      expect(Object.hasOwn(message, "dataView")).toBe(false);
    });

    it("refuses undeclared scalars and empty containers", () => {
      const undeclared = { isDeclared: false };
      for (const scalar of ["37", "7b", "c0", "a0"])
        expect(reasonOf(() => read(msgpack(), hex(scalar), undeclared))).toBe("root-not-container");
      for (const empty of ["80", "90", "dc0000", "dd00000000", "de0000", "df00000000"])
        expect(reasonOf(() => read(msgpack(), hex(empty), undeclared))).toBe("container-empty");
    });

    describe("without a content type", () => {
      const undeclared = { isDeclared: false };

      it.each([
        ["an array of one integer", "9107"],
        ["an array of null and a boolean", "92c0c3"],
        ["ten bytes of ASCII after an š of windows-1250", "9a6b6f6c612d3230323621"],
        ["an array of 70 integers", `dc0046${"07".repeat(70)}`],
        ["an array of strings", "92a568656c6c6fa5776f726c64"],
        ["arrays in an array", "929301020393040506"],
        ["■OK in Shift-JIS", "81a14f4b"],
        ["■A■B■C1 in Shift-JIS", "81a14181a14281a14331"],
        ["Вашах in code page 866", "82a0e8a0e5"],
        ["a map of one key", "81a76d657373616765a568656c6c6f"],
        ["a map of two keys of one letter", "82a16101a16202"],
        ["keys that are not printable", "82a300010201a300010302"],
      ])("refuses %s", (_, bytes) => {
        expect(reasonOf(() => read(msgpack(), hex(bytes), undeclared))).toBe("evidence-insufficient");
        expect(() => read(msgpack(), hex(bytes))).not.toThrow();
      });

      it.each([
        ["a map of two named keys", "82a2696401a371747902", { id: 1, qty: 2 }],
        ["a map of three keys of one letter", "83a17801a17902a17a03", { x: 1, y: 2, z: 3 }],
        ["such a map in an array", "9182a2696401a371747902", [{ id: 1, qty: 2 }]],
        ["such a map in a map of one key", "81a16482a2696401a371747902", { d: { id: 1, qty: 2 } }],
      ])("reads %s", (_, bytes, value) => {
        expect(read(msgpack(), hex(bytes), undeclared)).toEqual(value);
      });
    });

    it("refuses trailing bytes and truncation at every offset", () => {
      const bytes = write(msgpack(), {
        a: [1, 300, 1.5, "text", new Date(1), Uint8Array.of(1)],
        b: { c: null },
      });
      expect(reasonOf(() => read(msgpack(), Uint8Array.of(...bytes, 0)))).toBe("trailing-bytes");
      for (let end = 1; end < bytes.length; end++)
        expect(["truncated", "count-exceeded"]).toContain(
          reasonOf(() => read(msgpack(), bytes.slice(0, end))),
        );
    });
  });

  describe("the encoder's special cases", () => {
    it("writes plain MessagePack without records", () => {
      expect(write(msgpack(), [{ a: 1 }])[0]).toBe(0x91);
      expect(read(msgpack(), write(msgpack(), [{ a: 1 }, { a: 2 }]))).toEqual([{ a: 1 }, { a: 2 }]);
    });

    it("returns memory that it never overwrites, and keeps no large buffer for a small message", () => {
      for (const text of [
        "small",
        "large".repeat(2_000),
        "small again",
        "huge".repeat(100_000),
        "small still",
      ]) {
        const first = write(msgpack(), { text });
        const copy = Uint8Array.from(first);
        for (let i = 0; i < 100; i++) write(msgpack(), { text: String(i) });
        expect(Uint8Array.from(first)).toEqual(copy);
        expect(first.buffer.byteLength).toBeLessThanOrEqual(Math.max(32_768, first.length));
      }
    });

    it("omits absent properties, for which the encoder would write an extension", () => {
      expect(read(msgpack(), write(msgpack(), { a: 1, b: undefined }))).toEqual({ a: 1 });
    });

    it.each([
      [
        "lone surrogates in short strings, which it writes as ill-formed UTF-8",
        { a: "\ud800" },
        "/a is a string with a lone surrogate",
      ],
      [
        "lone surrogates in long strings, which it replaces",
        [`${"x".repeat(100)}\udfff`],
        "/0 is a string with a lone surrogate",
      ],
      [
        "lone surrogates in long keys, which it replaces",
        { [`${"k".repeat(100)}\udfff`]: 1 },
        "its root is a key with a lone surrogate",
      ],
      ["lone surrogates in keys", { "\ud800": 1 }, "its root is a key with a lone surrogate"],
      ["invalid dates, which it writes", { at: new Date(Number.NaN) }, "/at is an invalid date"],
      ["bigints beyond 64 bits", [2n ** 64n], "/0 is a bigint beyond 64 bits"],
      ["sets, which it writes as arrays", { s: new Set([1]) }, "/s is an object of kind Set"],
      ["maps, whose keys it does not check", { m: new Map([[1, 2]]) }, "/m is an object of kind Map"],
      ["errors, which it writes as arrays", { e: new Error("x") }, "/e is an object of kind Error"],
      ["typed arrays, whose type it loses", [Float64Array.of(1)], "/0 is an object of kind Float64Array"],
      ["undefined in an array", [undefined], "/0 is a value of type undefined"],
      ["functions, which it writes as undefined", { run: () => 1 }, "/run is a value of type function"],
      [
        "a __proto__ key",
        JSON.parse('{"__proto__":1}'),
        'its root is a key "__proto__", which readers refuse',
      ],
    ])("refuses %s, naming the path", (_, value, place) => {
      const error = errorOf(() => write(msgpack(), value));
      expect(error.code).toBe("serialization-failed");
      expect(error.message).toContain(`at ${place}.`);
    });

    it("refuses a cycle by its path", () => {
      const order: Record<string, unknown> = {};
      order.self = order;
      expect(() => write(msgpack(), order)).toThrow("at /self is a cycle.");
    });

    it("does not confuse numbers and text with surrogates", () => {
      const look = { f: Buffer.from("3fedb0b0efbfbd00", "hex").readDoubleBE(0), t: "\ufffd\ud7ff\ue000" };
      expect(read(msgpack(), write(msgpack(), look))).toEqual(look);
    });

    it("writes maps of more than 65,535 keys, for which its default throws", () => {
      const large = Object.fromEntries(Array.from({ length: 65_536 }, (_, index) => [`k${index}`, index]));
      expect(() => pack(large)).toThrow();
      expect(read(msgpack(), write(msgpack(), large))).toEqual(large);
    });

    it("releases the buffer of a very large message", () => {
      write(msgpack(), { blob: new Uint8Array(4_000_000) });
      expect(pack(1).buffer.byteLength).toBeLessThan(100_000);
      const text = "long enough for the encoder's native writer ".repeat(50);
      expect(read(msgpack(), write(msgpack(), { text }))).toEqual({ text });
    });

    it("continues to work after a value whose code threw", () => {
      const angry = {
        get a() {
          throw new Error("secret");
        },
      };
      const error = errorOf(() => write(msgpack(), [angry]));
      expect(error.message).not.toContain("secret");
      expect(read(msgpack(), write(msgpack(), [1]))).toEqual([1]);
    });

    it("honours toJSON, but writes dates as timestamps and bytes as bytes", () => {
      const value = { price: { toJSON: () => "12 EUR" }, at: new Date(1.5e12), raw: Buffer.from("x") };
      expect(read(msgpack(), write(msgpack(), value))).toEqual({
        price: "12 EUR",
        at: new Date(1.5e12),
        raw: Uint8Array.of(0x78),
      });
    });

    it("writes dates before 1970 and after 2106", () => {
      const dates = [
        "1969-12-31T23:59:59.999Z",
        "0001-01-01T00:00:00.000Z",
        "2106-02-07T06:28:16.001Z",
        "9999-12-31T23:59:59.999Z",
      ];
      const value = dates.map((text) => new Date(text));
      expect(read(msgpack(), write(msgpack(), value))).toEqual(value);
    });
  });

  it("refuses platform objects that it could only write as an empty map", () => {
    for (const object of [new Blob(["text"]), new Intl.DateTimeFormat("en"), new Headers(), Intl])
      for (const value of [object, [object], [[object]], { a: object }])
        expect(errorOf(() => write(msgpack(), value)).message).toMatch(/an object of kind \w+/);
  });

  describe("items", () => {
    const bodies: [string, number][] = [
      ["dd00000003c0c0c0", 3],
      ["9391809190c0", 5],
      ["82a161c0a16291c0", 3],
      ["92c40100c500020000", 8],
      ["91d6ff00000000", 1],
    ];

    it("are counted before any is created", () => {
      for (const [body, count] of bodies) {
        const bytes = hex(body);
        expect(() => read(msgpack(), bytes)).not.toThrow();
        expect(() => read(msgpack(), bytes, { maxItems: count })).not.toThrow();
        expect(reasonOf(() => read(msgpack(), bytes, { maxItems: count - 1 }))).toBe("items-exceeded");
      }
      expect(read(msgpack(), hex("c40100"), { maxItems: 1 })).toEqual(Uint8Array.of(0));
    });

    it("are not more in written values than readers accept", () => {
      const writing = {
        ...emptyContext,
        maxDepth: 128,
        maxItemsIn: (bytes: number) => Math.floor(bytes / 3),
      };
      expect(() => msgpack().serialize(["four", "more"], writing)).not.toThrow();
      expect(errorOf(() => msgpack().serialize([0, 0, 0, 0, 0], writing)).message).toContain(
        "more than 2 items",
      );
    });
  });

  describe("schemas", () => {
    const positive = (value: unknown) => {
      if (typeof value !== "object" || (value as { n: number }).n <= 0) throw new Error("no");
      return value;
    };

    it("validates when reading and when writing", () => {
      const serializer = msgpack({ schema: positive });
      expect(reasonOf(() => read(serializer, write(msgpack(), { n: 0 })))).toBe("schema-violation");
      expect(errorOf(() => write(serializer, { n: 0 })).code).toBe("serialization-failed");
      expect(read(serializer, write(serializer, { n: 1 }))).toEqual({ n: 1 });
    });

    it("differs per message type", () => {
      const serializer = msgpack({ schemas: { order: positive } });
      const bytes = write(msgpack(), { n: 0 });
      expect(reasonOf(() => read(serializer, bytes, { messageType: "order" }))).toBe("schema-violation");
      expect(read(serializer, bytes, { messageType: "note" })).toEqual({ n: 0 });
    });

    it("throws a TypeError for an invalid schema", () => {
      expect(() => msgpack({ schema: { type: "object" } as never })).toThrow(TypeError);
    });
  });
});

function write(serializer: Serializer, value: unknown): Uint8Array {
  const context = { ...emptyContext, maxDepth: 128 };
  return (serializer.serialize(value, context) as { bytes: Uint8Array }).bytes;
}

function read(serializer: Serializer, bytes: Uint8Array, context: Partial<DeserializeContext> = {}): unknown {
  return serializer.deserialize(bytes, { ...emptyContext, isDeclared: true, maxDepth: 128, ...context });
}

const emptyContext = {
  messageType: undefined,
  contentType: "application/vnd.msgpack",
  mediaType: undefined,
  applicationProperties: {},
  abortSignal: undefined,
};

function hex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

function withoutNegativeZero(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(withoutNegativeZero);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutNegativeZero(item)]));
}

function errorOf(act: () => unknown): WaybillError {
  try {
    act();
  } catch (error) {
    if (error instanceof WaybillError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

function reasonOf(act: () => unknown) {
  return errorOf(act).reason;
}
