import type { JsonSchema } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { JsonSchemaDocument } from "./json-schema-document.js";

const id = { type: "integer", minimum: 1 };
const order = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://acme.example/order",
  type: "object",
  $defs: { id, "a/b~c": { type: "string" }, none: false },
  allOf: [{ type: "object" }],
  properties: { id: { $ref: "#/$defs/id" }, next: { $ref: "#" } },
};

describe("a reference", () => {
  it.each([
    ["#", order],
    ["#/$defs/id", id],
    ["#/$defs/a~1b~0c", { type: "string" }],
    ["#/%24defs/id", id],
    ["#/$defs/none", false],
    ["#/allOf/0", { type: "object" }],
    ["#/$defs/missing", undefined],
    ["#/$defs/missing/deeper", undefined],
    ["#/type", undefined],
    ["#id", undefined],
    ["https://acme.example/other", undefined],
  ])("%s is found by its JSON pointer", (reference, expected) => {
    expect(new JsonSchemaDocument(order).resolve(reference)).toEqual(expected);
  });
});

it("a reference is not found in a schema with ids inside, where references begin", () => {
  const inside = { $id: "https://acme.example/order", $defs: { list: [{ $id: "line" }], id } };
  expect(new JsonSchemaDocument(inside).resolve("#/$defs/id")).toBeUndefined();
  expect(
    new JsonSchemaDocument({ ...inside, $defs: { list: [null, { $id: 7 }], id } }).resolve("#/$defs/id"),
  ).toBe(id);
});

describe("the restrictions of a schema", () => {
  const restrictions = (schema: JsonSchema, root: JsonSchema = {}) =>
    new JsonSchemaDocument(root).restrictions(schema);

  it("are its keywords without what says nothing of values", () => {
    expect(restrictions({ title: "An id", description: "…", default: 1, examples: [1], ...id })).toEqual(id);
    expect([restrictions(true), restrictions(false)]).toEqual([{}, { not: {} }]);
  });

  it("include null where OpenAPI says nullable", () => {
    expect(restrictions({ type: "string", nullable: true })).toEqual({ type: ["string", "null"] });
    expect(restrictions({ type: ["string", "integer"], nullable: true })).toEqual({
      type: ["string", "integer", "null"],
    });
    expect(restrictions({ type: "string", nullable: false })).toEqual({ type: "string" });
    expect(restrictions({ minimum: 1, nullable: true })).toEqual({ minimum: 1 });
  });

  it("have the names of draft 2020-12 for items by place", () => {
    expect(restrictions({ items: [id, true], additionalItems: false })).toEqual({
      prefixItems: [id, true],
      items: false,
    });
    expect(restrictions({ items: [id] })).toEqual({ prefixItems: [id] });
    expect(restrictions({ items: id, additionalItems: false })).toEqual({ items: id });
  });

  it("are a reference alone in draft 7, which ignores what stands beside it", () => {
    const schema = { $ref: "#/definitions/id", minimum: 7 };
    const draft7 = { $schema: "http://json-schema.org/draft-07/schema#" };
    expect(restrictions(schema, draft7)).toEqual({ $ref: "#/definitions/id" });
    expect(restrictions(schema, order)).toEqual(schema);
    expect(restrictions(id, draft7)).toEqual(id);
  });
});

describe("a part of a schema", () => {
  it("accepts what it accepts in its document, references included", () => {
    const document = new JsonSchemaDocument(order);
    const part = order.properties.id;
    expect([7, 0, "7"].map((value) => document.accepts(part, value))).toEqual([true, false, false]);
    expect(document.accepts(order.properties.next, { id: 7, next: { id: 0 } })).toBe(false);
    expect(document.accepts(order, { id: 7, next: { next: {} } })).toBe(true);
    expect(document.accepts({ anyOf: [part, { const: "none" }] }, "none")).toBe(true);
  });

  it("is not decided if it cannot be compiled", () => {
    expect(new JsonSchemaDocument(order).accepts({ $ref: "https://acme.example/other" }, 7)).toBeUndefined();
  });

  it("of a document that is a boolean is decided alone", () => {
    const document = new JsonSchemaDocument(true);
    expect([document.accepts(true, 7), document.accepts(id, 7), document.accepts(id, 0)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
