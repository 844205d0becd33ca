import type { JsonSchema } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { jsonSchemaObstacles } from "./json-schema-inclusion.js";

/** Why the reader's schema does not accept every value of the writer's, one line each. */
function obstacles(writer: JsonSchema, reader: JsonSchema, writesOnlyDeclared = false): readonly string[] {
  return jsonSchemaObstacles(writer, reader, { writesOnlyDeclared }).map(
    ({ kind, path, text }) => `${kind}${path === "" ? "" : ` at ${path}`}: ${text}`,
  );
}

const accepts = (what: string) => [`breaks: the reader accepts ${what}`];
const mayAccept = (what: string) => [`not-decided: the reader accepts ${what}`];
type Case = [writer: JsonSchema, reader: JsonSchema, expected: readonly string[]];

describe("numbers", () => {
  const formatOf = (name: string) => [
    `not-decided: whether all numbers of the writer have the format ${name} is not known`,
  ];
  it.each<Case>([
    [{ type: "integer", minimum: 1 }, { type: "integer", minimum: 1 }, []],
    [{ type: "number", minimum: 0.5 }, { minimum: 1 }, accepts("numbers from 1")],
    [{ type: "integer", minimum: 0.5 }, { minimum: 1 }, []],
    [{ type: "number", maximum: 1.5 }, { maximum: 1 }, accepts("numbers up to 1")],
    [{ type: "integer", maximum: 1.5 }, { maximum: 1 }, []],
    [
      { type: "integer" },
      { minimum: 0, maximum: 9 },
      ["breaks: the reader accepts numbers from 0", "breaks: the reader accepts numbers up to 9"],
    ],
    [{ type: "integer", exclusiveMinimum: 0 }, { minimum: 1 }, []],
    [{ type: "integer", exclusiveMinimum: 0.5 }, { minimum: 1 }, []],
    [{ type: "integer", exclusiveMinimum: 0 }, { minimum: 2 }, accepts("numbers from 2")],
    [{ type: "number", exclusiveMinimum: 0 }, { minimum: 1 }, accepts("numbers from 1")],
    [{ type: "number", exclusiveMinimum: 0 }, { exclusiveMinimum: 0 }, []],
    [{ type: "number", minimum: 0 }, { exclusiveMinimum: 0 }, accepts("numbers above 0")],
    [{ type: "number", minimum: 1 }, { exclusiveMinimum: 0 }, []],
    [
      { type: "number", minimum: 1, exclusiveMinimum: 0 },
      { exclusiveMinimum: 1 },
      accepts("numbers above 1"),
    ],
    [{ type: "integer", exclusiveMaximum: 10 }, { maximum: 9 }, []],
    [{ type: "integer", exclusiveMaximum: 9.5 }, { maximum: 9 }, []],
    [{ type: "integer", exclusiveMaximum: 10 }, { maximum: 8 }, accepts("numbers up to 8")],
    [{ type: "number", exclusiveMaximum: 10 }, { maximum: 9 }, accepts("numbers up to 9")],
    [{ type: "number", exclusiveMaximum: 10 }, { exclusiveMaximum: 10 }, []],
    [{ type: "number", maximum: 10 }, { exclusiveMaximum: 10 }, accepts("numbers below 10")],
    [{ type: "number", maximum: 9 }, { exclusiveMaximum: 10 }, []],
    [{ type: "number", multipleOf: 4, minimum: 1 }, { minimum: 4 }, mayAccept("numbers from 4")],
    [{ type: "number", multipleOf: 4 }, { multipleOf: 2 }, []],
    [{ type: "number", multipleOf: 2 }, { multipleOf: 4 }, accepts("multiples of 4")],
    [{ type: "number" }, { multipleOf: 1 }, accepts("multiples of 1")],
    [{ type: "integer" }, { multipleOf: 1 }, []],
    [{ type: "integer" }, { multipleOf: 2 }, accepts("multiples of 2")],
    [{ type: "integer" }, { format: "int32" }, formatOf("int32")],
    [{ type: "integer", format: "int32" }, { format: "int32" }, []],
    [{ type: "integer", minimum: -2147483648, maximum: 2147483647 }, { format: "int32" }, []],
    [{ type: "integer", minimum: -2147483649, maximum: 2147483647 }, { format: "int32" }, formatOf("int32")],
    [{ type: "integer", minimum: -2147483648, maximum: 2147483648 }, { format: "int32" }, formatOf("int32")],
    [{ type: "integer", minimum: 0, maximum: 2 ** 40 }, { format: "int64" }, []],
    [{ type: "integer", minimum: -(2 ** 63), maximum: 2 ** 62 }, { format: "int64" }, []],
    [{ type: "integer", minimum: 0, maximum: 2 ** 63 }, { format: "int64" }, formatOf("int64")],
    [{ type: "integer", minimum: -(2 ** 64), maximum: 0 }, { format: "int64" }, formatOf("int64")],
    [{ type: "number", minimum: 0, maximum: 1 }, { format: "int32" }, formatOf("int32")],
    [{ type: "integer", minimum: 0, maximum: 1 }, { format: "double" }, formatOf("double")],
    [{ type: "number" }, { type: "integer" }, ["breaks: number is not read as integer"]],
    [{ type: "number", multipleOf: 2 }, { type: "integer" }, []],
    [{ type: "number", multipleOf: 0.5 }, { type: "integer" }, ["breaks: number is not read as integer"]],
    [{ type: "number", multipleOf: 2 }, { type: "string" }, ["breaks: number is not read as string"]],
    [{ type: "integer" }, { type: "number" }, []],
  ])("%j read as %j", (writer, reader, expected) => {
    expect(obstacles(writer, reader)).toEqual(expected);
  });
});

