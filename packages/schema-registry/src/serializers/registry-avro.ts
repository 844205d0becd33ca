import type { Serializer } from "@waybill/core";
import type { MediaType } from "@waybill/core/serializer";
import { registeredSerializer } from "./registered-serializer.js";
import { type RegistryOptions, resolveRegistryOptions } from "./registry-options.js";
import { chooseSchema, type SchemaChoice, whyWithoutSchema } from "./schema-choice.js";
import { schemaWriter } from "./schema-writer.js";

/** How Avro bodies are read and written under a registry's schemas. */
export interface RegistryAvroOptions extends RegistryOptions, SchemaChoice {
  /** Options of `avro()` except schemas and framing, such as `{ longs: "bigint" }`. Default: none. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** `avro` of `@waybill/serializer-avro`. */
export type AvroFactory<Options> = (options: Options) => Serializer;

/**
 * Avro with the schemas of a registry: bodies contain the id of their writer schema. They are read into `schema` or `schemas`, or, without these,
 * as they were written. `avro` is the function of `@waybill/serializer-avro`. Throws `TypeError` for invalid options.
 */
export function registryAvro<Options>(avro: AvroFactory<Options>, options: RegistryAvroOptions): Serializer {
  const resolved = resolveRegistryOptions("registryAvro", options, {
    schema: true,
    schemas: true,
    settings: true,
  });
  const make = (more: object) => avro({ ...options.settings, ...more } as unknown as Options);
  const hasReader = options.schema !== undefined || options.schemas !== undefined;
  const definitions = new Map<string, object>();
  const reader = make({
    ...(options.schemas === undefined ? undefined : { schemas: options.schemas }),
    ...(options.schemas !== undefined || options.schema === undefined ? undefined : readerOf(options.schema)),
    schemaById: (id: string) => definitions.get(id),
  });
  const makeRaw = (schema: unknown) => make({ schema, schemaId: "0", framing: "raw" });
  return registeredSerializer(resolved, {
    format: "avro",
    plain: reader,
    mediaTypes: { azure: "avro/binary", framed: "application/avro" },
    compile({ definition }, id) {
      const schema: unknown = JSON.parse(definition);
      const own = makeRaw(schema);
      const label = mediaTypeOf(id);
      const ownLabel = mediaTypeOf("0");
      return (payload, context) => {
        if (!hasReader && context.schema === undefined)
          return own.deserialize(payload, { ...context, isDeclared: true, mediaType: ownLabel });
        definitions.set(id, schema as object);
        const value = reader.deserialize(payload, { ...context, isDeclared: true, mediaType: label });
        definitions.delete(id);
        return value;
      };
    },
    cannotWrite: (target) => whyWithoutSchema(options, target),
    toWrite(_, context) {
      const { definition, id } = chooseSchema(options, context);
      return { id, definition, subject: fullName(definition), format: "avro" };
    },
    write: schemaWriter(makeRaw, resolved.cache.maxSchemas),
  });
}

function readerOf(schema: NonNullable<SchemaChoice["schema"]>): object {
  return typeof schema === "object" && Object.hasOwn(schema, "schema") && !Object.hasOwn(schema, "type")
    ? schema
    : { schema };
}

function mediaTypeOf(schemaId: string): MediaType {
  return { essence: "avro/binary", suffix: undefined, schemaId, parameters: new Map() };
}

/** Source: Avro specification 1.12, Names. */
function fullName(definition: string): string {
  const parsed: unknown = JSON.parse(definition);
  const { name, namespace } = (typeof parsed === "object" && parsed !== null ? parsed : {}) as {
    readonly name?: unknown;
    readonly namespace?: unknown;
  };
  if (typeof name !== "string") return String(parsed);
  return name.includes(".") || typeof namespace !== "string" || namespace === ""
    ? name
    : `${namespace}.${name}`;
}
