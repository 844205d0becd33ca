import { requireKnownOptions, requireOneOf } from "@waybill/core/serializer";
import {
  type HttpAnswer,
  type HttpRegistryOptions,
  httpOptionNames,
  httpRegistry,
  idRefusals,
} from "./http-registry.js";
import type { RegisteredSchema, SchemaFormat, SchemaSource, VersionedSchema } from "./schema-source.js";

/** How to connect to an Apicurio Registry, and what its ids are. */
export interface ApicurioRegistryOptions extends HttpRegistryOptions {
  /** The kind of id in the four or eight bytes before bodies: Apicurio's serializers write content ids by default. Default `"contentId"`. */
  readonly ids?: "contentId" | "globalId" | undefined;
  /** The group of the artifacts whose versions are listed for contracts. Default: `"default"`. */
  readonly group?: string | undefined;
}

const formats: Readonly<Record<string, SchemaFormat>> = { AVRO: "avro", JSON: "json", PROTOBUF: "protobuf" };

/** Maximum number of versions that are listed: the registry's own limit for one page. */
const maxVersions = 500;

/** A page of versions. Source: Apicurio Registry, core API of version 3. */
interface VersionList {
  readonly versions: readonly {
    readonly version: string;
    readonly artifactType: string;
    readonly contentId: number;
    readonly globalId: number;
  }[];
}

/** A content id, or the global id that a property names. */
const idPattern = /^(?<prefix>globalId:)?(?<number>[1-9]\d{0,18})$/;

/**
 * Apicurio Registry, by its API of version 3, read-only. Its bodies begin like Confluent's, so only the configuration distinguishes them. The
 * application properties `apicurio.value.contentId` and `apicurio.value.globalId`, and the ids of eight bytes that
 * `Legacy8ByteIdHandler` writes, are read too. Throws `TypeError` for an invalid option.
 */
export function apicurioRegistry(
  options: ApicurioRegistryOptions,
): SchemaSource & Required<Pick<SchemaSource, "versionsOf">> {
  requireKnownOptions("apicurioRegistry", options, { ...httpOptionNames, ids: true, group: true });
  const { ids = "contentId", group = "default" } = options;
  requireOneOf("apicurioRegistry: ids", ids, ["contentId", "globalId"]);
  const request = httpRegistry(options, "apicurioRegistry");

  /** Undefined if the registry itself says that there is no such thing. */
  async function get(path: string, signal: AbortSignal): Promise<HttpAnswer | undefined> {
    const answer = await request(`/apis/registry/v3${path}`, signal);
    if (idRefusals.includes(answer.status) || (answer.status === 404 && isProblem(answer.text)))
      return undefined;
    if (answer.status !== 200) throw new Error(`The registry responded with the status ${answer.status}.`);
    return answer;
  }

  return Object.freeze({
    name: "Apicurio Registry",
    framings: Object.freeze(["apicurio", "apicurio-8-byte", "apicurio-header"] as const),
    async schemaById(id: string, signal: AbortSignal): Promise<RegisteredSchema | undefined> {
      const { prefix, number } = idPattern.exec(id)?.groups ?? {};
      if (number === undefined) return undefined;
      const isGlobal = prefix !== undefined || ids === "globalId";
      const found = await get(`/ids/${isGlobal ? "globalIds" : "contentIds"}/${number}`, signal);
      return (
        found && { definition: found.text, format: formatOf(found.headers.get("x-registry-artifacttype")) }
      );
    },
    async versionsOf(artifact: string, signal: AbortSignal): Promise<readonly VersionedSchema[]> {
      const path = `/groups/${encodeURIComponent(group)}/artifacts/${encodeURIComponent(artifact)}/versions`;
      const found = await get(`${path}?orderby=globalId&order=asc&limit=${maxVersions}`, signal);
      const { versions } = found === undefined ? { versions: [] } : (JSON.parse(found.text) as VersionList);
      return await Promise.all(
        versions.map(async ({ version, artifactType, [ids]: id }) => {
          const content = await get(`${path}/${encodeURIComponent(version)}/content`, signal);
          if (content === undefined) throw new Error("A listed version has no content.");
          return { id: String(id), definition: content.text, format: formatOf(artifactType) };
        }),
      );
    },
  } satisfies SchemaSource);
}

function formatOf(artifactType: string | null): SchemaFormat | undefined {
  return formats[artifactType ?? ""];
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
