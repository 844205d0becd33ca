import { requireKnownOptions, requireOneOf } from "@waybill/core/serializer";
import { type HttpRegistryOptions, httpOptionNames, httpRegistry, idRefusals } from "./http-registry.js";
import type { RegisteredSchema, SchemaFormat, SchemaSource } from "./schema-source.js";

/** How to connect to an Apicurio Registry, and what its ids are. */
export interface ApicurioRegistryOptions extends HttpRegistryOptions {
  /** The kind of id in the four or eight bytes before bodies: Apicurio's serializers write content ids by default. Default `"contentId"`. */
  readonly ids?: "contentId" | "globalId" | undefined;
}

const formats: Readonly<Record<string, SchemaFormat>> = { AVRO: "avro", JSON: "json", PROTOBUF: "protobuf" };

/** A content id, or the global id that a property names. */
const idPattern = /^(?<prefix>globalId:)?(?<number>[1-9]\d{0,18})$/;

/**
 * Apicurio Registry, by its API of version 3, read-only. Its bodies begin like Confluent's, so only the configuration distinguishes them. The
 * application properties `apicurio.value.contentId` and `apicurio.value.globalId`, and the ids of eight bytes that
 * `Legacy8ByteIdHandler` writes, are read too. Throws `TypeError` for an invalid option.
 */
export function apicurioRegistry(options: ApicurioRegistryOptions): SchemaSource {
  requireKnownOptions("apicurioRegistry", options, { ...httpOptionNames, ids: true });
  const { ids = "contentId" } = options;
  requireOneOf("apicurioRegistry: ids", ids, ["contentId", "globalId"]);
  const request = httpRegistry(options, "apicurioRegistry");
  return Object.freeze({
    name: "Apicurio Registry",
    framings: Object.freeze(["apicurio", "apicurio-8-byte", "apicurio-header"] as const),
    async schemaById(id: string, signal: AbortSignal): Promise<RegisteredSchema | undefined> {
      const { prefix, number } = idPattern.exec(id)?.groups ?? {};
      if (number === undefined) return undefined;
      const isGlobal = prefix !== undefined || ids === "globalId";
      const path = `/apis/registry/v3/ids/${isGlobal ? "globalIds" : "contentIds"}/${number}`;
      const { status, headers, text } = await request(path, signal);
      if (idRefusals.includes(status) || (status === 404 && isProblem(text))) return undefined;
      if (status !== 200) throw new Error(`The registry responded with the status ${status}.`);
      return { definition: text, format: formats[headers.get("x-registry-artifacttype") ?? ""] };
    },
  } satisfies SchemaSource);
}

/** Whether a 404 is from the registry itself, not from a gateway in between. */
function isProblem(text: string): boolean {
  try {
    const answer = JSON.parse(text) as { readonly error_code?: unknown; readonly status?: unknown } | null;
    return answer?.error_code === 404 || answer?.status === 404;
  } catch {
    return false;
  }
}
