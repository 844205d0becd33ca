import type { PipelineOptions, Serializer, StandardSchema } from "@waybill/core";
import type { SerializerContext } from "@waybill/core/serializer";
import { type AvroSchema, avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { jsonSchema } from "@waybill/serializer-json/json-schema";
import { msgpack } from "@waybill/serializer-msgpack";
import type { Era } from "./plan.js";
import { findVersion } from "./webhook-versions.js";
import { webhookSchema } from "./webhooks.js";

/** The serializer that the producers of an era write with. They never validated. */
export function producerSerializer({ serializer }: Era): Serializer {
  switch (serializer) {
    case "json":
      return json();
    case "avro":
      return versionedAvro();
    case "msgpack":
      return msgpack();
  }
}

// #region consumer
/** The consumer's chain: Avro first; JSON and MessagePack may still arrive. The published schema validates all three. */
export function consumerSerializers(): PipelineOptions {
  return {
    serializer: versionedAvro(),
    additionalDeserializers: [json(), msgpack()],
    schemas: ({ messageType }) => (messageType === undefined ? undefined : publishedSchema(messageType)),
  };
}
// #endregion

const publishedSchemas = new Map<string, StandardSchema>();

function publishedSchema(event: string): StandardSchema {
  let schema = publishedSchemas.get(event);
  if (schema === undefined) {
    // A hint of GitHub's to the generator of its TypeScript types.
    schema = jsonSchema(webhookSchema(event), { extraKeywords: ["tsAdditionalProperties"] });
    publishedSchemas.set(event, schema);
  }
  return schema;
}

function versionedAvro(): Serializer {
  return avro({ schemas: schemaOfMessage });
}

function schemaOfMessage({ messageType, applicationProperties }: SerializerContext): AvroSchema | undefined {
  return findVersion(messageType, applicationProperties.schemaVersion)?.schema;
}
