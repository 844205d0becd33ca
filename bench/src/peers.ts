import { createPipeline, type EncodedMessage } from "@waybill/core";
import { azureSchemaRegistry, registryAvro, type SchemaSource } from "@waybill/schema-registry";
import { avro } from "@waybill/serializer-avro";
import { type ConfluentPeer, loadPeer } from "waybill-interop/formats/installed-peers.js";
import { requireEqual } from "./formats.js";
import { type Comparison, comparison } from "./harness/comparison.js";
import type { Suite } from "./harness/probe.js";
import { nextOrderSchema, order, orderSchema } from "./payloads.js";

/** The part of `@azure/schema-registry-avro` that is used. */
interface AzurePeer {
  readonly AvroSerializer: new (
    registry: object,
    options: object,
  ) => {
    serialize(value: unknown, schema: string): Promise<{ data: Uint8Array; contentType: string }>;
    deserialize(message: object, options?: { schema: string }): Promise<unknown>;
  };
}

/** Other libraries that a user would pick instead. */
export const peersSuite: Suite = {
  all: async () => (await peerComparisons()).map(comparison),
};

/** Reading Avro of an older writer schema with a newer reader schema, 2 KB, against the libraries a user would pick instead. */
async function peerComparisons(): Promise<Comparison[]> {
  const value = order(2_000);
  const pipeline = createPipeline({
    serializer: avro({ schema: nextOrderSchema, writerSchemas: [orderSchema] }),
  });
  const message = (await createPipeline({ serializer: avro({ schema: orderSchema }) }).serialize({
    body: value,
  })) as EncodedMessage;
  const subject = () => pipeline.deserialize(message);
  return [
    {
      name: "avro 2 KB with a reader schema, against @azure/schema-registry-avro",
      baseline: await azure(value),
      subject,
      unit: "rate",
      target: 10,
    },
    {
      name: "avro 2 KB with a reader schema, against @confluentinc/schemaregistry",
      baseline: await confluent(value),
      subject,
      unit: "rate",
      target: 3,
    },
    ...(await framedComparisons(value)),
  ];
}

/** Bodies with their schema's id, read with their writer schema, which both sides have cached. */
async function framedComparisons(value: object): Promise<Comparison[]> {
  const azurePeer = await azureFramed(value);
  const confluentPeer = await confluentFramed(value);
  const azureSource = azureSchemaRegistry(azureRegistry());
  return [
    {
      name: "registry-framed avro 2 KB with a reader schema, against @azure/schema-registry-avro",
      baseline: await azure(value),
      subject: await framedReader(currentValue(value), azurePeer.message, azureSource, nextOrderSchema),
      unit: "rate",
      target: 5,
    },
    {
      // Without a reader schema, both sides spend their time in avsc: only the code around it differs.
      name: "registry-framed avro 2 KB as written, against @azure/schema-registry-avro",
      baseline: azurePeer.read,
      subject: await framedReader(value, azurePeer.message, azureSource),
      unit: "rate",
      target: 1,
    },
    {
      name: "registry-framed avro 2 KB as written, against @confluentinc/schemaregistry",
      baseline: confluentPeer.read,
      subject: await framedReader(value, confluentPeer.message, {
        name: "the mock registry",
        framings: ["confluent"],
        schemaById: () => ({ definition: JSON.stringify(orderSchema), format: "avro" }),
      }),
      unit: "rate",
      target: 3,
    },
  ];
}

/** An order as read with its newer schema. */
function currentValue(value: object): object {
  const { currency: _, ...rest } = value as { readonly currency: unknown };
  return { ...rest, channel: "web" };
}

/** Reads what the peer wrote, and checks the result before it is timed. */
async function framedReader(
  value: unknown,
  message: EncodedMessage,
  source: SchemaSource,
  schema?: object,
): Promise<() => unknown> {
  const pipeline = createPipeline({ serializer: registryAvro(avro, { source, schema }) });
  await requireEqual(await pipeline.deserialize(message), value);
  return () => pipeline.deserialize(message);
}

const azureProperties = {
  id: "0".repeat(32),
  format: "Avro",
  groupName: "shop",
  name: "shop.Order",
  version: 1,
};

function azureRegistry() {
  return {
    registerSchema: async () => azureProperties,
    getSchemaProperties: async () => azureProperties,
    getSchema: async () => ({ definition: JSON.stringify(orderSchema), properties: azureProperties }),
  };
}

async function azureFramed(value: unknown) {
  const { serializer, written } = await azureWritten(value);
  const message: EncodedMessage = { body: Uint8Array.from(written.data), contentType: written.contentType };
  return { message, read: () => serializer.deserialize(written) };
}

async function azureWritten(value: unknown) {
  const { AvroSerializer } = loadPeer<AzurePeer>("@azure/schema-registry-avro");
  const serializer = new AvroSerializer(azureRegistry(), { groupName: "shop", autoRegisterSchemas: false });
  return { serializer, written: await serializer.serialize(value, JSON.stringify(orderSchema)) };
}

async function confluentFramed(value: unknown) {
  const { client, bytes, AvroDeserializer, SerdeType } = await confluentWritten(value);
  const deserializer = new AvroDeserializer(client, SerdeType.VALUE, {});
  const message: EncodedMessage = { body: Uint8Array.from(bytes), contentType: "application/avro" };
  return { message, read: () => deserializer.deserialize("orders", bytes) };
}

/** A value written by Confluent's serializer, with the registry that has its schema. */
async function confluentWritten(value: unknown) {
  const library = loadPeer<ConfluentPeer>("@confluentinc/schemaregistry");
  const client = new library.MockClient({ baseURLs: ["mock://"] });
  const id = await client.register("orders-value", {
    schemaType: "AVRO",
    schema: JSON.stringify(orderSchema),
  });
  const options = { autoRegisterSchemas: false, useSchemaId: id };
  const serializer = new library.AvroSerializer(client, library.SerdeType.VALUE, options);
  return { ...library, client, bytes: await serializer.serialize("orders", value) };
}

async function azure(value: unknown): Promise<() => unknown> {
  const { serializer, written } = await azureWritten(value);
  const schema = JSON.stringify(nextOrderSchema);
  return () => serializer.deserialize(written, { schema });
}

async function confluent(value: unknown): Promise<() => unknown> {
  const { client, bytes, AvroDeserializer, SerdeType } = await confluentWritten(value);
  await client.register("orders-value", { schemaType: "AVRO", schema: JSON.stringify(nextOrderSchema) });
  const deserializer = new AvroDeserializer(client, SerdeType.VALUE, { useLatestVersion: true });
  return () => deserializer.deserialize("orders", bytes);
}
