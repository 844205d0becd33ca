import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";
import { avro } from "../avro-serializer.js";
import { errorOf, framed, read, roundTrip, write } from "../messages.test-support.js";

const timestamp = (unit: "millis" | "micros", prefix = "") =>
  ({ type: "long", logicalType: `${prefix}timestamp-${unit}` }) as const;
const date = { type: "int", logicalType: "date" } as const;
const decimal = (precision: number, scale: number) =>
  ({ type: "bytes", logicalType: "decimal", precision, scale }) as const;
const duration = { type: "fixed", name: "Duration", size: 12, logicalType: "duration" } as const;

function expectRefused(schema: Parameters<typeof roundTrip>[0], ...values: unknown[]): void {
  for (const value of values) expect(errorOf(() => write(schema, value)).code).toBe("serialization-failed");
}

describe("timestamps", () => {
  it("are points in time", () => {
    for (const unit of ["millis", "micros"] as const)
      for (const ms of [0, -1, 1762346096789, -8.64e15, 8.64e15]) {
        const instant = new Date(ms);
        assert.deepStrictEqual(roundTrip(avro({ schema: timestamp(unit) }), instant), instant);
      }
  });

  it("truncate the microseconds that a Date cannot represent, towards the past", () => {
    const schema = timestamp("micros");
    const raw = avro({ schema, rawLogicalTypes: ["timestamp-micros"] });
    const serializer = avro({ schema });
    expect(read(serializer, write(raw, 1_999))).toEqual(new Date(1));
    expect(read(serializer, write(raw, -1))).toEqual(new Date(-1));
    expect(read(serializer, write(raw, 8_640_000_000_000_000_999n))).toEqual(new Date(8.64e15));
  });

  it("refuse an invalid Date, a number, and a time that a Date cannot represent", () => {
    const serializer = avro({ schema: timestamp("millis") });
    expectRefused(serializer, new Date(Number.NaN), 1762346096789, "2026-11-05");
    const beyond = write(avro({ schema: "long" }), 8.64e15 + 1).subarray(10);
    expect(errorOf(() => read(serializer, framed(serializer, new Date(0), [...beyond]))).reason).toBe(
      "value-out-of-range",
    );
  });

  it("of one unit are converted to the other", () => {
    const writer = avro({
      schema: { type: "record", name: "R", fields: [{ name: "at", type: timestamp("micros") }] },
    });
    const reader = avro({
      schema: {
        type: "record",
        name: "R",
        fields: [
          { name: "at", type: timestamp("millis") },
          { name: "z", type: "int", default: 0 },
        ],
      },
      writerSchemas: [{ type: "record", name: "R", fields: [{ name: "at", type: timestamp("micros") }] }],
    });
    const at = new Date(1762346096789);
    expect(read(reader, write(writer, { at }))).toEqual({ at, z: 0 });
  });

  it("can be in unions with null, and in defaults", () => {
    const schema = {
      type: "record",
      name: "R",
      fields: [
        { name: "a", type: ["null", timestamp("millis")] },
        { name: "b", type: timestamp("millis"), default: 5 },
      ],
    } as const;
    const serializer = avro({ schema });
    const a = new Date(7);
    assert.deepStrictEqual(roundTrip(serializer, { a }), { a, b: new Date(5) });
    assert.deepStrictEqual(roundTrip(serializer, { a: null, b: a }), { a: null, b: a });
  });

  it("are Dates also with longs as bigints", () => {
    const at = new Date(1762346096789);
    expect(roundTrip(avro({ schema: timestamp("micros"), longs: "bigint" }), at)).toEqual(at);
  });
});

describe("dates", () => {
  it("are midnight UTC", () => {
    const serializer = avro({ schema: date });
    const day = new Date("2026-11-05T00:00:00Z");
    expect(roundTrip(serializer, day)).toEqual(day);
    expectRefused(serializer, new Date("2026-11-05T00:00:01Z"), 20_397, new Date(Number.NaN));
    const beyond = write(avro({ schema: "int" }), 2 ** 31 - 1).subarray(10);
    expect(errorOf(() => read(serializer, framed(serializer, day, [...beyond]))).reason).toBe(
      "value-out-of-range",
    );
  });
});

describe("local timestamps", () => {
  it("are text without a zone", () => {
    const millis = avro({ schema: timestamp("millis", "local-") });
    const micros = avro({ schema: timestamp("micros", "local-") });
    for (const text of ["2026-11-05T12:34:56.789", "1969-12-31T23:59:59.999", "+010000-01-01T00:00:00.000"])
      expect(roundTrip(millis, text)).toBe(text);
    for (const text of ["2026-11-05T12:34:56.789012", "1969-12-31T23:59:59.999999"])
      expect(roundTrip(micros, text)).toBe(text);
    expect(roundTrip(micros, "2026-11-05T12:34")).toBe("2026-11-05T12:34:00.000000");
    expect(roundTrip(millis, "2026-11-05T12:34:56.7")).toBe("2026-11-05T12:34:56.700");
    expectRefused(
      millis,
      "2026-11-05T12:34:56.789Z",
      "2026-11-05T12:34:56.7890",
      "2026-13-05T12:34:56",
      "2026-02-30T12:34:56",
      "2026-02-28T24:00:00",
      "today",
      new Date(),
    );
  });
});

