import type { JsonSchema } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { typeDeclarations } from "../../contract.js";

/** The type that is generated for a schema. */
function typeOf(
  schema: JsonSchema | undefined,
  options: Record<string, unknown> = {},
  serializer = "json",
): string {
  const schemas = schema === undefined ? {} : { [serializer]: { language: "json-schema", schema } };
  const text = typeDeclarations({
    ...{ waybillContract: 1, service: "orders", entities: { sends: [], receives: [] } },
    serializers: [{ name: serializer, mediaTypes: [], options }],
    messageTypes: [
      {
        ...{ name: "m", aliases: [], version: 1, removed: [], writes: [] },
        versions: [{ version: 1, upcasts: [], isWritable: true, schemas }],
      },
    ],
  });
  const start = text.indexOf("export ");
  return text
    .slice(start)
    .replace(/^export (?:type MV1 =|interface MV1)/, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

describe("the type of a JSON Schema", () => {
  it.each<[JsonSchema, string]>([
    [true, "unknown;"],
    [false, "never;"],
    [{}, "unknown;"],
    [{ const: "a" }, '"a";'],
    [{ const: null }, "null;"],
    [{ enum: ["a", 1, true] }, '"a" | 1 | true;'],
    [{ const: { a: [1, "b"] } }, '{ readonly a: readonly [1, "b"]; }'],
    [{ const: [] }, "readonly [];"],
    [{ $ref: "#/$defs/none" }, "unknown;"],
    [{ anyOf: [{ type: "string" }, true] }, "unknown;"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string | null;"],
    [{ oneOf: [{ type: "string" }, { type: "boolean" }] }, "string | boolean;"],
    [{ type: ["string", "null"] }, "null | string;"],
    [{ allOf: [{ anyOf: [{ type: "string" }, { type: "null" }] }] }, "string | null;"],
    [
      { allOf: [{ anyOf: [{ type: "string" }, { type: "null" }] }, { type: "string" }] },
      "(string | null) & string;",
    ],
    [{ type: "array" }, "readonly unknown[];"],
    [{ type: "array", items: { type: "string" } }, "readonly string[];"],
    [{ type: "array", items: { type: ["string", "null"] } }, "ReadonlyArray<null | string>;"],
    [
      { type: "array", prefixItems: [{ type: "string" }, { type: "null" }] },
      "readonly [string?, null?, ...unknown[]];",
    ],
    [
      { type: "array", prefixItems: [{ type: "string" }, { type: "null" }], minItems: 1, items: false },
      "readonly [string, null?];",
    ],
    [
      { type: "array", prefixItems: [{ type: "string" }], items: { type: ["string", "null"] } },
      "readonly [string?, ...(null | string)[]];",
    ],
    [
      { type: "array", prefixItems: [{ type: ["string", "null"] }], minItems: 0 },
      "readonly [(null | string)?, ...unknown[]];",
    ],
    [{ type: "object" }, "{ readonly [name: string]: unknown; }"],
    [{ type: "object", additionalProperties: { type: "string" } }, "{ readonly [name: string]: string; }"],
    [
      {
        type: "object",
        properties: { a: { type: "string", description: "A text." }, b: true, c: { description: 7 } },
        required: ["a", "z"],
      } as never,
      "{ /** A text. */ readonly a: string; readonly b?: unknown; readonly c?: unknown; readonly z: unknown; }",
    ],
    [{ properties: { a: { type: "string" } } }, "{ readonly a?: string; }"],
    [{ properties: { "a-b": { type: "string" } } }, '{ readonly "a-b"?: string; }'],
  ])("%j", (schema, expected) => {
    expect(typeOf(schema)).toBe(expected);
  });

  it.each<[JsonSchema, Record<string, unknown>, string, string]>([
    [{ type: "integer" }, {}, "json", "number;"],
    [{ type: "integer" }, { readUnsafeIntegers: "bigint" }, "json", "number | bigint;"],
    [{ type: "integer" }, { readUnsafeIntegers: "string" }, "json", "number | string;"],
    [{ type: "integer" }, { readUnsafeIntegers: "refuse" }, "json", "number;"],
    [{ type: "integer" }, {}, "msgpack", "number | bigint;"],
    [{ type: "integer", minimum: 0, maximum: 9 }, { readUnsafeIntegers: "bigint" }, "json", "number;"],
    [{ type: "integer", minimum: 0 }, { readUnsafeIntegers: "bigint" }, "json", "number | bigint;"],
    [{ type: "integer", format: "int32" }, { readUnsafeIntegers: "bigint" }, "json", "number;"],
    [{ type: "integer", format: "int64" }, { readUnsafeIntegers: "bigint" }, "json", "number | bigint;"],
  ])("%j with %j in %s", (schema, options, serializer, expected) => {
    expect(typeOf(schema, options, serializer)).toBe(expected);
  });

  it("is unknown without a schema", () => {
    expect(typeOf(undefined)).toBe("unknown;");
  });
});
