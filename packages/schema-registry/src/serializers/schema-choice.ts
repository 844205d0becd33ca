import { encodeFailure, quoted, type SerializerContext, type WriteContext } from "@waybill/core/serializer";

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
  const picked = typeof schemas === "function" ? schemas(context) : schemaOf(schemas, context);
  const chosen = (context.schema as SchemaDefinition | KnownSchema | undefined) ?? picked ?? schema;
  if (chosen === undefined) throw encodeFailure(`${noSchemaFor(context)}.`);
  const known: KnownSchema = isKnown(chosen) ? chosen : { schema: chosen };
  return {
    definition: textOf(known.schema),
    id: known.schemaId === undefined ? undefined : String(known.schemaId),
  };
}

/** Why no message of a type, or of any type, has a schema; undefined if it has one, or if a function decides with the message. */
export function whyWithoutSchema(
  { schema, schemas }: SchemaChoice,
  target: WriteContext,
): string | undefined {
  if (typeof schemas === "function") return undefined;
  const isAnyType = target.messageType === undefined && Object.keys(schemas ?? {}).length > 0;
  if (isAnyType) return undefined;
  const chosen = target.schema ?? schemaOf(schemas, target) ?? schema;
  return chosen === undefined ? noSchemaFor(target) : undefined;
}

function schemaOf(
  schemas: Readonly<Record<string, SchemaDefinition | KnownSchema>> | undefined,
  { messageType }: WriteContext,
): SchemaDefinition | KnownSchema | undefined {
  if (messageType === undefined || schemas === undefined) return undefined;
  return Object.hasOwn(schemas, messageType) ? schemas[messageType] : undefined;
}

function noSchemaFor({ messageType }: WriteContext): string {
  const type =
    messageType === undefined ? "a message without a type" : `the message type ${quoted(messageType)}`;
  return `There is no schema for ${type}`;
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