describe("texts", () => {
  const pattern = (kind: string) =>
    kind === "breaks"
      ? ['breaks: the reader accepts only texts that match "^a"']
      : ["not-decided: whether all texts of the writer match the reader's pattern is not known"];
  const uuid = (kind: string) =>
    kind === "breaks"
      ? ["breaks: the reader accepts only texts of the format uuid"]
      : ["not-decided: whether all texts of the writer have the format uuid is not known"];
  it.each<Case>([
    [{ type: "string", minLength: 1 }, { minLength: 1 }, []],
    [{ type: "string", minLength: 1 }, { minLength: 2 }, accepts("at least 2 characters")],
    [{ type: "string" }, { minLength: 1 }, accepts("at least 1 characters")],
    [{ type: "string", maxLength: 5 }, { maxLength: 5 }, []],
    [{ type: "string", maxLength: 6 }, { maxLength: 5 }, accepts("at most 5 characters")],
    [{ type: "string", pattern: "^a" }, { minLength: 1 }, mayAccept("at least 1 characters")],
    [{ type: "string", format: "date" }, { minLength: 1 }, mayAccept("at least 1 characters")],
    [{ type: "string" }, { pattern: "^a" }, pattern("breaks")],
    [{ type: "string", pattern: "^a" }, { pattern: "^a", minLength: 0 }, []],
    [{ type: "string", pattern: "^ab" }, { pattern: "^a" }, pattern("not-decided")],
    [{ type: "string", format: "uuid" }, { pattern: "^a" }, pattern("not-decided")],
    [{ type: "string" }, { format: "uuid" }, uuid("breaks")],
    [{ type: "string", format: "uuid" }, { format: "uuid", minLength: 0 }, []],
    [{ type: "string", format: "date" }, { format: "uuid" }, uuid("not-decided")],
    [{ type: "string", pattern: "^ab" }, { format: "uuid" }, uuid("not-decided")],
  ])("%j read as %j", (writer, reader, expected) => {
    expect(obstacles(writer, reader)).toEqual(expected);
  });
});

