import type { SchemaDescription, SchemaProperties, SchemaRegistry } from "@azure/schema-registry";
import { AvroSerializer } from "@azure/schema-registry-avro";
import { JsonSchemaSerializer } from "@azure/schema-registry-json";
import { createPipeline } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { bytes, order, orderSchema, read } from "../order.test-support.js";
import { azureSchemaRegistry } from "../sources/azure-schema-registry.js";
import { registryAvro } from "./registry-avro.js";
import { registryJson } from "./registry-json.js";

const groupName = "shop";
const definition = JSON.stringify(orderSchema);
const jsonSchema = JSON.stringify({
  $id: "shop/order",
  type: "object",
  properties: { id: { type: "string" }, cents: { type: "integer" } },
  required: ["id", "cents"],
});

/** The schemas of the service, with the interface of its client. */
function stubClient(): SchemaRegistry & { readonly calls: string[] } {
  const kept: (SchemaDescription & { id: string })[] = [];
  const calls: string[] = [];
  const find = (schema: SchemaDescription) =>
    kept.find(({ name, definition: text }) => name === schema.name && text === schema.definition);
  const propertiesOf = ({ id, name, format }: (typeof kept)[number]): SchemaProperties => ({
    id,
    name,
    format,
    groupName,
    version: 1,
  });
  return {
    calls,
    async registerSchema(schema) {
      calls.push("registerSchema");
      const known = find(schema) ?? { ...schema, id: String(kept.length + 1).padStart(32, "aB0") };
      if (!kept.includes(known)) kept.push(known);
      return propertiesOf(known);
    },
    async getSchemaProperties(schema) {
      calls.push("getSchemaProperties");
      const known = find(schema);
      if (known === undefined)
        throw Object.assign(new Error("not found"), { statusCode: 404, code: "ItemNotFound" });
      return propertiesOf(known);
    },
    async getSchema(id) {
      calls.push("getSchema");
      const known = kept.find((schema) => schema.id === id);
      if (known === undefined)
        throw Object.assign(new Error("not found"), { statusCode: 404, code: "ItemNotFound" });
      return { definition: known.definition, properties: propertiesOf(known) };
    },
  };
}

describe("Avro with @azure/schema-registry-avro 1.1.0", () => {
  it("reads what it wrote", async () => {
    const client = stubClient();
    const theirs = new AvroSerializer(client, { groupName, autoRegisterSchemas: true });
    const { data, contentType } = await theirs.serialize(order, definition);
    const pipeline = createPipeline({
      serializer: registryAvro(avro, { source: azureSchemaRegistry(client) }),
    });
    expect(await read(pipeline, { body: data, contentType })).toMatchObject({
      status: "decoded",
      body: order,
    });
  });

  it("reads what it wrote into a newer schema", async () => {
    const client = stubClient();
    const theirs = new AvroSerializer(client, { groupName, autoRegisterSchemas: true });
    const { data, contentType } = await theirs.serialize(order, definition);
    const schema = {
      ...orderSchema,
      fields: [...orderSchema.fields, { name: "paid", type: "boolean", default: false }],
    };
    const serializer = registryAvro(avro, { source: azureSchemaRegistry(client), schema });
    expect(await read(createPipeline({ serializer }), { body: data, contentType })).toMatchObject({
      body: { ...order, paid: false },
    });
  });

  it("writes what it reads, byte for byte and with its content type", async () => {
    const client = stubClient();
    const theirs = new AvroSerializer(client, { groupName });
    const source = azureSchemaRegistry(client, { groupName });
    const serializer = registryAvro(avro, { source, schema: definition, writes: "register" });
    const message = await createPipeline({ serializer }).serialize({ body: order });
    const expected = await theirs.serialize(order, definition);
    expect(message).toMatchObject({ contentType: expected.contentType, body: expected.data });
    const content = { data: message.body as Uint8Array, contentType: String(message.contentType) };
    expect(await theirs.deserialize(content)).toEqual(order);
  });

  it("looks up an id once, and never a given id", async () => {
    const client = stubClient();
    const source = azureSchemaRegistry(client, { groupName });
    await client.registerSchema({ groupName, name: "shop.Order", format: "Avro", definition });
    const serializer = registryAvro(avro, { source, schema: definition });
    const pipeline = createPipeline({ serializer, readBack: false });
    for (let count = 0; count < 3; count++) await pipeline.serialize({ body: order });
    expect(client.calls).toEqual(["registerSchema", "getSchemaProperties"]);
    const known = registryAvro(avro, { source, schema: { schema: definition, schemaId: "7" } });
    expect(createPipeline({ serializer: known, readBack: false }).serialize({ body: order })).toMatchObject({
      contentType: "avro/binary+7",
    });
  });

  it("does not send with a schema that is not registered", async () => {
    const source = azureSchemaRegistry(stubClient(), { groupName });
    const pipeline = createPipeline({ serializer: registryAvro(avro, { source, schema: definition }) });
    await expect(pipeline.serialize({ body: order })).rejects.toThrow(
      'Azure Schema Registry does not have this version of the schema "shop.Order". Register it, or set writes: "register".',
    );
  });

  it("reads the preamble of its first versions: four zero bytes and the id", async () => {
    const client = stubClient();
    const { id } = await client.registerSchema({ groupName, name: "shop.Order", format: "Avro", definition });
    const body = bytes(`00000000${Buffer.from(id).toString("hex")}`);
    const pipeline = createPipeline({
      serializer: registryAvro(avro, { source: azureSchemaRegistry(client) }),
    });
    expect(await read(pipeline, { body })).toMatchObject({ status: "decoded", body: order });
  });
});

