import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { createPipeline, type EncodedMessage } from "@waybill/core";
import { registryAvro, registryJson, type SchemaSource } from "@waybill/schema-registry";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import fc from "fast-check";
import { type ConfluentPeer, loadPeer, peersFolder } from "./installed-peers.js";
import type { PeerResult } from "./peer-result.js";
import { tagged } from "./tagged-value.js";
import { confluentAvroSchema, confluentAvroValues, jsonSchema, jsonValues } from "./values.js";

const topic = "orders";

/** Exchanges values with Confluent's own serializers, over the mock of its registry, in Avro and JSON. */
export async function confluentResults(count: number, seed: number): Promise<PeerResult[]> {
  const peer = loadPeer<ConfluentPeer>("@confluentinc/schemaregistry");
  const findings = [
    ...(await exchange(peer, "avro", fc.sample(confluentAvroValues(), { numRuns: count, seed }))),
    ...(await exchange(peer, "json", fc.sample(jsonValues(), { numRuns: count, seed }))),
  ];
  const version = versionOf("@confluentinc/schemaregistry");
  return [
    { name: "`@confluentinc/schemaregistry`", version, ours: "schema-registry", values: 2 * count, findings },
  ];
}

async function exchange(
  peer: ConfluentPeer,
  format: "avro" | "json",
  values: readonly unknown[],
): Promise<string[]> {
  const definition = JSON.stringify(format === "avro" ? confluentAvroSchema : jsonSchema);
  const client = new peer.MockClient({ baseURLs: ["mock://"] });
  const id = await client.register(`${topic}-value`, {
    schemaType: format.toUpperCase(),
    schema: definition,
  });
  const source: SchemaSource = {
    name: "the mock registry",
    framings: ["confluent"],
    schemaById: (asked) => (asked === String(id) ? { definition, format } : undefined),
  };
  const schema = { schema: definition, schemaId: String(id) };
  const serializer =
    format === "avro" ? registryAvro(avro, { source, schema }) : registryJson(json, { source, schema });
  const pipeline = createPipeline({ serializer });
  const [Writer, Reader] =
    format === "avro"
      ? [peer.AvroSerializer, peer.AvroDeserializer]
      : [peer.JsonSerializer, peer.JsonDeserializer];
  const writer = new Writer(client, peer.SerdeType.VALUE, { autoRegisterSchemas: false, useSchemaId: id });
  const reader = new Reader(client, peer.SerdeType.VALUE, {});
  const findings: string[] = [];
  for (const value of values) {
    const expected = tagged(value);
    const ours = (await pipeline.serialize({ body: value })) as EncodedMessage;
    const theirs = await writer.serialize(topic, value);
    const readByThem = tagged(await reader.deserialize(topic, Buffer.from(ours.body as Uint8Array)));
    if (!isDeepStrictEqual(readByThem, expected))
      findings.push(
        `${format}: the peer reads ${JSON.stringify(readByThem)} instead of ${JSON.stringify(expected)}`,
      );
    const outcome = await pipeline.deserialize({ body: Uint8Array.from(theirs) });
    const readByUs = outcome.status === "decoded" ? tagged(outcome.body) : outcome.report.attempts;
    if (!isDeepStrictEqual(readByUs, expected))
      findings.push(
        `${format}: waybill reads ${JSON.stringify(readByUs)} instead of ${JSON.stringify(expected)}`,
      );
  }
  return findings;
}

function versionOf(name: string): string {
  const manifest = readFileSync(`${peersFolder}node_modules/${name}/package.json`, "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
