import type { PipelineOptions, Serializer, SerializerContext } from "@waybill/core";
import { type AvroSchema, avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import type { Era } from "./plan.js";
import { findVersion } from "./webhook-versions.js";
import { webhookSchema } from "./webhooks.js";

/** The serializer that the producers of an era write with. In the first era nobody validated. */
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
/** The consumer's chain: Avro is what it is made for; JSON, by the published schema, and MessagePack may still come. */
export function consumerSerializers(): PipelineOptions {
  return { serializer: versionedAvro(), additionalDeserializers: [validatedJson(), msgpack()] };
}
// #endregion

function validatedJson(): Serializer {
  return json({
    schemas: ({ messageType }) => (messageType === undefined ? undefined : webhookSchema(messageType)),
    // A hint of GitHub's to the generator of its TypeScript types.
    extraKeywords: ["tsAdditionalProperties"],
  });
}

function versionedAvro(): Serializer {
  return avro({ schemas: schemaOfMessage });
}

function schemaOfMessage({ messageType, applicationProperties }: SerializerContext): AvroSchema | undefined {
  return findVersion(messageType, applicationProperties.schemaVersion)?.schema as AvroSchema | undefined;
}
