import { describe, expect, it } from "vitest";
import { avroObstacles } from "./avro-resolution.js";
import { avroTypeOf, parsingForm } from "./avro-type.js";

const record = (fields: object, more: object = {}) => ({
  type: "record",
  name: "R",
  fields: Object.entries(fields).map(([name, type]) => ({ name, type })),
  ...more,
});
const enumOf = (symbols: readonly string[], more: object = {}) => ({
  type: "enum",
  name: "E",
  symbols,
  ...more,
});
const fixed = (size: number, more: object = {}) => ({ type: "fixed", name: "F", size, ...more });
const decimal = (precision: number, scale: number) => ({
  type: "bytes",
  logicalType: "decimal",
  precision,
  scale,
});
const logical = (type: string, logicalType: string) => ({ type, logicalType });

describe("a logical type", () => {
  it.each([
    [logical("int", "date"), "date"],
    [logical("long", "date"), undefined],
    [logical("int", "time-millis"), "time-millis"],
    [logical("long", "time-millis"), undefined],
    [logical("long", "time-micros"), "time-micros"],
    [logical("int", "time-micros"), undefined],
    [logical("long", "timestamp-millis"), "timestamp-millis"],
    [logical("string", "timestamp-millis"), undefined],
    [logical("long", "timestamp-micros"), "timestamp-micros"],
    [logical("int", "timestamp-micros"), undefined],
    [logical("long", "timestamp-nanos"), "timestamp-nanos"],
    [logical("int", "timestamp-nanos"), undefined],
    [logical("long", "local-timestamp-millis"), "local-timestamp-millis"],
    [logical("int", "local-timestamp-millis"), undefined],
    [logical("long", "local-timestamp-micros"), "local-timestamp-micros"],
    [logical("int", "local-timestamp-micros"), undefined],
    [logical("long", "local-timestamp-nanos"), "local-timestamp-nanos"],
    [logical("int", "local-timestamp-nanos"), undefined],
    [logical("string", "uuid"), "uuid"],
    [logical("bytes", "uuid"), undefined],
    [fixed(16, { logicalType: "uuid" }), "uuid"],
    [fixed(8, { logicalType: "uuid" }), undefined],
    [fixed(12, { logicalType: "duration" }), "duration"],
    [fixed(13, { logicalType: "duration" }), undefined],
    [{ type: "bytes", size: 12, logicalType: "duration" }, undefined],
    [{ type: "bytes", size: 16, logicalType: "uuid" }, undefined],
    [decimal(4, 2), "decimal"],
    [fixed(4, { logicalType: "decimal", precision: 4 }), "decimal"],
    [{ type: "string", logicalType: "decimal", precision: 4 }, undefined],
    [{ type: "bytes", logicalType: "decimal" }, undefined],
    [logical("int", "invented"), undefined],
    ["int", undefined],
  ])("counts where it fits the type below, and is ignored elsewhere: %j", (schema, expected) => {
    expect((avroTypeOf(schema) as { logicalType?: string }).logicalType).toBe(expected);
  });

  it("that is a decimal has a scale of 0 unless it says another", () => {
    expect(avroTypeOf({ type: "bytes", logicalType: "decimal", precision: 4 })).toEqual({
      kind: "bytes",
      logicalType: "decimal",
      precision: 4,
      scale: 0,
    });
    expect(avroTypeOf(decimal(4, 2))).toMatchObject({ precision: 4, scale: 2 });
    expect(avroTypeOf({ type: "int", logicalType: "date", precision: 4 })).toEqual({
      kind: "int",
      logicalType: "date",
    });
  });
});

describe("a name", () => {
  it("is qualified with the namespace around it, unless it has its own", () => {
    const type = avroTypeOf({
      ...record({ a: { type: "enum", name: "In", symbols: ["X"] }, b: "In", c: "org.acme.In" }),
      namespace: "org.acme",
      aliases: ["Old", "com.other.Older"],
    });
    expect(type).toMatchObject({
      name: "org.acme.R",
      aliases: ["org.acme.Old", "com.other.Older"],
      fields: [
        { type: { name: "org.acme.In" } },
        { type: { name: "org.acme.In" } },
        { type: { name: "org.acme.In" } },
      ],
    });
    const inner = { ...enumOf(["X"]), namespace: "org.inner" };
    expect(avroTypeOf({ ...record({ a: inner }), namespace: "org.acme" })).toMatchObject({
      fields: [{ type: { name: "org.inner.E" } }],
    });
  });

  it("must be defined before it is used", () => {
    expect(() => avroTypeOf(record({ a: "Nowhere" }))).toThrow('The Avro type "Nowhere" is not defined.');
    expect(avroTypeOf(record({ next: ["null", "R"] }))).toMatchObject({ name: "R" });
  });

  it.each([null, 7, undefined])("is no %s", (schema) => {
    expect(() => avroTypeOf(schema)).toThrow("An Avro schema is a name, an object or an array.");
  });

  it("of a type may stand in an object", () => {
    expect(avroTypeOf({ type: { type: "array", items: "int" } })).toEqual({
      kind: "array",
      items: { kind: "int" },
    });
  });
});

