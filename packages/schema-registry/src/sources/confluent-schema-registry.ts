import { requireKnownOptions, requireOneOf } from "@waybill/core/serializer";
import {
  type HttpAnswer,
  type HttpRegistryOptions,
  httpOptionNames,
  httpRegistry,
  idRefusals,
} from "./http-registry.js";
import { inlineReferences } from "./inline-references.js";
import {
  type RegisteredSchema,
  type SchemaFormat,
  type SchemaSource,
  type SchemaToWrite,
  uuidPattern,
  type VersionedSchema,
} from "./schema-source.js";

/** How to connect to a Confluent Schema Registry, and where its bodies have the schema id. */
export interface ConfluentSchemaRegistryOptions extends HttpRegistryOptions {
  /** What is written: the id of four bytes (default) or, for registries of Confluent Platform 8, the GUID. All of them are read. */
  readonly writes?: "confluent" | "confluent-guid" | undefined;
}

const formats: Readonly<Record<string, SchemaFormat>> = { AVRO: "avro", JSON: "json", PROTOBUF: "protobuf" };

const headers = { "content-type": "application/vnd.schemaregistry.v1+json" };

/** The registry's error codes for an unknown subject, version or schema. Source: Confluent, Schema Registry API reference. */
const missing: ReadonlySet<unknown> = new Set([40401, 40402, 40403]);

/** Maximum number of referenced schemas that are fetched for one schema. */
const maxReferences = 50;

interface Reference {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}

/**
 * Confluent Schema Registry, and others with the same API, such as Karapace, Redpanda and Apicurio's compatible one. Throws `TypeError` for
 * an invalid option.
 */
export function confluentSchemaRegistry(
  options: ConfluentSchemaRegistryOptions,
): SchemaSource & Required<Pick<SchemaSource, "versionsOf">> {
  requireKnownOptions("confluentSchemaRegistry", options, { ...httpOptionNames, writes: true });
  const { writes = "confluent" } = options;
  requireOneOf("confluentSchemaRegistry: writes", writes, ["confluent", "confluent-guid"]);
  const request = httpRegistry(options, "confluentSchemaRegistry");
  const other = writes === "confluent" ? "confluent-guid" : "confluent";

  async function post(path: string, { definition, format }: SchemaToWrite, signal: AbortSignal) {
    const body = JSON.stringify({ schema: definition, schemaType: format.toUpperCase() });
    return parse(await request(path, signal, { method: "POST", headers, body }));
  }

  async function referenced(
    references: unknown,
    signal: AbortSignal,
    left: { count: number },
  ): Promise<Map<string, string>> {
    const definitions = new Map<string, string>();
    for (const { name, subject, version } of Array.isArray(references) ? (references as Reference[]) : []) {
      if (--left.count < 0) throw new Error("The schema references too many other schemas.");
      const path = `/subjects/${encodeURIComponent(subject)}/versions/${encodeURIComponent(version)}`;
      const found = parse(await request(path, signal));
      if (typeof found?.schema !== "string") throw new Error("A referenced schema is missing.");
      for (const [inner, text] of await referenced(found.references, signal, left))
        definitions.set(inner, text);
      definitions.set(name, found.schema);
    }
    return definitions;
  }

  async function registered(
    { schema, schemaType = "AVRO", references }: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<RegisteredSchema> {
    if (typeof schema !== "string") throw new Error("The response has no schema.");
    const format = formats[String(schemaType)];
    const others = await referenced(references, signal, { count: maxReferences });
    return { format, definition: format === "avro" ? inlineReferences(schema, others) : schema };
  }

  return Object.freeze({
    name: "the Confluent Schema Registry",
    framings: Object.freeze([writes, other, "confluent-header"] as const),
    async schemaById(id: string, signal: AbortSignal): Promise<RegisteredSchema | undefined> {
      const path = pathOf(id);
      if (path === undefined) return undefined;
      const answer = await request(path, signal);
      const found = idRefusals.includes(answer.status) ? undefined : parse(answer);
      return found === undefined ? undefined : await registered(found, signal);
    },
    async versionsOf(subject: string, signal: AbortSignal): Promise<readonly VersionedSchema[]> {
      const path = `/subjects/${encodeURIComponent(subject)}/versions`;
      const schemas: VersionedSchema[] = [];
      for (const version of listOf(await request(path, signal))) {
        const found = parse(await request(`${path}/${encodeURIComponent(String(version))}`, signal));
        // Deleted since.
        if (found !== undefined)
          schemas.push({ id: idOf(found, writes), ...(await registered(found, signal)) });
      }
      return schemas;
    },
    async findId(schema: SchemaToWrite, signal: AbortSignal): Promise<string | undefined> {
      const path = `/subjects/${encodeURIComponent(schema.subject)}?normalize=true`;
      const found = await post(path, schema, signal);
      return found === undefined ? undefined : idOf(found, writes);
    },
    async register(schema: SchemaToWrite, signal: AbortSignal): Promise<string> {
      const path = `/subjects/${encodeURIComponent(schema.subject)}/versions?normalize=true`;
      const found = await post(path, schema, signal);
      if (found === undefined) throw new Error("The registry did not register the schema.");
      return idOf(found, writes);
    },
    async isCompatible(schema: SchemaToWrite, signal: AbortSignal): Promise<boolean> {
      const path = `/compatibility/subjects/${encodeURIComponent(schema.subject)}/versions/latest`;
      const found = await post(path, schema, signal);
      // A subject that does not exist yet has no schema to be incompatible with.
      return found === undefined || found.is_compatible === true;
    },
  } satisfies SchemaSource);
}

/** The numbers of a subject's versions; none if there is no such subject. */
function listOf(answer: HttpAnswer): readonly unknown[] {
  if (answer.status === 404) {
    parse(answer);
    return [];
  }
  const versions: unknown = JSON.parse(answer.text);
  if (!Array.isArray(versions)) throw new Error("The response is not a list.");
  return versions;
}

/** Undefined for what cannot be an id of this registry: a positive number of 31 bits, or a GUID. */
function pathOf(id: string): string | undefined {
  if (/^[1-9]\d{0,9}$/.test(id)) return `/schemas/ids/${id}`;
  return uuidPattern.test(id) ? `/schemas/guids/${id}` : undefined;
}

function idOf(
  { id, guid }: Readonly<Record<string, unknown>>,
  writes: "confluent" | "confluent-guid",
): string {
  if (writes === "confluent-guid") {
    if (typeof guid === "string") return guid;
    throw new Error("The registry does not return GUIDs.");
  }
  if (typeof id === "number" && Number.isInteger(id)) return String(id);
  throw new Error("The response has no id.");
}

/** The object of a response; undefined if the registry itself reports that it does not exist. */
function parse({ status, text }: HttpAnswer): Readonly<Record<string, unknown>> | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null) throw new Error("The response is not an object.");
  const answer = value as Readonly<Record<string, unknown>>;
  if (status === 404 && missing.has(answer.error_code)) return undefined;
  if (status < 200 || status > 299) throw new Error(`The registry responded with the status ${status}.`);
  return answer;
}
