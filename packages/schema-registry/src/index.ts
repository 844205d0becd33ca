// For applications

export { diagnoseFraming } from "./framing/diagnose-framing.js";
export { type AvroFactory, type RegistryAvroOptions, registryAvro } from "./serializers/registry-avro.js";
export { type JsonFactory, type RegistryJsonOptions, registryJson } from "./serializers/registry-json.js";
export type { RegistryOptions } from "./serializers/registry-options.js";
export type { ProtobufFactory, RegistryProtobufOptions } from "./serializers/registry-protobuf.js";
export { registryProtobuf } from "./serializers/registry-protobuf.js";
export type { KnownSchema, SchemaChoice, SchemaDefinition } from "./serializers/schema-choice.js";
export { type ApicurioRegistryOptions, apicurioRegistry } from "./sources/apicurio-registry.js";
export type {
  AzureSchemaDescription,
  AzureSchemaRegistryClient,
  AzureSchemaRegistryOptions,
} from "./sources/azure-schema-registry.js";
export { azureSchemaRegistry } from "./sources/azure-schema-registry.js";
export type { SchemaCacheOptions } from "./sources/cached-schemas.js";
export type { ConfluentSchemaRegistryOptions } from "./sources/confluent-schema-registry.js";
export { confluentSchemaRegistry } from "./sources/confluent-schema-registry.js";
export { type GlueClient, glueSchemaRegistry } from "./sources/glue-schema-registry.js";
export type { HttpRegistryOptions } from "./sources/http-registry.js";
export { type SchemaFolderOptions, schemaFolder } from "./sources/schema-folder.js";
// For authors of schema sources
export type {
  RegisteredSchema,
  SchemaFormat,
  SchemaFraming,
  SchemaSource,
  SchemaToWrite,
  VersionedSchema,
} from "./sources/schema-source.js";