describe("the parsing form", () => {
  it("leaves out what does not decide how bytes are read: defaults, aliases, logical types", () => {
    const plain = record({ a: "long", b: enumOf(["X"]), c: fixed(4), d: { type: "map", values: "int" } });
    const described = {
      ...record({
        a: logical("long", "timestamp-millis"),
        b: enumOf(["X"], { default: "X", aliases: ["D"] }),
        c: fixed(4, { logicalType: "decimal", precision: 4 }),
        d: { type: "map", values: "int" },
      }),
      doc: "a record",
    };
    expect(parsingForm(avroTypeOf(described))).toBe(parsingForm(avroTypeOf(plain)));
  });

  it.each([
    ["a field's type", record({ a: "int" }), record({ a: "long" })],
    ["a field's name", record({ a: "int" }), record({ b: "int" })],
    ["a record's name", record({}), record({}, { name: "S" })],
    ["symbols", enumOf(["X"]), enumOf(["X", "Y"])],
    ["a size", fixed(4), fixed(5)],
    ["items", { type: "array", items: "int" }, { type: "array", items: "long" }],
    ["an array or a map", { type: "array", items: "int" }, { type: "map", values: "int" }],
    ["branches", ["null", "int"], ["int", "null"]],
    ["recursion", record({ a: ["null", "R"] }), record({ a: ["null", "int"] })],
  ])("distinguishes %s", (_, one, other) => {
    expect(parsingForm(avroTypeOf(one))).not.toBe(parsingForm(avroTypeOf(other)));
  });
});

/** Each obstacle as one line. */
function obstacles(writer: unknown, reader: unknown, knowsLogicalTypes = true): string[] {
  const found = avroObstacles(avroTypeOf(writer), avroTypeOf(reader), { knowsLogicalTypes });
  return found.map(({ kind, path, text }) => `${kind} ${path === "" ? "root" : path}: ${text}`);
}

describe("resolution", () => {
  it.each([
    ["int", "long"],
    ["int", "float"],
    ["int", "double"],
    ["long", "float"],
    ["long", "double"],
    ["float", "double"],
    ["string", "bytes"],
    ["bytes", "string"],
  ])("reads %s as %s", (writer, reader) => {
    expect(obstacles(writer, reader)).toEqual([]);
  });

  it.each([
    ["long", "int"],
    ["double", "float"],
    ["boolean", "int"],
    ["null", "string"],
  ])("does not read %s as %s", (writer, reader) => {
    expect(obstacles(writer, reader)).toEqual([`breaks root: ${writer} is not read as ${reader}`]);
  });

  it("says where, in fields, items and values", () => {
    const nested = (type: string) =>
      record({ a: { type: "array", items: { type: "map", values: record({ b: type }, { name: "S" }) } } });
    expect(obstacles(nested("string"), nested("int"))).toEqual(["breaks a[]{}.b: string is not read as int"]);
  });

  it("knows named types by their simple names and the reader's aliases", () => {
    expect(obstacles(enumOf(["X"]), enumOf(["X"], { name: "com.acme.E" }))).toEqual([]);
    expect(obstacles(enumOf(["X"]), enumOf(["X"], { name: "G", aliases: ["other.E"] }))).toEqual([]);
    expect(obstacles(enumOf(["X"]), enumOf(["X"], { name: "G" }))).toEqual([
      "breaks root: enum E is not read as enum G",
    ]);
    expect(obstacles(enumOf(["X"], { aliases: ["G"] }), enumOf(["X"], { name: "G" }))).toHaveLength(1);
  });

  it("needs the same size of a fixed", () => {
    expect(obstacles(fixed(4), fixed(4))).toEqual([]);
    expect(obstacles(fixed(4), fixed(5))).toEqual([
      "breaks root: fixed F of 4 bytes is not read as fixed F of 5 bytes",
    ]);
  });

  it("finds fields by the reader's aliases, and takes defaults for missing ones", () => {
    const reader = (field: object) => ({ type: "record", name: "R", fields: [{ type: "int", ...field }] });
    const writer = record({ old: "int" });
    expect(obstacles(writer, reader({ name: "now", aliases: ["old"] }))).toEqual([]);
    expect(obstacles(writer, reader({ name: "now", default: 0 }))).toEqual([]);
    expect(obstacles(writer, reader({ name: "now", aliases: ["older"] }))).toEqual([
      "breaks now: the writer has no such field, and the reader's has no default",
    ]);
    // The name counts before the aliases.
    const both = record({ old: "string", now: "int" });
    expect(obstacles(both, reader({ name: "now", aliases: ["old"] }))).toEqual([]);
  });

  it("names up to three symbols that the reader lacks", () => {
    expect(obstacles(enumOf(["A", "B", "C", "X"]), enumOf(["X"]))).toEqual([
      "breaks root: the reader's enum lacks A, B, C, and has no default",
    ]);
    expect(obstacles(enumOf(["A", "B", "C", "D", "X"]), enumOf(["X"]))).toEqual([
      "breaks root: the reader's enum lacks A, B, C …, and has no default",
    ]);
    expect(obstacles(enumOf(["A", "X"]), enumOf(["X"], { default: "X" }))).toEqual([]);
    expect(obstacles(enumOf(["X"]), enumOf(["X", "Y"]))).toEqual([]);
  });

  it("compares a recursive record once", () => {
    const list = (type: string) => record({ value: type, next: ["null", "R"] });
    expect(obstacles(list("int"), list("long"))).toEqual([]);
    expect(obstacles(list("long"), list("int"))).toEqual(["breaks value: long is not read as int"]);
  });
});

