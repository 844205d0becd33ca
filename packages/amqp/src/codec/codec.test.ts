import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader } from "./byte-reader.js";
import { checkValue, decodeValue, maxDepth, readValue, skipValue } from "./decode.js";
import { AmqpDecodeError } from "./decode-error.js";
import { encodeValue } from "./encode.js";
import {
  AmqpMap,
  type AmqpTypeName,
  type AmqpValue,
  array,
  described,
  int,
  long,
  stringMap,
  symbol,
  symbolMap,
  timestamp,
  ubyte,
  uint,
  ulong,
  uuid,
  uuidText,
} from "./value.js";

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(" ", ""), "hex");
const hex = (value: AmqpValue): string => Buffer.from(encodeValue(value)).toString("hex");

describe("encodeValue and decodeValue", () => {
  it("are inverse over values of every type", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const encoded = encodeValue(value);
        expect(decodeValue(encoded)).toEqual(value);
        expect(Buffer.compare(encodeValue(decodeValue(encoded)), encoded)).toBe(0);
      }),
      { numRuns: 1500 },
    );
  });

  it("agree with skipValue on the end of a value", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const encoded = encodeValue(value);
        const reader = new ByteReader(Buffer.concat([encoded, Buffer.from([0xff])]));
        skipValue(reader);
        expect(reader.position).toBe(encoded.length);
      }),
    );
  });

  it("agree with checkValue on valid values and their end", () => {
    const outcomeOf = (step: (reader: ByteReader) => unknown, octets: Uint8Array): number | string => {
      const reader = new ByteReader(octets);
      try {
        step(reader);
        return reader.position;
      } catch (error) {
        expect(error).toBeInstanceOf(AmqpDecodeError);
        return (error as AmqpDecodeError).message.replace(/ \(offset.*/, "");
      }
    };
    const damaged = fc
      .tuple(anyValue, fc.nat(), fc.uint8Array({ maxLength: 3 }))
      .map(([value, at, octets]) => {
        const encoded = Buffer.from(encodeValue(value));
        encoded.set(octets.subarray(0, encoded.length - (at % encoded.length)), at % encoded.length);
        return encoded;
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 64 })), (octets) => {
        expect(outcomeOf(checkValue, octets)).toBe(outcomeOf(readValue, octets));
      }),
      { numRuns: 5000 },
    );
  });

  it.each<[string, string, AmqpValue]>([
    ["null", "40", null],
    ["boolean in one byte", "41", true],
    ["uint zero", "43", uint(0)],
    ["small uint", "52 ff", uint(255)],
    ["wide uint", "70 00 00 01 00", uint(256)],
    ["ulong zero", "44", ulong(0n)],
    ["small ulong", "53 24", ulong(0x24n)],
    ["wide ulong", "80 ff ff ff ff ff ff ff ff", ulong(2n ** 64n - 1n)],
    ["small int", "54 80", int(-128)],
    ["wide int", "71 00 00 00 80", int(128)],
    ["small long", "55 ff", long(-1n)],
    ["wide long", "81 80 00 00 00 00 00 00 00", long(-(2n ** 63n))],
    ["empty list", "45", []],
    ["short list", "c0 03 02 40 41", [null, true]],
    ["empty map", "c1 01 00", new AmqpMap()],
    ["array of longs", "e0 0a 01 81 00 00 00 00 00 00 00 07", array("long", [long(7n)])],
    ["empty array", "e0 02 00 83", array("timestamp", [])],
    ["described list", "00 53 31 45", described(0x31n, [])],
  ])("write the shortest form of %s", (_name, form, value) => {
    expect(hex(value)).toBe(form.replaceAll(" ", ""));
    expect(decodeValue(bytes(form))).toEqual(value);
  });

  it.each<[string, string, AmqpValue]>([
    ["boolean with a value octet", "56 01", true],
    ["false with a value octet", "56 00", false],
    ["uint in four octets", "70 00 00 00 01", uint(1)],
    ["ulong in eight octets", "80 00 00 00 00 00 00 00 01", ulong(1n)],
    ["int in four octets", "71 ff ff ff ff", int(-1)],
    ["long in eight octets", "81 00 00 00 00 00 00 00 01", long(1n)],
    ["binary with a wide size", "b0 00 00 00 01 2a", Buffer.from([42])],
    ["string with a wide size", "b1 00 00 00 01 61", "a"],
    ["symbol with a wide size", "b3 00 00 00 01 61", symbol("a")],
    ["wide list", "d0 00 00 00 05 00 00 00 01 40", [null]],
    ["wide map", "d1 00 00 00 06 00 00 00 02 40 41", new AmqpMap([[null, true]])],
    ["wide array", "f0 00 00 00 06 00 00 00 01 52 05", array("uint", [uint(5)])],
    ["array of empty lists", "e0 02 02 45", array("list", [[], []])],
  ])("read %s", (_name, form, value) => {
    expect(decodeValue(bytes(form))).toEqual(value);
  });

  it("keep every bit of 64-bit numbers, uuids and the type of each number", () => {
    const value = [ubyte(5), uint(5), ulong(5n), int(5), long(5n), 5, timestamp(new Date(5))];
    expect(decodeValue(encodeValue(value))).toEqual(value);
    const id = uuid("72d740eb-e710-9549-ae7f-000102030405");
    expect(uuidText(decodeValue(encodeValue(id)) as typeof id)).toBe("72d740eb-e710-9549-ae7f-000102030405");
  });
});

