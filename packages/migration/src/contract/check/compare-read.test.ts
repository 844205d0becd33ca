import { describe, expect, it } from "vitest";
import type { ProtobufField, ProtobufMessage } from "../structure/protobuf-type.js";
import { compareAvro, comparePlain, compareProtobuf } from "./compare-read.js";

describe("values of formats that the reader does not change", () => {
  it("are the same, but for what a schema of the reader leaves out", () => {
    expect(comparePlain({ a: 1, b: [1, 2] }, { a: 1, b: [1, 2] })).toBeUndefined();
    expect(comparePlain({ a: 1, b: 2 }, { a: 1 })).toBeUndefined();
    expect(comparePlain({ a: undefined }, { a: null })).toBeUndefined();
  });

  it("differ otherwise, and the first difference is told", () => {
    expect(comparePlain({ a: 1, b: 1 }, { a: 2, b: 2 })).toMatchObject({
      path: expect.stringContaining("a"),
    });
    expect(comparePlain({ a: 1 }, { a: "1" })?.text).toBe("it is read as another value (type)");
    expect(comparePlain({}, { a: 1 })?.text).toBe("it is read, and was not written");
    expect(comparePlain([1, 2], [1])).toBeDefined();
  });
});

describe("values of Avro", () => {
  const compare = (written: unknown, read: unknown, fallbacks: readonly string[] = []) =>
    compareAvro(written, read, new Set(fallbacks));
  const another = (path: string) => ({ path, text: "it is read as another value" });

  it.each<[string, unknown, unknown]>([
    ["the same", { a: 1 }, { a: 1 }],
    ["a field that the reader does not have", { a: 1, b: 2 }, { a: 1 }],
    ["a field that only the reader has", { a: 1, b: 2 }, { a: 1, b: 2, c: 0 }],
    ["a promoted number", 7, 7n],
    ["a number that lost the digits of single precision", 0.1, Math.fround(0.1)],
    ["a timestamp as its number", new Date(5), 5n],
    ["a number as a timestamp", 5n, new Date(5)],
    ["the same timestamp", new Date(5), new Date(5)],
    ["a text as its bytes", "ä", Buffer.from("ä")],
    ["bytes as their text", Buffer.from("ä"), "ä"],
    ["the same bytes", Uint8Array.of(1, 2), Uint8Array.of(1, 2)],
    ["a decimal as its bytes", "-12.50", Uint8Array.of(1)],
    ["a uuid as its bytes", "123e4567-e89b-12d3-a456-426614174000", new Uint8Array(16)],
    ["a decimal of another scale", "12.50", "12.5"],
    ["a local time with more digits", "2026-11-05T12:00:00.000", "2026-11-05T12:00:00.000000"],
    ["a branch that is wrapped on one side", { string: "a" }, "a"],
    ["a branch that is wrapped on the other side", "a", { string: "a" }],
    ["a record that is wrapped on one side", { R: { a: 1, b: 2 } }, { a: 1, b: 2 }],
    ["a record that is wrapped on the other side", { a: 1, b: 2 }, { R: { a: 1, b: 2 } }],
    ["a list of the same items", [1, "a"], [1n, "a"]],
    ["null", null, null],
  ])("are the same: %s", (_, written, read) => {
    expect(compare(written, read)).toBeUndefined();
  });

  it.each<[string, unknown, unknown, string]>([
    ["a number", { a: 1 }, { a: 2 }, "/a"],
    ["a large integer", 2n ** 60n, 2n ** 61n, ""],
    ["a text", { a: { b: "x" }, c: 1 }, { a: { b: "y" }, c: 1 }, "/a/b"],
    ["an item", [1, 2], [1, 3], "/1"],
    ["a timestamp", new Date(5), new Date(6), ""],
    ["bytes", Uint8Array.of(1), Uint8Array.of(2), ""],
    ["text that is not those bytes", "a", Uint8Array.of(0x62), ""],
    ["bytes that are not that text", Uint8Array.of(0x62), "a", ""],
    ["digits", "12.5", "12.6", ""],
    ["a text with zeros at its end, which is no number", "v1.0", "v1", ""],
    ["a boolean", true, false, ""],
    ["null", null, 0, ""],
    ["a wrapped branch", { string: "a" }, "b", ""],
    ["a branch that is wrapped in the reader", "a", { string: "b" }, ""],
    ["a wrapped record", { R: { a: 1, b: 2 } }, { a: 1, b: 3 }, "/b"],
    ["a record wrapped in the reader", { a: 1, b: 2 }, { R: { a: 1, b: 3 } }, "/b"],
  ])("differ in %s", (_, written, read, path) => {
    expect(compare(written, read)).toEqual(another(path));
  });

  it("differ if items are lost", () => {
    expect(compare({ a: [1, 2] }, { a: [1] })).toEqual({ path: "/a", text: "2 items are read as 1" });
  });

  it("are the same where the default of an enum stands for a symbol that the reader does not know", () => {
    expect(compare("NEW", "UNKNOWN", ["UNKNOWN"])).toBeUndefined();
    expect(compare("NEW", "OTHER", ["UNKNOWN"])).toEqual(another(""));
    expect(compare("NEW", 7, ["UNKNOWN"])).toEqual(another(""));
  });
});

