import { type RegisteredSchema, type SchemaFormat, type SchemaSource, uuidPattern } from "./schema-source.js";

/** The part of a `Glue` client of `@aws-sdk/client-glue` that is used. */
export interface GlueClient {
  getSchemaVersion(input: {
    SchemaVersionId: string;
  }): Promise<{ readonly SchemaDefinition?: string | undefined; readonly DataFormat?: string | undefined }>;
}

const formats: Readonly<Record<string, SchemaFormat>> = { AVRO: "avro", JSON: "json", PROTOBUF: "protobuf" };

/** Errors about the id in the request. Glue's other errors, such as missing rights, have the status 400 as well. */
const idRefusals: readonly unknown[] = ["EntityNotFoundException", "InvalidInputException"];

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
      if (!uuidPattern.test(id)) return undefined;
      try {
        const { SchemaDefinition, DataFormat } = await client.getSchemaVersion({ SchemaVersionId: id });
        if (SchemaDefinition === undefined) throw new Error("The response has no definition.");
        return { definition: SchemaDefinition, format: formats[DataFormat ?? ""] };
      } catch (error) {
        if (idRefusals.includes((error as { readonly name?: unknown }).name)) return undefined;
        throw error;
      }
    },
  } satisfies SchemaSource);
}
