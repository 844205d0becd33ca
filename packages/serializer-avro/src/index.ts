// For applications
export { avro } from "./avro-serializer.js";
export type { AvroDuration } from "./logical/value-types.js";
export type { AvroFraming, AvroOptions, AvroSettings } from "./options.js";
// For schema stores and tools
export { fingerprint } from "./schema/compiled-schema.js";
export type { LogicalTypeName } from "./schema/logical-type-name.js";
export type { AvroMessageSchema, IdentifiedSchema } from "./schema/message-schema.js";
export type { AvroSchemaSelector } from "./schema/message-schemas.js";
export type { AvroSchema } from "./schema/normalize-schema.js";
export type { SchemaById } from "./schema/schema-source.js";
