import { type OptionNames, requireKnownOptions, requireOneOf, requireType } from "@waybill/core/serializer";
import { type LogicalTypeName, logicalTypeNames } from "./schema/logical-type-name.js";
import type { AvroMessageSchema, MessageSchemaSettings } from "./schema/message-schema.js";
import {
  type AvroSchemaSelector,
  type MessageSchemas,
  noSchemas,
  oneSchema,
  schemasByMessageType,
  schemasBySelector,
  withDefinedSchemas,
} from "./schema/message-schemas.js";
import type { AvroSchema } from "./schema/normalize-schema.js";
import { type SchemaById, schemaSource } from "./schema/schema-source.js";

/** The framing of written Avro bodies. */
export type AvroFraming = "single-object" | "raw" | "confluent";

/** The options of {@link avro} except schemas. */
export interface AvroSettings {
  /**
   * How bodies are written. `"single-object"` (default): `C3 01`, the schema's fingerprint, the value; any reader with the schema can read it.
   * `"raw"`: only the value, with the content type `avro/binary+<schemaId>`, as in Azure Schema Registry. `"confluent"`: `00`, the
   * schema id as an int32, the value. The last two need a `schemaId` on each schema.
   */
  readonly framing?: AvroFraming;
  /** Whether bodies in Confluent's framing are read; default true when `framing` is `"confluent"`, otherwise false. */
  readonly acceptsConfluent?: boolean;
  /** Looks up a registry id that no schema here has; default none, so that such ids are `schema-unknown`. */
  readonly schemaById?: SchemaById;
  /**
   * What to do with bodies declared as Avro that do not identify their schema. `"refuse"` (default): `identity-missing`, since reading Avro with
   * the wrong schema gives wrong values without an error. `"accept"`: reads them with the message type's `schema`; use it only if the message type
   * determines exactly one schema.
   */
  readonly unframedBodies?: "refuse" | "accept";
  /** How a `long` is read. `"auto"` (default): a number when it is a safe integer, otherwise a bigint. `"bigint"`: always a bigint. */
  readonly longs?: "auto" | "bigint";
  /**
   * The form of union values. `"auto"` (default): unwrapped if the branches can be distinguished, otherwise `{ "<branch>": value }`. `"always"`:
   * always wrapped. `"never"`: unwrapped; an ambiguous union is refused.
   */
  readonly unions?: "auto" | "always" | "never";
  /** Logical types that are read and written as their underlying type; default none. */
  readonly rawLogicalTypes?: "all" | readonly LogicalTypeName[];
}

/**
 * Options of {@link avro}: one schema, or `schemas` by message type or by a function of the message, or neither if the message types' definitions
 * have them.
 */
export type AvroOptions = AvroSettings &
  (
    | (AvroMessageSchema & { readonly schemas?: never })
    | ({
        readonly schemas?: Readonly<Record<string, AvroSchema | AvroMessageSchema>> | AvroSchemaSelector;
      } & { readonly [Name in keyof AvroMessageSchema]?: never })
  );

/** The default options. */
const avroDefaults = Object.freeze({
  framing: "single-object",
  unframedBodies: "refuse",
  longs: "auto",
  unions: "auto",
} satisfies AvroSettings);

const optionNames: OptionNames<AvroSettings & AvroMessageSchema & { schemas: unknown }> = {
  ...avroDefaults,
  acceptsConfluent: true,
  schemaById: true,
  rawLogicalTypes: true,
  schema: true,
  schemas: true,
  schemaId: true,
  writerSchemas: true,
};

/** Options checked and compiled. */
export type ResolvedAvroOptions = ReturnType<typeof resolveAvroOptions>;

/** Validates the options and compiles their schemas. Throws a `TypeError` that names the option. */
export function resolveAvroOptions(options: AvroOptions) {
  requireKnownOptions<object>("avro", options, optionNames);
  const framing = requireOneOf("avro: framing", options.framing ?? avroDefaults.framing, [
    "single-object",
    "raw",
    "confluent",
  ]);
  const unframedBodies = requireOneOf(
    "avro: unframedBodies",
    options.unframedBodies ?? avroDefaults.unframedBodies,
    ["refuse", "accept"],
  );
  const settings: MessageSchemaSettings = {
    isKnownByFingerprint: framing === "single-object",
    longs: requireOneOf("avro: longs", options.longs ?? avroDefaults.longs, ["auto", "bigint"]),
    unions: requireOneOf("avro: unions", options.unions ?? avroDefaults.unions, ["auto", "always", "never"]),
    rawLogicalTypes: resolveRawLogicalTypes(options.rawLogicalTypes),
  };
  if (options.schemaById !== undefined) requireType("avro: schemaById", options.schemaById, "function");
  const acceptsConfluent = options.acceptsConfluent ?? framing === "confluent";
  if (acceptsConfluent && unframedBodies === "accept")
    throw new TypeError(
      'avro: unframedBodies "accept" cannot be combined with acceptsConfluent, since a body without a header may begin like one with it',
    );
  const schemas = resolveSchemas(options, settings);
  if (framing !== "single-object") for (const { schemaId } of schemas.all) checkSchemaId(schemaId, framing);
  return {
    framing,
    acceptsConfluent,
    acceptsUnframed: unframedBodies === "accept",
    rawLogicalTypes: settings.rawLogicalTypes,
    source: options.schemaById === undefined ? undefined : schemaSource(options.schemaById, settings),
    schemas: withDefinedSchemas(schemas, settings),
  };
}

/** Checks that a schema has the id that the framing needs. Throws a `TypeError`. */
export function checkSchemaId(schemaId: string | undefined, framing: AvroFraming): string {
  if (schemaId === undefined)
    throw new TypeError(`avro: the framing "${framing}" needs a schemaId on each schema`);
  const isUsable =
    framing === "confluent"
      ? /^\d{1,10}$/.test(schemaId) && Number(schemaId) <= 0x7fffffff
      : /^[A-Za-z0-9!#$&^_.-]{1,128}$/.test(schemaId);
  if (!isUsable)
    throw new TypeError(
      `avro: the schemaId "${schemaId.slice(0, 64)}" cannot be written with the framing "${framing}"`,
    );
  return schemaId;
}

function resolveSchemas(options: AvroOptions, settings: MessageSchemaSettings): MessageSchemas {
  const { schema, schemas } = options;
  if (schema !== undefined && schemas !== undefined)
    throw new TypeError("avro: give either schema or schemas, not both");
  if (schema === undefined && schemas === undefined) return noSchemas;
  if (typeof schemas === "function") return schemasBySelector(schemas, settings);
  if (options.schema !== undefined) return oneSchema(options, settings);
  if (typeof schemas !== "object" || schemas === null || Array.isArray(schemas))
    throw new TypeError("avro: schemas must map message types to schemas, or be a function");
  return schemasByMessageType(schemas, settings);
}

function resolveRawLogicalTypes(names: AvroSettings["rawLogicalTypes"] = []): ReadonlySet<LogicalTypeName> {
  if (names === "all") return new Set(logicalTypeNames);
  for (const name of names) requireOneOf("avro: rawLogicalTypes", name, logicalTypeNames);
  return new Set(names);
}
