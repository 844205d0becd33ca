import type { Awaitable } from "@waybill/core/serializer";

/** The formats that schemas of registries are for. */
export type SchemaFormat = "avro" | "json" | "protobuf";

/** A schema as a registry keeps it. */
export interface RegisteredSchema {
  /** The schema's text: JSON for Avro and JSON Schema, `.proto` source (or a `FileDescriptorProto` in base64) for Protobuf. */
  readonly definition: string;
  /** Undefined where the registry does not say. */
  readonly format?: SchemaFormat | undefined;
}

/** A schema to look up, to register or to check. */
export interface SchemaToWrite {
  /** Its subject in Confluent's words, its name in Azure's. */
  readonly subject: string;
  readonly definition: string;
  readonly format: SchemaFormat;
}

/**
 * A schema registry. Its answers are kept and its failures told apart by those who use it: throwing, or rejecting, means that the registry
 * could not answer, and the message comes again later; `undefined` means that there is no such schema, which is final for a message.
 */
export interface SchemaSource {
  /** Names the registry in errors, such as `"Azure Schema Registry"`. */
  readonly name: string;
  /** How bodies of this registry say their schema, in the order in which they are looked for. The first is written. */
  readonly framings: readonly SchemaFraming[];
  /** The schema of an id. */
  schemaById(id: string, signal: AbortSignal): Awaitable<RegisteredSchema | undefined>;
  /** The id of a schema that is registered. Absent: the source is only read. */
  findId?(schema: SchemaToWrite, signal: AbortSignal): Promise<string | undefined>;
  /** Registers a schema, or finds it, and returns its id. */
  register?(schema: SchemaToWrite, signal: AbortSignal): Promise<string>;
  /** Whether a schema may follow what its subject holds. A subject that does not exist yet holds nothing. */
  isCompatible?(schema: SchemaToWrite, signal: AbortSignal): Promise<boolean>;
}

/**
 * How a body says its schema. `"azure"`: the content type's `+<id>`; `"azure-beta"`: four zero bytes and 32 hexadecimal digits;
 * `"confluent"`: `00` and four bytes; `"confluent-guid"`: `01` and 16 bytes; `"confluent-header"`: the application property
 * `__value_schema_id`; `"apicurio"`: the bytes of `"confluent"`, with Apicurio's ids; `"apicurio-header"`: the application properties
 * `apicurio.value.contentId` and `globalId`; `"glue"`: `03`, `00` or `05`, and 16 bytes.
 */
export type SchemaFraming =
  | "azure"
  | "azure-beta"
  | "confluent"
  | "confluent-guid"
  | "confluent-header"
  | "apicurio"
  | "apicurio-header"
  | "glue";
