import { requireKnownOptions } from "@waybill/core/serializer";
import type { RegisteredSchema, SchemaFormat, SchemaSource, SchemaToWrite } from "./schema-source.js";

/** The part of a `SchemaRegistryClient` of `@azure/schema-registry` that is used. */
export interface AzureSchemaRegistryClient {
  getSchema(
    schemaId: string,
    options?: { abortSignal?: AbortSignal },
  ): Promise<{ readonly definition: string; readonly properties: { readonly format: string } } | undefined>;
  getSchemaProperties(
    schema: AzureSchemaDescription,
    options?: { abortSignal?: AbortSignal },
  ): Promise<{ readonly id: string }>;
  registerSchema(
    schema: AzureSchemaDescription,
    options?: { abortSignal?: AbortSignal },
  ): Promise<{ readonly id: string }>;
}

/** A schema as `@azure/schema-registry` describes it. */
export interface AzureSchemaDescription {
  groupName: string;
  name: string;
  format: string;
  definition: string;
}

/** Where schemas are kept in Azure Schema Registry. */
export interface AzureSchemaRegistryOptions {
  /** The schema group; needed to write, not to read. Default: none. */
  readonly groupName?: string | undefined;
}

const formats: Readonly<Record<string, SchemaFormat>> = { avro: "avro", json: "json", protobuf: "protobuf" };
const formatNames: Readonly<Record<SchemaFormat, string>> = {
  avro: "Avro",
  json: "Json",
  protobuf: "Protobuf",
};

/**
 * Azure Schema Registry through your own `SchemaRegistryClient`. Bodies have the schema's id in the content type, `avro/binary+<id>` or
 * `application/json+<id>`, as `@azure/schema-registry-avro` and `-json` write it; the preamble of their first versions is read too. Throws
 * `TypeError` for anything but a client and for an unknown option.
 */
export function azureSchemaRegistry(
  client: AzureSchemaRegistryClient,
  options: AzureSchemaRegistryOptions = {},
): SchemaSource {
  requireKnownOptions("azureSchemaRegistry", options, { groupName: true });
  const { groupName } = options;
  if (typeof client?.getSchema !== "function")
    throw new TypeError("azureSchemaRegistry: the client must be a SchemaRegistryClient.");
  const describe = ({ subject, definition, format }: SchemaToWrite): AzureSchemaDescription => {
    if (groupName === undefined) throw new TypeError("azureSchemaRegistry: groupName is needed to write.");
    return { groupName, name: subject, definition, format: formatNames[format] };
  };
  return Object.freeze({
    name: "Azure Schema Registry",
    framings: Object.freeze(["azure", "azure-beta"] as const),
    async schemaById(id: string, abortSignal: AbortSignal): Promise<RegisteredSchema | undefined> {
      // The SDK puts the id into an address. The service makes ids of 32 hexadecimal digits; other names are let through, but no path.
      if (!/^[\w-]{1,128}$/.test(id)) return undefined;
      const schema = await unlessRefused(client.getSchema(id, { abortSignal }));
      if (schema === undefined) return undefined;
      if (typeof schema.definition !== "string") throw new Error("The response has no definition.");
      return {
        definition: schema.definition,
        format: formats[String(schema.properties?.format).toLowerCase()],
      };
    },
    async findId(schema: SchemaToWrite, abortSignal: AbortSignal): Promise<string | undefined> {
      return (await unlessMissing(client.getSchemaProperties(describe(schema), { abortSignal })))?.id;
    },
    async register(schema: SchemaToWrite, abortSignal: AbortSignal): Promise<string> {
      return (await client.registerSchema(describe(schema), { abortSignal })).id;
    },
  } satisfies SchemaSource);
}

/** Statuses that are about the id in the request; another id may be served. */
const idRefusals: readonly unknown[] = [400, 410, 422];

async function unlessRefused<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await unlessMissing(answer);
  } catch (error) {
    if (idRefusals.includes((error as { readonly statusCode?: unknown }).statusCode)) return undefined;
    throw error;
  }
}

/** A 404 of the service itself has a code: the schema does not exist. A 404 of a gateway has none. */
async function unlessMissing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return (await answer) ?? undefined;
  } catch (error) {
    const { statusCode, code } = error as { readonly statusCode?: unknown; readonly code?: unknown };
    const isOfService = code === undefined || code === "ItemNotFound" || code === "NotFound";
    if (statusCode === 404 && isOfService) return undefined;
    throw error;
  }
}
