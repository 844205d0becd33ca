import type { JsonSchema } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { areDisjoint } from "./json-schema-disjoint.js";
import { JsonSchemaDocument } from "./json-schema-document.js";

function disjoint(writer: JsonSchema, reader: JsonSchema): boolean {
  const document = new JsonSchemaDocument(writer);
  return areDisjoint(document, [document.restrictions(writer)], new JsonSchemaDocument(reader), reader);
}

const kind = (schema: JsonSchema, more: object = {}) => ({
  type: "object",
  properties: { kind: schema },
  required: ["kind"],
  ...more,
});

describe("two schemas have no value in common", () => {
  it.each<[string, JsonSchema, JsonSchema]>([
    ["a schema that accepts nothing", { type: "string" }, false],
    ["types", { type: "string" }, { type: ["integer", "null"] }],
    ["values of the writer", { enum: ["a", "b"] }, { type: "string", minLength: 2 }],
    ["values of the reader", { type: "string", minLength: 2 }, { enum: ["a", "b"] }],
    ["single values", { const: "a" }, { const: "b" }],
    ["a discriminator", kind({ const: "a" }), kind({ const: "b" })],
    ["a discriminator of another type", kind({ type: "string" }), kind({ type: "integer" })],
  ])("by %s", (_, writer, reader) => {
    expect(disjoint(writer, reader)).toBe(true);
  });

  it.each<[string, JsonSchema, JsonSchema]>([
    ["a schema that accepts everything", { type: "string" }, true],
    ["an integer and a number", { type: "integer" }, { type: "number" }],
    ["a number and an integer", { type: "number" }, { type: "integer" }],
    ["one of the values", { enum: ["a", "bb"] }, { type: "string", minLength: 2 }],
    ["one of the reader's values", { type: "string", minLength: 2 }, { enum: ["a", "bb"] }],
    ["the same discriminator", kind({ const: "a" }), kind({ enum: ["a", "b"] })],
    [
      "a discriminator that the reader does not require",
      kind({ const: "a" }),
      { ...kind({ const: "b" }), required: [] },
    ],
    [
      "a discriminator that the writer does not require",
      { ...kind({ const: "a" }), required: [] },
      kind({ const: "b" }),
    ],
    [
      "a discriminator that the reader does not know",
      kind({ const: "a" }),
      { type: "object", required: ["kind"] },
    ],
    [
      "a discriminator that the writer does not describe",
      { type: "object", required: ["kind"] },
      kind({ const: "b" }),
    ],
    [
      "objects or texts",
      { ...kind({ const: "a" }), type: ["object", "string"] },
      { ...kind({ const: "b" }), type: ["object", "string"] },
    ],
    ["a reference to another document", { type: "string" }, { $ref: "https://acme.example/other" }],
  ])("but may: %s", (_, writer, reader) => {
    expect(disjoint(writer, reader)).toBe(false);
  });

  it("also by references, up to 17 in a row", () => {
    const chain = (length: number) => ({
      $defs: Object.fromEntries(
        Array.from({ length }, (_, index) => [
          String(index),
          index === length - 1 ? { const: "a" } : { $ref: `#/$defs/${index + 1}` },
        ]),
      ),
    });
    const writer = (length: number) => kind({ $ref: "#/$defs/0" }, chain(length));
    expect(disjoint(writer(1), kind({ const: "b" }))).toBe(true);
    expect(disjoint(writer(17), kind({ const: "b" }))).toBe(true);
    expect(disjoint(writer(18), kind({ const: "b" }))).toBe(false);
    expect(disjoint(kind({ $ref: "#/$defs/missing" }), kind({ const: "b" }))).toBe(false);
    expect(disjoint(kind({ $ref: "#" }), kind({ type: "string" }))).toBe(true);
  });
});