describe("decimals", () => {
  it("are text with the digits of their scale", () => {
    const serializer = avro({ schema: decimal(20, 2) });
    for (const text of [
      "0.00",
      "-0.01",
      "1.28",
      "-1.28",
      "2.55",
      "999999999999999999.99",
      "-999999999999999999.99",
    ])
      expect(roundTrip(serializer, text)).toBe(text);
    expect(roundTrip(serializer, "7")).toBe("7.00");
    expect(roundTrip(serializer, "007.5")).toBe("7.50");
    expect(roundTrip(avro({ schema: decimal(5, 0) }), "-128")).toBe("-128");
  });

  it("refuse values that would be rounded, do not fit, or are not numbers", () => {
    const serializer = avro({ schema: decimal(4, 2) });
    expectRefused(serializer, "1.234", "100.00", "1e3", "", "1.", ".5", 12.5, 12n);
    const fixed = avro({
      schema: { type: "fixed", name: "D", size: 2, logicalType: "decimal", precision: 4, scale: 1 },
    });
    expect(roundTrip(fixed, "-999.9")).toBe("-999.9");
  });

  it("refuse more digits than their precision before converting them", () => {
    const serializer = avro({ schema: decimal(4, 2) });
    const body = (bytes: Uint8Array) => write(avro({ schema: "bytes" }), bytes);
    expect(read(serializer, body(Uint8Array.of(0, 0, 0, 0, 0, 1)))).toBe("0.01");
    expect(read(serializer, body(Uint8Array.of(0xff, 0xff, 0xff, 0xff)))).toBe("-0.01");
    for (const bytes of [new Uint8Array(0), Uint8Array.of(0x27, 0x10), new Uint8Array(1_000_000).fill(0x55)])
      expect(errorOf(() => read(serializer, body(bytes))).reason).toBe("value-out-of-range");
  });

  it("are read with more decimal digits, never with fewer", () => {
    const record = (type: object) => ({ type: "record", name: "R", fields: [{ name: "d", type }] }) as const;
    const wider = avro({
      schema: {
        ...record(decimal(9, 2)),
        fields: [...record(decimal(9, 2)).fields, { name: "z", type: "int", default: 0 }],
      },
      writerSchemas: [record(decimal(4, 2))],
    });
    expect(read(wider, write(avro({ schema: record(decimal(4, 2)) }), { d: "1.50" }))).toEqual({
      d: "1.50",
      z: 0,
    });
    const finer = {
      ...record(decimal(9, 3)),
      fields: [...record(decimal(9, 3)).fields, { name: "z", type: "int", default: 0 }],
    };
    const reader = avro({ schema: finer, writerSchemas: [record(decimal(4, 2))] });
    expect(read(reader, write(avro({ schema: record(decimal(4, 2)) }), { d: "-1.50" }))).toEqual({
      d: "-1.500",
      z: 0,
    });
    for (const writer of [decimal(9, 4), decimal(9, 2)])
      expect(() => avro({ schema: finer, writerSchemas: [record(writer)] })).toThrow(/cannot be read/);
  });
});

describe("uuids", () => {
  const uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";

  it("are text, on string and on fixed", () => {
    const fixed = { type: "fixed", name: "Id", size: 16, logicalType: "uuid" } as const;
    for (const schema of [{ type: "string", logicalType: "uuid" } as const, fixed])
      expect(roundTrip(avro({ schema }), uuid)).toBe(uuid);
    expect(write(avro({ schema: fixed }), uuid)).toHaveLength(26);
  });

  it("refuse other text", () => {
    const serializer = avro({ schema: { type: "string", logicalType: "uuid" } });
    expectRefused(serializer, "text", `${uuid}0`, 5);
    const error = errorOf(() => read(serializer, write(avro({ schema: "string" }), "secret")));
    expect(error.reason).toBe("value-out-of-range");
    expect(error.message).not.toContain("secret");
  });
});

describe("durations", () => {
  it("are three amounts", () => {
    const value = { months: 1, days: 2, milliseconds: 4_294_967_295 };
    assert.deepStrictEqual(roundTrip(avro({ schema: duration }), value), value);
    expectRefused(
      avro({ schema: duration }),
      { ...value, days: -1 },
      { ...value, days: 0.5 },
      { months: 1 },
      [1, 2, 3],
    );
  });
});

describe("logical types", () => {
  it("are read as their underlying type if they are raw, unknown or on a wrong type", () => {
    expect(roundTrip(avro({ schema: timestamp("millis"), rawLogicalTypes: "all" }), 5)).toBe(5);
    expect(roundTrip(avro({ schema: { type: "long", logicalType: "time-micros" } }), 5)).toBe(5);
    expect(roundTrip(avro({ schema: { type: "string", logicalType: "date" } }), "x")).toBe("x");
    expect(
      roundTrip(avro({ schema: { type: "bytes", logicalType: "decimal", precision: 0 } }), Uint8Array.of(1)),
    ).toEqual(Uint8Array.of(1));
    expect(roundTrip(avro({ schema: { type: "array", items: "int", logicalType: "decimal" } }), [1])).toEqual(
      [1],
    );
  });

  it("make a union ambiguous only if their values have the same kind", () => {
    const plain = avro({ schema: ["null", timestamp("millis"), decimal(4, 2), "int"] });
    for (const value of [null, new Date(5), "1.50", 5])
      assert.deepStrictEqual(roundTrip(plain, value), value);
    const wrapped = avro({ schema: ["string", decimal(4, 2)] });
    assert.deepStrictEqual(roundTrip(wrapped, { bytes: "1.50" }), { bytes: "1.50" });
  });
});
