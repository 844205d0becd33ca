import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { createPipeline, type EncodedMessage } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import type { Comparison } from "./compare.js";
import { nextOrderSchema, order, orderSchema } from "./payloads.js";

const folder = fileURLToPath(new URL("../peers/", import.meta.url));

/** What is used of `@azure/schema-registry-avro`. */
interface AzurePeer {
  readonly AvroSerializer: new (
    registry: object,
    options: object,
  ) => {
    serialize(value: unknown, schema: string): Promise<{ data: Uint8Array; contentType: string }>;
    deserialize(message: object, options: { schema: string }): Promise<unknown>;
  };
}

/** What is used of `@confluentinc/schemaregistry`. */
interface ConfluentPeer {
  readonly AvroSerializer: new (
    client: object,
    type: unknown,
    options: object,
  ) => { serialize(topic: string, value: unknown): Promise<Buffer> };
  readonly AvroDeserializer: new (
    client: object,
    type: unknown,
    options: object,
  ) => { deserialize(topic: string, bytes: Buffer): Promise<unknown> };
  readonly MockClient: new (
    options: object,
  ) => { register(subject: string, schema: object): Promise<number> };
  readonly SerdeType: { readonly VALUE: unknown };
}

/** Installs the peers beside the workspace, if they are not there yet. */
export function installPeers(): void {
  if (existsSync(`${folder}node_modules/@confluentinc`)) return;
  console.error("Installing the peers (190 MB) into bench/peers …");
  execFileSync("npm", ["install"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** Reading Avro of an older writer schema with a newer reader schema, 2 KB, against the libraries a user would pick instead. */
export async function peerComparisons(): Promise<Comparison[]> {
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
  ];
}

async function azure(value: unknown): Promise<() => unknown> {
  const { AvroSerializer } = peer<AzurePeer>("@azure/schema-registry-avro");
  const writer = JSON.stringify(orderSchema);
  const reader = JSON.stringify(nextOrderSchema);
  const properties = {
    id: "0".repeat(32),
    format: "Avro",
    groupName: "shop",
    name: "shop.Order",
    version: 1,
  };
  const registry = {
    getSchemaProperties: async () => properties,
    getSchema: async () => ({ definition: writer, properties }),
  };
  const serializer = new AvroSerializer(registry, { groupName: "shop", autoRegisterSchemas: false });
  const message = await serializer.serialize(value, writer);
  return () => serializer.deserialize(message, { schema: reader });
}

async function confluent(value: unknown): Promise<() => unknown> {
  const { AvroSerializer, AvroDeserializer, MockClient, SerdeType } = peer<ConfluentPeer>(
    "@confluentinc/schemaregistry",
  );
  const client = new MockClient({ baseURLs: ["mock://"] });
  const id = await client.register("orders-value", {
    schemaType: "AVRO",
    schema: JSON.stringify(orderSchema),
  });
  const serializer = new AvroSerializer(client, SerdeType.VALUE, {
    autoRegisterSchemas: false,
    useSchemaId: id,
  });
  const bytes = await serializer.serialize("orders", value);
  await client.register("orders-value", { schemaType: "AVRO", schema: JSON.stringify(nextOrderSchema) });
  const deserializer = new AvroDeserializer(client, SerdeType.VALUE, { useLatestVersion: true });
  return () => deserializer.deserialize("orders", bytes);
}

function peer<Peer>(name: string): Peer {
  return createRequire(folder)(name) as Peer;
}
