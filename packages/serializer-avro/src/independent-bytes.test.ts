import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { avro } from "./avro-serializer.js";
import { contextOf } from "./messages.test-support.js";
import { compileSchema, fingerprint } from "./schema/compiled-schema.js";
import type { AvroSchema } from "./schema/normalize-schema.js";

interface PythonCase {
  readonly name: string;
  readonly schema: AvroSchema;
  readonly value: unknown;
  readonly body: string;
  readonly canonicalForm: string;
  readonly fingerprint: string;
}

const file = new URL("../fixtures/python-avro.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: PythonCase[] };

describe("bodies of Apache Avro for Python", () => {
  it.each(cases)("$name is read and written the same", ({ schema, value, body }) => {
    const serializer = avro({ schema, schemaId: "1", framing: "raw" });
    const expected = revive(value, schema);
    const bytes = new Uint8Array(Buffer.from(body, "hex"));
    assert.deepStrictEqual(serializer.deserialize(bytes, contextOf({ schemaId: "1" })), expected);
    const written = serializer.serialize(expected, contextOf()) as { bytes: Uint8Array };
    expect(Buffer.from(written.bytes).toString("hex")).toBe(body);
  });

  const plain = cases.filter(
    ({ schema }) => typeof schema === "string" || !Object.hasOwn(schema, "logicalType"),
  );
  it.each(plain)("the schema of $name has the same canonical form and fingerprint", (one) => {
    const compiled = compileSchema(one.schema, { longs: "auto", unions: "auto", rawLogicalTypes: new Set() });
    expect(JSON.stringify(compiled.type.schema())).toBe(one.canonicalForm);
    expect(compiled.fingerprint.toString(16).padStart(16, "0")).toBe(one.fingerprint);
  });
});

describe("the fingerprints of the specification's primitives", () => {
  // Source: share/test/data/schema-tests.txt of Apache Avro.
  const published = {
    null: 7195948357588979594n,
    boolean: -6970731678124411036n,
    int: 8247732601305521295n,
    long: -3434872931120570953n,
    float: 5583340709985441680n,
    double: -8181574048448539266n,
    bytes: 5746618253357095269n,
    string: -8142146995180207161n,
  };
  it.each(Object.entries(published))("%s", (schema, expected) => {
    expect(BigInt.asIntN(64, fingerprint(schema))).toBe(expected);
    expect(fingerprint({ type: schema, logicalType: "made-up", doc: "ignored" })).toBe(fingerprint(schema));
  });
});

describe("the worked examples of the specification", () => {
  function raw(schema: AvroSchema) {
    return avro({ schema, schemaId: "1", framing: "raw" });
  }

  const longs: [number, string][] = [
    [0, "00"],
    [-1, "01"],
    [1, "02"],
    [-2, "03"],
    [2, "04"],
    [-64, "7f"],
    [64, "8001"],
  ];
  const examples: [string, AvroSchema, unknown, string][] = [
    ...longs.map(([value, hex]): [string, AvroSchema, unknown, string] => [
      `the long ${value}`,
      "long",
      value,
      hex,
    ]),
    ["the string foo", "string", "foo", "06666f6f"],
    [
      "a record",
      {
        type: "record",
        name: "test",
        fields: [
          { name: "a", type: "long" },
          { name: "b", type: "string" },
        ],
      },
      { a: 27, b: "foo" },
      "3606666f6f",
    ],
    ["an array", { type: "array", items: "long" }, [3, 27], "04063600"],
    ["a union with null", ["null", "string"], null, "00"],
    ["a union with a string", ["null", "string"], "a", "020261"],
  ];
  it.each(examples)("%s", (_, schema, value, hex) => {
    const bytes = new Uint8Array(Buffer.from(hex, "hex"));
    expect(raw(schema).deserialize(bytes, contextOf({ schemaId: "1" }))).toEqual(value);
    expect((raw(schema).serialize(value, contextOf()) as { bytes: Uint8Array }).bytes).toEqual(bytes);
  });
});

function revive(value: unknown, schema: AvroSchema): unknown {
  if (Array.isArray(value)) return value.map((item) => revive(item, schema));
  if (typeof value !== "object" || value === null) return value;
  if ("$bytes" in value) return new Uint8Array(Buffer.from(String(value.$bytes), "hex"));
  if ("$bigint" in value) return BigInt(String(value.$bigint));
  if ("$text" in value) {
    const text = String(value.$text);
    return (schema as { readonly logicalType?: unknown }).logicalType === "decimal" ? text : new Date(text);
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, revive(member, schema)]));
}