describe("AmqpMap", () => {
  it("finds values by string and by symbol keys", () => {
    expect(symbolMap({ a: 1 }).get("a")).toBe(1);
    expect(stringMap({ a: 1 }).get("a")).toBe(1);
    expect(stringMap({ a: 1 }).get("b")).toBeUndefined();
  });

  it("keeps keys that are named like inherited members as plain entries", () => {
    const map = decodeValue(encodeValue(new AmqpMap([["__proto__", stringMap({ polluted: true })]])));
    expect(map).toBeInstanceOf(AmqpMap);
    expect((map as AmqpMap).get("__proto__")).toEqual(stringMap({ polluted: true }));
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

describe("decodeValue refuses", () => {
  it.each([
    ["nothing", ""],
    ["a truncated value", "70 00 00"],
    ["an unknown constructor", "3f"],
    ["a constructor of an unknown width class", "9f 00"],
    ["bytes after the value", "40 40"],
    ["a list that claims more items than bytes", "d0 00 00 00 05 ff ff ff ff 40"],
    ["a list that claims a size beyond its bytes", "d0 ff ff ff ff 00 00 00 01 40"],
    ["an array of four billion nulls", "f0 00 00 00 05 ff ff ff ff 40"],
    ["an array that claims more elements than bytes", "f0 00 00 00 06 ff ff ff ff 52 01"],
    ["a map with a key without a value", "c1 02 01 40"],
    ["a list shorter than its size", "c0 03 01 40 40"],
    ["a string that is not UTF-8", "a1 02 c3 28"],
    ["a boolean octet of 2", "56 02"],
    ["a described value without its value", "00 53 24"],
  ])("%s", (_name, form) => {
    expect(() => decodeValue(bytes(form))).toThrow(AmqpDecodeError);
  });

  it("values nested deeper than the limit, without exhausting the stack", () => {
    const deep = Buffer.concat([Buffer.alloc(1_000_000, 0x00), Buffer.from([0x40])]);
    expect(() => decodeValue(deep)).toThrow(AmqpDecodeError);
    expect(() => checkValue(new ByteReader(deep))).toThrow(AmqpDecodeError);
    let lists: AmqpValue = null;
    for (let i = 0; i < maxDepth; i++) lists = [lists];
    expect(decodeValue(encodeValue(lists))).toEqual(lists);
    expect(() => decodeValue(encodeValue([lists]))).toThrow(/nested deeper/);
  });

  it("many arrays of elements without bytes that are too large together", () => {
    const bomb = bytes("f0 00 00 00 05 00 00 0f ff 40");
    const list = Buffer.concat([bytes("d0 00 00 03 ec 00 00 00 64"), ...Array(100).fill(bomb)]);
    list.writeUInt32BE(100 * bomb.length + 4, 1);
    expect(() => decodeValue(list)).toThrow(/without bytes/);
    expect(() => checkValue(new ByteReader(list))).toThrow(/without bytes/);
  });

  it("any other bytes, always with a decode error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (noise) => {
        try {
          decodeValue(noise);
        } catch (error) {
          expect(error).toBeInstanceOf(AmqpDecodeError);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe("encodeValue refuses", () => {
  it.each<[string, AmqpValue]>([
    ["a number out of its type's range", ubyte(256)],
    ["a fraction as an integer", int(1.5)],
    ["a uuid of the wrong width", { type: "uuid", value: new Uint8Array(15) }],
    ["an array with an element of another type", array("long", [uint(1)])],
  ])("%s", (_name, value) => {
    expect(() => encodeValue(value)).toThrow(TypeError);
  });
});

const scalarsByType: Partial<Record<AmqpTypeName, fc.Arbitrary<AmqpValue>>> = {
  null: fc.constant(null),
  boolean: fc.boolean(),
  double: fc.double(),
  string: fc.string({ unit: "binary", maxLength: 300 }),
  binary: fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets)),
  symbol: fc
    .string({ maxLength: 300, unit: fc.integer({ min: 0, max: 255 }).map((c) => String.fromCharCode(c)) })
    .map(symbol),
  ...numbers({ ubyte: [0, 0xff], ushort: [0, 0xffff], uint: [0, 0xffffffff], char: [0, 0xffffffff] }),
  ...numbers({ byte: [-0x80, 0x7f], short: [-0x8000, 0x7fff], int: [-0x80000000, 0x7fffffff] }),
  float: fc.float().map((value) => ({ type: "float", value }) as const),
  ulong: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(ulong),
  long: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(long),
  timestamp: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(timestamp),
  ...octets({ uuid: 16, decimal32: 4, decimal64: 8, decimal128: 16 }),
};

const { anyValue } = fc.letrec<{ anyValue: AmqpValue; list: AmqpValue; map: AmqpValue; array: AmqpValue }>(
  (tie) => ({
    anyValue: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      ...Object.values(scalarsByType),
      tie("list"),
      tie("map"),
      tie("array"),
      fc
        .tuple(tie("anyValue"), tie("anyValue"))
        .map(([descriptor, value]) => ({ type: "described", descriptor, value }) as const),
    ),
    list: fc.array(tie("anyValue"), { maxLength: 6 }),
    map: fc
      .array(fc.tuple(tie("anyValue"), tie("anyValue")), { maxLength: 5 })
      .map((entries) => new AmqpMap(entries)),
    array: fc.oneof(
      { maxDepth: 4 },
      ...Object.entries(scalarsByType).map(([type, element]) => arrayOf(type as AmqpTypeName, element)),
      arrayOf("list", tie("list")),
      arrayOf("map", tie("map")),
      arrayOf("array", tie("array")),
    ),
  }),
);

function arrayOf(elementType: AmqpTypeName, element: fc.Arbitrary<AmqpValue>): fc.Arbitrary<AmqpValue> {
  return fc
    .record({
      descriptors: fc.array(fc.oneof(fc.constant(ulong(0x77n)), fc.string().map(symbol)), { maxLength: 1 }),
      values: fc.array(element, { maxLength: 8 }),
    })
    .map((parts) => ({ type: "array", elementType, ...parts }) as const);
}

function numbers(ranges: Record<string, readonly [number, number]>): Record<string, fc.Arbitrary<AmqpValue>> {
  return Object.fromEntries(
    Object.entries(ranges).map(([type, [min, max]]) => [
      type,
      fc
        .oneof(fc.integer({ min, max }), fc.constantFrom(min, max, 0))
        .map((value) => ({ type, value }) as AmqpValue),
    ]),
  );
}

function octets(widths: Record<string, number>): Record<string, fc.Arbitrary<AmqpValue>> {
  return Object.fromEntries(
    Object.entries(widths).map(([type, width]) => [
      type,
      fc
        .uint8Array({ minLength: width, maxLength: width })
        .map((value) => ({ type, value: Buffer.from(value) }) as unknown as AmqpValue),
    ]),
  );
}
