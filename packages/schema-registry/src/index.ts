// For applications
export type { ApicurioRegistryOptions } from "./apicurio-registry.js";
export { apicurioRegistry } from "./apicurio-registry.js";
export type {
  AzureSchemaDescription,
  AzureSchemaRegistryClient,
  AzureSchemaRegistryOptions,
} from "./azure-schema-registry.js";
export { azureSchemaRegistry } from "./azure-schema-registry.js";
export type { SchemaCacheOptions } from "./cached-schemas.js";
export type { ConfluentSchemaRegistryOptions } from "./confluent-schema-registry.js";
export { confluentSchemaRegistry } from "./confluent-schema-registry.js";
export { diagnoseFraming } from "./diagnose-framing.js";
export type { GlueClient } from "./glue-schema-registry.js";
export { glueSchemaRegistry } from "./glue-schema-registry.js";
export type { HttpRegistryOptions } from "./http-registry.js";
export type { AvroFactory, RegistryAvroOptions } from "./registry-avro.js";
export { registryAvro } from "./registry-avro.js";
export type { JsonFactory, RegistryJsonOptions } from "./registry-json.js";
export { registryJson } from "./registry-json.js";
export type { RegistryOptions } from "./registry-options.js";
export type { ProtobufFactory, RegistryProtobufOptions } from "./registry-protobuf.js";
export { registryProtobuf } from "./registry-protobuf.js";
export type { KnownSchema, SchemaChoice, SchemaDefinition } from "./schema-choice.js";
export type { SchemaFolderOptions } from "./schema-folder.js";
export { schemaFolder } from "./schema-folder.js";
// For authors of schema sources
export type {
  RegisteredSchema,
  SchemaFormat,
  SchemaFraming,
  SchemaSource,
  SchemaToWrite,
} from "./schema-source.js";
