import type { OptionNames, SerializerContext } from "@waybill/core/serializer";
import { requireKnownOptions, requireOneOf, requireType } from "@waybill/core/serializer";
import { knownFramings } from "../framing/framing.js";
import type { SchemaCacheOptions } from "../sources/cached-schemas.js";
import { cacheDefaults, resolveCacheOptions } from "../sources/cached-schemas.js";
import type { SchemaFraming, SchemaSource } from "../sources/schema-source.js";

/** How a serializer uses a registry. */
export interface RegistryOptions extends SchemaCacheOptions {
  /** The registry: `azureSchemaRegistry(…)`, `confluentSchemaRegistry(…)`, `apicurioRegistry(…)`, `glueSchemaRegistry(…)`, `schemaFolder(…)`. */
  readonly source: SchemaSource;
  /**
   * Where bodies have their schema id, in the order in which they are tried; the first is written. List only what your producers write: some
   * framings look alike, and the first that fits is used. Default: those of the source.
   */
  readonly framings?: readonly SchemaFraming[] | undefined;
  /** The subject (or name) of a schema in the registry, used when writing. Default: the schema's own full name. */
  readonly subject?: ((context: SerializerContext) => string | undefined) | undefined;
  /** Whether a schema must already be registered when it is written with (`"lookup"`, default), or is registered if necessary. */
  readonly writes?: "lookup" | "register" | undefined;
  /** Whether to check with the registry, before the first body with a schema is sent, that it is compatible with those of its subject. Default `false`. */
  readonly checkCompatibility?: boolean | undefined;
}

/** {@link RegistryOptions} checked. */
export type ResolvedRegistryOptions = ReturnType<typeof resolveRegistryOptions>;

const optionNames: OptionNames<RegistryOptions> = {
  ...cacheDefaults,
  source: true,
  framings: true,
  subject: true,
  writes: true,
  checkCompatibility: true,
};

/** Checks the options and fills in the defaults. `own` are the names of further options of the serializer. Throws `TypeError`. */
export function resolveRegistryOptions<Options extends RegistryOptions>(
  where: string,
  options: Options,
  own: OptionNames<Omit<Options, keyof RegistryOptions>>,
) {
  requireKnownOptions<object>(where, options, { ...optionNames, ...own });
  const { source, subject, writes = "lookup", checkCompatibility = false } = options ?? {};
  if (typeof source?.schemaById !== "function") throw invalid("source must be a schema source");
  const framings = options.framings ?? source.framings;
  if (
    !Array.isArray(framings) ||
    framings.length === 0 ||
    !framings.every((each) => knownFramings.includes(each))
  )
    throw invalid(`framings must name at least one of ${knownFramings.join(", ")}`);
  if (framings.includes("confluent") && framings.includes("apicurio"))
    throw invalid("framings cannot have both confluent and apicurio, whose bytes are the same");
  if (subject !== undefined) requireType("schema registry: subject", subject, "function");
  requireOneOf("schema registry: writes", writes, ["lookup", "register"]);
  requireType("schema registry: checkCompatibility", checkCompatibility, "boolean");
  return Object.freeze({
    source,
    framings: Object.freeze([...framings]),
    subject: subject ?? (() => undefined),
    writes,
    checkCompatibility,
    cache: resolveCacheOptions(options),
  });
}

function invalid(what: string): TypeError {
  return new TypeError(`schema registry: ${what}.`);
}
