import type { RegisteredSchema, SchemaFormat, SchemaSource } from "./schema-source.js";

/** The part of a `Glue` client of `@aws-sdk/client-glue` that is used. */
export interface GlueClient {
  getSchemaVersion(input: {
    SchemaVersionId: string;
  }): Promise<{ readonly SchemaDefinition?: string | undefined; readonly DataFormat?: string | undefined }>;
}

const formats: Readonly<Record<string, SchemaFormat>> = { AVRO: "avro", JSON: "json", PROTOBUF: "protobuf" };

/**
 * AWS Glue Schema Registry through your own `Glue` client, read-only. Bodies begin with `03`, `00` or `05` (zlib), and the version's UUID.
 * Throws `TypeError` for anything but such a client.
 */
export function glueSchemaRegistry(client: GlueClient): SchemaSource {
  if (typeof client?.getSchemaVersion !== "function")
    throw new TypeError("glueSchemaRegistry: the client must be a Glue client with getSchemaVersion.");
  return Object.freeze({
    name: "AWS Glue Schema Registry",
    framings: Object.freeze(["glue"] as const),
    async schemaById(id: string): Promise<RegisteredSchema | undefined> {
      try {
        const { SchemaDefinition, DataFormat } = await client.getSchemaVersion({ SchemaVersionId: id });
        if (SchemaDefinition === undefined) throw new Error("The response has no definition.");
        return { definition: SchemaDefinition, format: formats[DataFormat ?? ""] };
      } catch (error) {
        if ((error as { readonly name?: unknown }).name === "EntityNotFoundException") return undefined;
        throw error;
      }
    },
  } satisfies SchemaSource);
}