describe("JSON with @azure/schema-registry-json 1.0.0", () => {
  it("reads what it wrote, and checks it", async () => {
    const client = stubClient();
    const theirs = new JsonSchemaSerializer(client, { groupName });
    await client.registerSchema({ groupName, name: "shop/order", format: "Json", definition: jsonSchema });
    const pipeline = createPipeline({
      serializer: registryJson(json, { source: azureSchemaRegistry(client) }),
    });
    const good = await theirs.serialize(order, jsonSchema);
    expect(await read(pipeline, { body: good.data, contentType: good.contentType })).toMatchObject({
      body: order,
    });
    const bad = await theirs.serialize({ id: 7 }, jsonSchema);
    expect(await read(pipeline, { body: bad.data, contentType: bad.contentType })).toMatchObject({
      status: "undeserializable",
      reason: "ValidationFailed",
    });
  });

  it("writes what it reads, with its content type", async () => {
    const client = stubClient();
    const theirs = new JsonSchemaSerializer(client, { groupName });
    const source = azureSchemaRegistry(client, { groupName });
    const serializer = registryJson(json, { source, schema: jsonSchema, writes: "register" });
    const message = await createPipeline({ serializer }).serialize({ body: order });
    const expected = await theirs.serialize(order, jsonSchema);
    expect(message.contentType).toBe(expected.contentType);
    const content = { data: message.body as Uint8Array, contentType: String(message.contentType) };
    expect(await theirs.deserialize(content)).toEqual(order);
    await expect(
      (async () => await createPipeline({ serializer }).serialize({ body: { id: 7 } }))(),
    ).rejects.toThrow("serialization-failed");
  });

  it("recognises JSON without a framing like json()", async () => {
    const serializer = registryJson(json, { source: azureSchemaRegistry(stubClient()) });
    const pipeline = createPipeline({
      serializer,
      additionalDeserializers: [registryAvro(avro, { source: azureSchemaRegistry(stubClient()) })],
    });
    expect(await read(pipeline, { body: Buffer.from('{"a":1}') })).toMatchObject({ body: { a: 1 } });
    expect(await read(pipeline, { body: Buffer.from("7") })).toMatchObject({ status: "undeserializable" });
  });
});
