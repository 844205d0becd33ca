import { type Serializer, WaybillError } from "@waybill/core";
import type { DeserializeContext, SerializerContext } from "@waybill/core/serializer";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it, vi } from "vitest";
import { type JsonBodySchema, json } from "./index.js";

const context: DeserializeContext = {
  contentType: "application/json",
  mediaType: undefined,
  messageType: "order",
  applicationProperties: {},
  abortSignal: undefined,
  isDeclared: true,
  maxDepth: 128,
};

describe("a function that selects schemas", () => {
  it("may create the schema again for every message: it is compiled once", () => {
    const ajv = new Ajv2020();
    const compile = vi.spyOn(ajv, "compile");
    const serializer = json({ ajv, schemas: () => ({ type: "object", required: ["paid"] }) });
    for (let i = 0; i < 100; i++) {
      expect(read(serializer, '{"paid":true}')).toEqual({ paid: true });
      expect(() => read(serializer, "{}")).toThrow(/required/);
    }
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it("may set an id, to which other schemas refer", () => {
    const money = () => ({ $id: "money", type: "integer" });
    const order = () => ({ $id: "order", properties: { price: { $ref: "money" } } });
    const schemas = ({ messageType }: SerializerContext) => (messageType === "money" ? money() : order());
    const serializer = json({ schemas });
    for (let i = 0; i < 3; i++) {
      expect(serializer.deserialize(bytes("1"), { ...context, messageType: "money" })).toBe(1);
      expect(read(serializer, '{"price":1}')).toEqual({ price: 1 });
      expect(() => read(serializer, '{"price":"1"}')).toThrow(/type/);
    }
  });

  it("may return thousands of schemas: the oldest are evicted, and compiled again when needed", () => {
    let picked: JsonBodySchema = true;
    const serializer = json({ schemas: () => picked });
    const numbered = (n: number) => ({ $id: `n${n}`, const: n });
    for (const draft of [{}, { $schema: "http://json-schema.org/draft-07/schema#" }]) {
      for (let n = 0; n <= 1_000; n++) {
        picked = { ...numbered(n), ...draft };
        expect(read(serializer, String(n))).toBe(n);
      }
      // If its id was still registered, another schema with that id would be refused.
      picked = { ...numbered(0), ...draft, title: "another" };
      expect(read(serializer, "0")).toBe(0);
    }
  });
});

describe("the schema of a schema", () => {
  const drafts = [{}, { $schema: "http://json-schema.org/draft-07/schema#" }];

  it("is that of its draft, for every serializer", () => {
    for (const draft of drafts) {
      const order = { ...draft, $id: "order", type: "object", required: ["id"] };
      for (const serializer of [json({ schema: order }), json({ schema: { ...order } })])
        expect(() => read(serializer, "{}")).toThrow(/required/);
      expect(() => json({ schema: { ...draft, required: "id" } })).toThrow(
        "schema is invalid: data/required must be array",
      );
      expect(() => json({ schema: { ...draft, pattern: "(" } })).toThrow(TypeError);
    }
  });

  it("may be one that the serializer compiled before", () => {
    const strict = { $id: "https://shop.example/strict", type: "object", required: ["title"] };
    const schema = { $schema: strict.$id, type: "integer" };
    expect(() => json({ schemas: { strict, order: schema } })).toThrow("must have required property 'title'");
    const serializer = json({ schemas: { strict, order: { ...schema, title: "Order" } } });
    expect(read(serializer, "1")).toBe(1);
    expect(() => json({ schema })).toThrow('no schema with key or ref "https://shop.example/strict"');
  });
});

function read(serializer: Serializer, text: string): unknown {
  try {
    return serializer.deserialize(bytes(text), context);
  } catch (error) {
    expect(error).toBeInstanceOf(WaybillError);
    throw error;
  }
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
