import { encodeFailure, quoted, type SerializerContext } from "@waybill/core/serializer";

/** A schema: its text, or what its JSON holds. */
export type SchemaDefinition = string | object;

/** A schema with the id that it has in the registry, so that none is asked for it. */
export interface KnownSchema {
  readonly schema: SchemaDefinition;
  readonly schemaId?: string | number | undefined;
}

/** The schemas of a serializer: one, or by message type. */
export interface SchemaChoice {
  /** The schema of every message that `schemas` does not cover: what is written, and, for Avro, what is read into. */
  readonly schema?: SchemaDefinition | KnownSchema | undefined;
  /** Schemas by message type, or a function that picks one for a message. */
  readonly schemas?:
    | Readonly<Record<string, SchemaDefinition | KnownSchema>>
    | ((context: SerializerContext) => SchemaDefinition | KnownSchema | undefined)
    | undefined;
}

/** The chosen schema as text, with its id if that is known. */
export interface ChosenSchema {
  readonly definition: string;
  readonly id: string | undefined;
}

/** The schema under which a message is written. Throws `encodeFailure` when there is none. */
export function chooseSchema({ schema, schemas }: SchemaChoice, context: SerializerContext): ChosenSchema {
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

/** Whether a definition is more than a schema; Avro schemas and JSON Schemas have no member of this name. */
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
