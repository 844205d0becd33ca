import { encodeFailure, quoted, type SerializerContext } from "@waybill/core/serializer";

/** A schema: its text, or its parsed JSON. */
export type SchemaDefinition = string | object;

/** A schema with its id in the registry, which then needs no lookup. */
export interface KnownSchema {
  readonly schema: SchemaDefinition;
  /** Its id in the registry. Default: it is looked up. */
  readonly schemaId?: string | number | undefined;
}

/** The schemas of a serializer: one, or by message type. */
export interface SchemaChoice {
  /** The schema of every message that `schemas` does not cover: the one to write, and, for Avro, the reader schema. */
  readonly schema?: SchemaDefinition | KnownSchema | undefined;
  /** Schemas by message type, or a function that picks one for a message. */
  readonly schemas?:
    | Readonly<Record<string, SchemaDefinition | KnownSchema>>
    | ((context: SerializerContext) => SchemaDefinition | KnownSchema | undefined)
    | undefined;
}

/** The schema with which a message is written, as text, with its id if that is known. Throws `encodeFailure` without one. */
export function chooseSchema({ schema, schemas }: SchemaChoice, context: SerializerContext) {
  const { messageType } = context;
  const picked =
    typeof schemas === "function"
      ? schemas(context)
      : messageType !== undefined && schemas !== undefined && Object.hasOwn(schemas, messageType)
        ? schemas[messageType]
        : undefined;
  const chosen = (context.schema as SchemaDefinition | KnownSchema | undefined) ?? picked ?? schema;
  if (chosen === undefined) {
    const type =
      messageType === undefined ? "a message without a type" : `the message type ${quoted(messageType)}`;
    throw encodeFailure(`There is no schema for ${type}.`);
  }
  const known: KnownSchema = isKnown(chosen) ? chosen : { schema: chosen };
  return {
    definition: textOf(known.schema),
    id: known.schemaId === undefined ? undefined : String(known.schemaId),
  };
}

/** Whether a definition has more than a schema; Avro schemas and JSON Schemas have no member of this name. */
function isKnown(definition: SchemaDefinition | KnownSchema): definition is KnownSchema {
  return (
    typeof definition === "object" &&
    !Array.isArray(definition) &&
    Object.hasOwn(definition, "schema") &&
    !Object.hasOwn(definition, "type")
  );
}

const texts = new WeakMap<object, string>();

function textOf(schema: SchemaDefinition): string {
  if (typeof schema === "string") return schema;
  const known = texts.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  texts.set(schema, text);
  return text;
}
