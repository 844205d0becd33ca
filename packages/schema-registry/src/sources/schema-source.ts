import type { Awaitable } from "@waybill/core/serializer";

/** The ids of registries that use UUIDs. */
export const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The formats of schemas in registries. */
export type SchemaFormat = "avro" | "json" | "protobuf";

/** A schema as a registry keeps it. */
export interface RegisteredSchema {
  /** The schema's text: JSON for Avro and JSON Schema, `.proto` source (or a `FileDescriptorProto` in base64) for Protobuf. */
  readonly definition: string;
  /** Undefined if the registry does not return it. */
  readonly format?: SchemaFormat | undefined;
}

/** One of the schemas of a subject. */
export interface VersionedSchema extends RegisteredSchema {
  readonly id: string;
}

/** A schema to look up, to register or to check. */
export interface SchemaToWrite {
  /** Its subject in Confluent's terms, its name in Azure's. */
  readonly subject: string;
  readonly definition: string;
  readonly format: SchemaFormat;
}

/**
 * A schema registry. Callers cache its results. Throwing, or rejecting, means that the registry did not respond: the message is read again
 * later. `undefined` means that there is no such schema, which is final for a message: also when the registry refuses the id itself, since
 * ids come from messages. A source does not send an id to its registry that cannot be one of its ids.
 */
export interface SchemaSource {
  /** Names the registry in errors, such as `"Azure Schema Registry"`. */
  readonly name: string;
  /** Where bodies of this registry have their schema id, in the order in which they are tried. The first is written. */
  readonly framings: readonly SchemaFraming[];
  /** The schema of an id. */
  schemaById(id: string, abortSignal: AbortSignal): Awaitable<RegisteredSchema | undefined>;
  /** Every schema of a subject, or of an artifact, the oldest first; empty if there is no such subject. Contracts are compared with them. */
  versionsOf?(subject: string, abortSignal: AbortSignal): Promise<readonly VersionedSchema[]>;
  /** The id of a registered schema. If absent, the source is read-only. */
  findId?(schema: SchemaToWrite, abortSignal: AbortSignal): Promise<string | undefined>;
  /** Registers a schema, or finds it, and returns its id. */
  register?(schema: SchemaToWrite, abortSignal: AbortSignal): Promise<string>;
  /** Whether a schema is compatible with those of its subject. Always true for a subject that does not exist yet. */
  isCompatible?(schema: SchemaToWrite, abortSignal: AbortSignal): Promise<boolean>;
}

/**
 * Where a body has its schema id. `"azure"`: the content type's `+<id>`; `"azure-beta"`: four zero bytes and 32 hexadecimal digits;
 * `"confluent"`: `00` and four bytes; `"confluent-guid"`: `01` and 16 bytes; `"confluent-header"`: the application property
 * `__value_schema_id`; `"apicurio"`: the bytes of `"confluent"`, with Apicurio's ids; `"apicurio-8-byte"`: `00` and eight bytes, as
 * Apicurio's `Legacy8ByteIdHandler` writes; `"apicurio-header"`: the application properties `apicurio.value.contentId` and `globalId`;
 * `"glue"`: `03`, `00` or `05`, and 16 bytes.
 */
export type SchemaFraming =
  | "azure"
  | "azure-beta"
  | "confluent"
  | "confluent-guid"
  | "confluent-header"
  | "apicurio"
  | "apicurio-8-byte"
  | "apicurio-header"
  | "glue";