describe("lists", () => {
  const pair = [{ type: "string" }, { type: "string" }];
  it.each<Case>([
    [{ type: "array", minItems: 2 }, { minItems: 2, maxItems: 9 }, accepts("at most 9 items")],
    [{ type: "array", maxItems: 9 }, { minItems: 1, maxItems: 9 }, accepts("at least 1 items")],
    [{ type: "array", prefixItems: pair, items: false }, { maxItems: 2 }, []],
    [{ type: "array", prefixItems: pair, items: false }, { maxItems: 1 }, accepts("at most 1 items")],
    [{ type: "array", prefixItems: pair, items: false, maxItems: 1 }, { maxItems: 1 }, []],
    [{ type: "array", prefixItems: pair, items: false, maxItems: 7 }, { maxItems: 2 }, []],
    [{ type: "array", prefixItems: pair, items: true }, { maxItems: 2 }, accepts("at most 2 items")],
    [{ type: "array", prefixItems: pair }, { maxItems: 2 }, accepts("at most 2 items")],
    [{ type: "array", items: false }, { maxItems: 0 }, []],
    [{ type: "array", maxItems: 1 }, { uniqueItems: true }, []],
    [{ type: "array", uniqueItems: true }, { uniqueItems: true, minItems: 0 }, []],
    [
      { type: "array", items: { type: "string" } },
      { items: { type: "number" } },
      ["breaks at []: string is not read as number"],
    ],
  ])("%j read as %j", (writer, reader, expected) => {
    expect(obstacles(writer, reader)).toEqual(expected);
  });
});

describe("objects", () => {
  const a = { properties: { a: { type: "string" } } };
  const others = "the writer's schema lets it write properties that the reader's does not accept";
  it.each<Case>([
    [{ type: "object", required: ["a", "b"] }, { minProperties: 2 }, []],
    [{ type: "object", required: ["a"] }, { minProperties: 2 }, accepts("at least 2 properties")],
    [{ type: "object", ...a, additionalProperties: false }, { maxProperties: 1 }, []],
    [
      { type: "object", ...a, additionalProperties: false },
      { maxProperties: 0 },
      accepts("at most 0 properties"),
    ],
    [{ type: "object", ...a }, { maxProperties: 1 }, accepts("at most 1 properties")],
    [
      { type: "object", ...a, additionalProperties: false, patternProperties: { "^b": {} } },
      { maxProperties: 1 },
      accepts("at most 1 properties"),
    ],
    [
      { type: "object", ...a, additionalProperties: { type: "string" } },
      { ...a, additionalProperties: { type: "number" } },
      [`breaks at {}: ${others}`],
    ],
    [
      { type: "object", ...a, additionalProperties: { type: "string", pattern: "^a" } },
      { ...a, additionalProperties: { type: "string", pattern: "^ab" } },
      [`not-decided at {}: ${others}`],
    ],
    [
      { type: "object", ...a, additionalProperties: { type: "string" } },
      { properties: { a: { type: "string" }, b: { type: "number" } } },
      ["breaks at b: string is not read as number"],
    ],
    [
      { type: "object", ...a },
      { patternProperties: { "^b": { type: "string" } } },
      ['not-decided at {}: the writer may write properties that match "^b"'],
    ],
    [
      { type: "object", ...a, additionalProperties: false },
      { patternProperties: { "^b": { type: "string" } } },
      [],
    ],
    [
      { type: "object", additionalProperties: false, patternProperties: { "^c": {} } },
      { patternProperties: { "^b": { type: "string" } } },
      ['not-decided at {}: the writer may write properties that match "^b"'],
    ],
    [
      { type: "object", properties: { a: { type: "string" } }, additionalProperties: false },
      { additionalProperties: { type: "number" } },
      ["breaks at a: string is not read as number"],
    ],
  ])("%j read as %j", (writer, reader, expected) => {
    expect(obstacles(writer, reader)).toEqual(expected);
  });

  it("that are written with declared properties only have no others", () => {
    const [writer, reader] = [
      { type: "object", ...a },
      { type: "object", ...a, additionalProperties: false },
    ];
    expect(obstacles(writer, reader)).toEqual([`breaks at {}: ${others}`]);
    expect(obstacles(writer, reader, true)).toEqual([]);
    const open = { ...writer, additionalProperties: { type: "string" } };
    expect(obstacles(open, reader, true)).toEqual([`breaks at {}: ${others}`]);
    expect(
      obstacles(
        { ...writer, additionalProperties: null } as never,
        { properties: { b: { type: "number" } } },
        true,
      ),
    ).toEqual([]);
  });
});

