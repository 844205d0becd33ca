import { describe, expect, it } from "vitest";
import { avro } from "./avro-serializer.js";
import { read, roundTrip, write } from "./messages.test-support.js";
import { fingerprint } from "./schema/compiled-schema.js";
import { crc64Avro } from "./schema/fingerprint.js";
import type { AvroSchema } from "./schema/normalize-schema.js";

/** Valid Avro names that every JavaScript object inherits. */
const names = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== "__proto__");

const record = (name: string, fields: Readonly<Record<string, AvroSchema>>): AvroSchema => ({
  type: "record",
  name,
  fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
});

describe.each(names)("the name %s", (name) => {
  it("is one of a field", () => {
    const schema = record("R", { [name]: "string", b: "int" });
    expect(roundTrip(avro({ schema }), { [name]: "x", b: 1 })).toEqual({ [name]: "x", b: 1 });
    expect(() => write(avro({ schema }), { b: 1 })).toThrow("string is expected");
  });

  it("is one of a field that a writer leaves out, or does not have", () => {
    const schema: AvroSchema = {
      type: "record",
      name: "R",
      fields: [
        { name: "b", type: "int" },
        { name, type: "int", default: 7 },
      ],
    };
    expect(roundTrip(avro({ schema }), { b: 1 })).toEqual({ b: 1, [name]: 7 });
    const older = record("R", { b: "int" });
    const reader = avro({ schema, writerSchemas: [older] });
    expect(read(reader, write(avro({ schema: older }), { b: 1 }))).toEqual({ b: 1, [name]: 7 });
  });

  it("is one of a field that a reader skips, or knows under another name", () => {
    const writer = record("R", { a: "int", [name]: "string" });
    const body = write(avro({ schema: writer }), { a: 1, [name]: "x" });
    const skipping = avro({ schema: record("R", { a: "int" }), writerSchemas: [writer] });
    expect(read(skipping, body)).toEqual({ a: 1 });
    const schema: AvroSchema = {
      type: "record",
      name: "R",
      fields: [{ name: "text", aliases: [name], type: "string" }],
    };
    expect(read(avro({ schema, writerSchemas: [writer] }), body)).toEqual({ text: "x" });
  });

  it("is a symbol of an enum, also of a newer one", () => {
    const schema: AvroSchema = { type: "enum", name: "E", symbols: ["A", name], default: "A" };
    expect(roundTrip(avro({ schema }), name)).toBe(name);
    const newer: AvroSchema = { type: "enum", name: "E", symbols: [name, "B", "A"] };
    const reader = avro({ schema, writerSchemas: [newer] });
    expect(read(reader, write(avro({ schema: newer }), name))).toBe(name);
    expect(read(reader, write(avro({ schema: newer }), "B"))).toBe("A");
    const without: AvroSchema = { type: "enum", name: "E", symbols: ["A"] };
    expect(() => write(avro({ schema: without }), name)).toThrow("enum");
  });

  it("is one of a type, also in a union and with a namespace", () => {
    const type = record(name, { next: ["null", name] });
    expect(roundTrip(avro({ schema: type }), { next: { next: null } })).toEqual({ next: { next: null } });
    for (const full of [name, `com.example.${name}`]) {
      const schema: AvroSchema = ["null", record(full, { a: "int" }), record("Other", { a: "int" })];
      expect(roundTrip(avro({ schema }), { [full]: { a: 1 } })).toEqual({ [full]: { a: 1 } });
    }
    const writer = record("Older", { a: "int" });
    const schema: AvroSchema = { ...(record(name, { a: "int" }) as object), aliases: ["Older"] } as never;
    expect(
      read(avro({ schema, writerSchemas: [writer] }), write(avro({ schema: writer }), { a: 1 })),
    ).toEqual({
      a: 1,
    });
  });

  it("is as it is in the canonical form, of which the fingerprint is made", () => {
    const schema = record(name, {
      [name]: { type: "enum", name: "E", symbols: [name] },
      again: "E",
      self: ["null", name],
    });
    const form = `{"name":"${name}","type":"record","fields":[{"name":"${name}","type":{"name":"E","type":"enum","symbols":["${name}"]}},{"name":"again","type":"E"},{"name":"self","type":["null","${name}"]}]}`;
    expect(fingerprint(schema)).toBe(crc64Avro(Buffer.from(form)));
  });
});

it("the name __proto__ is refused", () => {
  const schema = record("R", {});
  const fields = [{ name: "__proto__", type: "int" }];
  expect(() => avro({ schema: { ...(schema as object), fields } as never })).toThrow(
    '"__proto__" is not supported, it would change the prototype of objects',
  );
});