const field = (number: number, name: string, more: Partial<ProtobufField> = {}): ProtobufField => ({
  name,
  number,
  type: "int32",
  isRepeated: false,
  isRequired: false,
  isOptional: false,
  oneof: undefined,
  message: undefined,
  isMap: false,
  values: undefined,
  default: undefined,
  isLongText: false,
  ...more,
});
const message = (...fields: readonly ProtobufField[]): ProtobufMessage => ({
  name: "M",
  fields: new Map(fields.map((each) => [each.number, each])),
  reserved: [],
});

describe("messages of Protobuf", () => {
  const another = (path: string) => ({ path, text: "it is read as another value" });

  it("are compared by the numbers of their fields, or else by their names", () => {
    const writer = message(field(1, "order_id"));
    expect(compareProtobuf({ orderId: 7 }, { id: 7 }, writer, message(field(1, "id")))).toBeUndefined();
    expect(compareProtobuf({ orderId: 7 }, { id: 8 }, writer, message(field(1, "id")))).toEqual(
      another("/order_id"),
    );
    const renumbered = message(field(2, "order_id"));
    expect(compareProtobuf({ orderId: 7 }, {}, writer, renumbered)).toEqual({
      path: "/order_id",
      text: "it is lost",
    });
    expect(compareProtobuf({ orderId: 7 }, {}, writer, message())).toBeUndefined();
  });

  it.each([0, 0n, "", false, [], new Uint8Array(), {}, undefined])(
    "may leave out %s, which is the default",
    (unset) => {
      const type = message(field(1, "a"));
      expect(compareProtobuf({ a: unset }, {}, type, type)).toBeUndefined();
    },
  );

  it.each([1, 1n, "a", true, [0], Uint8Array.of(1)])("lose %s, which is none", (value) => {
    const type = message(field(1, "a", { isRepeated: Array.isArray(value) }));
    expect(compareProtobuf({ a: value }, {}, type, type)).toEqual({ path: "/a", text: "it is lost" });
  });

  it("have the defaults of proto2 where a field is absent", () => {
    const writer = message(field(1, "a", { default: "-5" }));
    const reader = message(field(1, "a"));
    expect(compareProtobuf({}, { a: -5 }, writer, reader)).toBeUndefined();
    expect(compareProtobuf({}, {}, writer, reader)).toEqual({ path: "/a", text: "it is lost" });
    const text = message(field(1, "a", { type: "string", default: "5" }));
    expect(compareProtobuf({}, { a: "5" }, text, text)).toBeUndefined();
    expect(compareProtobuf({}, { a: 5 }, text, text)).toEqual(another("/a"));
  });

  it("may have booleans that are read as numbers", () => {
    const type = message(field(1, "a"));
    expect(compareProtobuf({ a: true }, { a: 1 }, type, type)).toBeUndefined();
    expect(compareProtobuf({ a: true }, { a: 2 }, type, type)).toEqual(another("/a"));
  });

  it("are compared in depth: messages, lists and the values of maps", () => {
    const line = message(field(1, "sku"));
    const entry = message(field(1, "key"), field(2, "value", { type: "message", message: line }));
    const type = message(
      field(1, "line", { type: "message", message: line }),
      field(2, "lines", { type: "message", message: line, isRepeated: true }),
      field(3, "by_key", { type: "message", message: entry, isMap: true, isRepeated: true }),
    );
    const written = { line: { sku: 1 }, lines: [{ sku: 1 }, { sku: 2 }], byKey: { a: { sku: 1 } } };
    expect(compareProtobuf(written, structuredClone(written), type, type)).toBeUndefined();
    expect(compareProtobuf(written, { ...written, line: { sku: 2 } }, type, type)).toEqual(
      another("/line/sku"),
    );
    expect(compareProtobuf(written, { ...written, lines: [{ sku: 1 }, { sku: 3 }] }, type, type)).toEqual(
      another("/lines/sku"),
    );
    expect(compareProtobuf(written, { ...written, byKey: { a: { sku: 2 } } }, type, type)).toEqual(
      another("/by_key/sku"),
    );
    expect(compareProtobuf(written, { ...written, lines: [{ sku: 1 }] }, type, type)).toEqual({
      path: "/lines",
      text: "only a part of it is read",
    });
  });

  it("keep the choice of a oneof", () => {
    const type = message(field(1, "iban", { oneof: "payment" }), field(2, "card", { oneof: "payment" }));
    const iban = { payment: { case: "iban", value: 7 } };
    expect(compareProtobuf(iban, structuredClone(iban), type, type)).toBeUndefined();
    expect(compareProtobuf(iban, { payment: { case: "card", value: 7 } }, type, type)).toEqual({
      path: "/iban",
      text: "it is lost",
    });
    const fewer = message(field(2, "card", { oneof: "payment" }));
    expect(compareProtobuf(iban, {}, type, fewer)).toEqual({
      path: "/iban",
      text: "the reader sees no choice",
    });
    expect(compareProtobuf(iban, {}, type, message(field(3, "other")))).toBeUndefined();
  });
});