describe("whole schemas", () => {
  const values = "the reader accepts only certain values, and the writer may write others";
  it.each<Case>([
    [{ type: "string" }, { const: "a" }, [`breaks: ${values}`]],
    [{ type: "string" }, { enum: ["a", "b"] }, [`breaks: ${values}`]],
    [{ type: "string", maxLength: 1 }, { enum: ["a"] }, [`not-decided: ${values}`]],
    [{ const: "a" }, { enum: ["a", "b"] }, []],
    [{ enum: ["a", "c"] }, { enum: ["a", "b"] }, ['breaks: the reader does not accept "c"']],
    [{ type: "boolean" }, { enum: [true, false] }, []],
    [{ type: "boolean" }, { const: true }, ["breaks: the reader does not accept false"]],
    [{ type: "boolean" }, { const: false }, ["breaks: the reader does not accept true"]],
    [{ type: "null" }, { const: null }, []],
    [
      { type: "string" },
      { type: "string", secret: 1 } as never,
      ['not-decided: the keyword "secret" of the reader\'s schema is not understood'],
    ],
    [
      { type: "string" },
      { $ref: "#/$defs/none" },
      ["not-decided: the reader's reference #/$defs/none is not in its schema"],
    ],
    [
      { $ref: "#/$defs/none" },
      { type: "string" },
      ["not-decided: the writer's schema has a reference that is not in it"],
    ],
    [{ type: "string" }, { not: {} }, ["breaks: the reader accepts no value here"]],
    [{ type: "string" }, { not: { type: "number" } }, []],
    [
      { type: "string" },
      { not: { minLength: 3 } },
      ['not-decided: the reader\'s "not" may refuse a value of the writer'],
    ],
    [{ not: {} }, { type: "string" }, []],
    [
      true,
      { type: "string" },
      [
        ...["null", "false"].map((value) => `breaks: the reader does not accept ${value}`),
        ...["array", "object", "number"].map((type) => `breaks: ${type} is not read as string`),
      ],
    ],
    [{ type: ["string", "null"] }, { type: "string" }, ["breaks: the reader does not accept null"]],
  ])("%j read as %j", (writer, reader, expected) => {
    expect(obstacles(writer, reader)).toEqual(expected);
  });

  it("that are the same are read, whatever is in them", () => {
    const schema = { type: "string", secret: 1, contains: true } as JsonSchema;
    expect(obstacles(schema, structuredClone(schema))).toEqual([]);
  });

  it("of any depth up to 64 levels are compared", () => {
    const nested = (depth: number, type: string): JsonSchema =>
      depth === 0 ? { type } : { type: "array", items: nested(depth - 1, type) };
    expect(obstacles(nested(40, "string"), nested(40, "string"))).toEqual([]);
    expect(obstacles(nested(64, "string"), nested(64, "number"))).toEqual([
      `breaks at ${"[]".repeat(64)}: string is not read as number`,
    ]);
    expect(obstacles(nested(65, "string"), nested(65, "number"))).toEqual([
      `not-decided at ${"[]".repeat(65)}: the schema is nested deeper than 64 levels`,
    ]);
  });
});