describe("a union", () => {
  it("of the writer is read if each of its branches is", () => {
    expect(obstacles(["null", "int"], ["null", "long"])).toEqual([]);
    expect(obstacles(["null", "int", "string"], ["null", "int"])).toEqual([
      "breaks root: string is not in the reader's union",
    ]);
    expect(obstacles(["null", "int"], "int")).toEqual([
      "breaks root: null is not read as int, and it is one of the writer's union",
    ]);
    expect(obstacles([record({ a: "string" }), "null"], record({ a: "int" }))).toEqual([
      "breaks a: string is not read as int",
      "breaks root: null is not read as record R, and it is one of the writer's union",
    ]);
  });

  it("of the reader takes the branch of the same type before one that it is promoted to", () => {
    expect(obstacles("int", ["long", "int"])).toEqual([]);
    expect(obstacles("int", ["null", "double"])).toEqual([]);
    expect(obstacles("string", ["null", "int"])).toEqual([
      "breaks root: string is not in the reader's union",
    ]);
  });

  it("of the reader is not decided if its first branch of the name fails, and there is another", () => {
    const reader = [record({ b: "int" }, { name: "x.R" }), record({ a: "int" }, { name: "y.R" })];
    expect(obstacles(record({ a: "int" }), reader)).toEqual([
      "not-decided root: record R matches several branches of the reader's union, and not the first",
    ]);
    expect(obstacles(record({ a: "int" }), ["null", record({ b: "int" })])).toEqual([
      "breaks b: the writer has no such field, and the reader's has no default",
    ]);
  });
});

describe("logical types", () => {
  it("do not matter to a reader without one", () => {
    expect(obstacles(logical("int", "date"), "int")).toEqual([]);
  });

  it("leave open whether plain numbers are in the range of a reader with one", () => {
    expect(obstacles("int", logical("int", "date"))).toEqual([
      "not-decided root: only values within the range of date are read, and the writer has no logical type",
    ]);
  });

  it("must be the same, except that timestamps are converted where the writer's is known", () => {
    const [millis, micros] = [logical("long", "timestamp-millis"), logical("long", "timestamp-micros")];
    const local = logical("long", "local-timestamp-millis");
    expect(obstacles(millis, millis)).toEqual([]);
    expect(obstacles(millis, micros)).toEqual([]);
    expect(obstacles(millis, micros, false)).toEqual([
      "breaks root: timestamp-millis is not read as timestamp-micros: the fingerprint in the body ignores logical types",
    ]);
    expect(obstacles(millis, local)).toEqual([
      "breaks root: timestamp-millis is not read as local-timestamp-millis",
    ]);
    expect(obstacles(local, logical("long", "local-timestamp-micros"))).toEqual([]);
    expect(obstacles(logical("long", "time-micros"), millis)).toEqual([
      "breaks root: time-micros is not read as timestamp-millis",
    ]);
  });

  it("that are decimals must have the same precision and scale; a larger one is converted exactly by waybill alone", () => {
    const exactly = "by the specification; only waybill's reader converts it, exactly";
    expect(obstacles(decimal(6, 2), decimal(6, 2))).toEqual([]);
    expect(obstacles(decimal(6, 2), decimal(7, 2))).toEqual([
      `not-decided root: decimal(6,2) is not read as decimal(7,2) ${exactly}`,
    ]);
    expect(obstacles(decimal(6, 2), decimal(5, 2))).toEqual([
      "breaks root: decimal(6,2) is not read as decimal(5,2)",
    ]);
    expect(obstacles(decimal(6, 2), decimal(7, 3))).toEqual([
      `not-decided root: decimal(6,2) is not read as decimal(7,3) ${exactly}`,
    ]);
    expect(obstacles(decimal(6, 2), decimal(7, 3), false)).toEqual([
      "breaks root: decimal(6,2) is not read as decimal(7,3): the fingerprint in the body ignores logical types",
    ]);
    expect(obstacles(decimal(6, 2), decimal(6, 3))).toEqual([
      "breaks root: decimal(6,2) is not read as decimal(6,3)",
    ]);
    expect(obstacles(decimal(6, 2), decimal(7, 1))).toEqual([
      "breaks root: decimal(6,2) is not read as decimal(7,1)",
    ]);
  });
});
