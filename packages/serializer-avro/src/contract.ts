import type { Serializer } from "@waybill/core";
import type { DescribedSchema, SerializerContract, WriteContext } from "@waybill/core/serializer";
import type { AvroOptions, ResolvedAvroOptions } from "./options.js";
import type { LogicalTypeName } from "./schema/logical-type-name.js";
import { type AvroMessageSchema, type IdentifiedSchema, isIdentified } from "./schema/message-schema.js";
import { type AvroSchema, parseSchemaText } from "./schema/normalize-schema.js";

/** The options as a contract file has them. */
type DescribedOptions = ReturnType<typeof describeOptions>;

/** How the serializer describes itself; `make` is {@link avro}, which imports this file. */
export function avroContract(
  options: AvroOptions,
  resolved: ResolvedAvroOptions,
  make: (options: AvroOptions) => Serializer,
): SerializerContract {
  return {
    options: describeOptions(options, resolved),
    schemaOf: (target) => describe(options, target),
    rebuild({ options: others, schema, registered }) {
      const { schemaById, ...settings } = others as DescribedOptions;
      const known = new Map(
        (registered as readonly IdentifiedSchema[]).map(({ schemaId, schema }) => [String(schemaId), schema]),
      );
      return make({
        ...settings,
        rawLogicalTypes: settings.rawLogicalTypes as readonly LogicalTypeName[],
        ...(schemaById ? { schemaById: (id: string) => known.get(id) } : {}),
        ...(schema as AvroMessageSchema | undefined),
      } as AvroOptions);
    },
  };
}

function describeOptions(options: AvroOptions, resolved: ResolvedAvroOptions) {
  const { longs = "auto", unions = "auto", unframedBodies = "refuse", schemaById } = options;
  return {
    framing: resolved.framing,
    acceptsConfluent: resolved.acceptsConfluent,
    unframedBodies,
    longs,
    unions,
    rawLogicalTypes: [...resolved.rawLogicalTypes].sort() as readonly string[],
    /** Whether it asks a registry for the schemas of ids. */
    schemaById: schemaById !== undefined,
  };
}

function describe(
  { schema, schemaId, writerSchemas, schemas }: AvroOptions,
  { messageType, schema: defined }: WriteContext,
): DescribedSchema | undefined {
  if (defined !== undefined) return described(defined as AvroSchema | AvroMessageSchema);
  if (typeof schemas === "function") return { language: "code" };
  const own = messageType === undefined ? undefined : schemas?.[messageType];
  if (own !== undefined) return described(own);
  return schema === undefined
    ? undefined
    : described({ schema, schemaId, writerSchemas } as AvroMessageSchema);
}

function described(definition: AvroSchema | AvroMessageSchema): DescribedSchema {
  const { schema, schemaId, writerSchemas = [] } = identified(definition) as AvroMessageSchema;
  return {
    language: "avro",
    schema: {
      ...identity({ schema, schemaId } as IdentifiedSchema),
      ...(writerSchemas.length === 0
        ? {}
        : { writerSchemas: writerSchemas.map((each) => identity(identified(each))) }),
    },
  };
}

function identified(definition: AvroSchema | IdentifiedSchema): IdentifiedSchema {
  return isIdentified(definition) ? definition : { schema: definition };
}

function identity({ schema, schemaId }: IdentifiedSchema): IdentifiedSchema {
  const parsed = parseSchemaText(schema) as AvroSchema;
  return schemaId === undefined ? { schema: parsed } : { schema: parsed, schemaId: String(schemaId) };
}
