import { createRegistry } from "@bufbuild/protobuf";
import { StringValueSchema } from "@bufbuild/protobuf/wkt";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { protobuf } from "@waybill/serializer-protobuf";
import { describe, expect, it } from "vitest";
import type { SchemaSource } from "../sources/schema-source.js";
import { registryAvro } from "./registry-avro.js";
import { registryJson } from "./registry-json.js";
import { registryProtobuf } from "./registry-protobuf.js";

const source: SchemaSource = {
  name: "an empty registry",
  framings: ["confluent"],
  schemaById: () => undefined,
};
const type = { messageType: "order-placed" };
const anyType = { messageType: undefined };

describe("what serializers know without a message", () => {
  it.each([
    ["registryAvro", (more: object) => registryAvro(avro, { source, ...more })],
    ["registryJson", (more: object) => registryJson(json, { source, ...more })],
  ])("%s: whether a type has a schema", (_, make) => {
    const without = make({});
    expect(without.cannotWrite?.(type)).toBe('There is no schema for the message type "order-placed"');
    expect(without.cannotWrite?.(anyType)).toBe("There is no schema for a message without a type");
    expect(without.cannotWrite?.({ ...type, schema: '"string"' })).toBeUndefined();
    const byType = make({ schemas: { "order-shipped": '{"type":"string"}' } });
    expect(byType.cannotWrite?.(type)).toBe('There is no schema for the message type "order-placed"');
    expect(byType.cannotWrite?.({ messageType: "order-shipped" })).toBeUndefined();
    expect(byType.cannotWrite?.(anyType)).toBeUndefined();
    expect(make({ schema: '{"type":"string"}' }).cannotWrite?.(type)).toBeUndefined();
    expect(make({ schemas: () => undefined }).cannotWrite?.(type)).toBeUndefined();
  });

  it("registryProtobuf: whether there are sources; bodies name their type", () => {
    const settings = { registry: createRegistry(StringValueSchema) };
    expect(registryProtobuf(protobuf, { source, settings }).cannotWrite?.(type)).toBe(
      "The option sources has no .proto source",
    );
    const sources = { "shop.Order": 'syntax = "proto3"; package shop; message Order {}' };
    expect(registryProtobuf(protobuf, { source, settings, sources }).cannotWrite?.(type)).toBeUndefined();
    const empty = { registry: createRegistry() };
    expect(registryProtobuf(protobuf, { source, settings: empty, sources }).cannotWrite?.(type)).toBe(
      "The registry of protobuf-es has no message",
    );
  });
});
