import {
  decodeFailure,
  encodeFailure,
  quoted,
  type SerializerContext,
  type WriteContext,
} from "@waybill/core/serializer";
import { compileOnce } from "@waybill/foundation";
import type { AvscType } from "../avsc/internals.js";
import type { CompiledSchema } from "./compiled-schema.js";
import {
  type AvroMessageSchema,
  knownByFingerprint,
  type MessageSchemaSettings,
  type ResolvedMessageSchema,
  resolveMessageSchema,
} from "./message-schema.js";
import type { AvroSchema } from "./normalize-schema.js";

/**
 * Returns the schema of a message; undefined if it has none. Return the same object each time if possible: an equal one is not compiled again, but
 * has to be compared.
 */
export type AvroSchemaSelector = (context: SerializerContext) => AvroSchema | AvroMessageSchema | undefined;

/** Which schema belongs to which message. */
export interface MessageSchemas {
  /** The schema of the message type, if the type determines it. */
  find(context: SerializerContext): ResolvedMessageSchema | undefined;
  /** Whether no message of the type, or of any type, has a schema; false where a function decides. */
  isWithout(target: WriteContext): boolean;
  /** All candidates if the message type does not determine the schema. */
  readonly all: readonly ResolvedMessageSchema[];
}

/** One schema for every message. */
export function oneSchema(
  definition: AvroSchema | AvroMessageSchema,
  settings: MessageSchemaSettings,
): MessageSchemas {
  const resolved = resolveMessageSchema(definition, settings, "schema");
  return { find: () => resolved, isWithout: () => false, all: [resolved] };
}

/** A schema per message type. */
export function schemasByMessageType(
  definitions: Readonly<Record<string, AvroSchema | AvroMessageSchema>>,
  settings: MessageSchemaSettings,
): MessageSchemas {
  const byType = new Map<string | undefined, ResolvedMessageSchema>();
  for (const [messageType, definition] of Object.entries(definitions))
    byType.set(messageType, resolveMessageSchema(definition, settings, `schema of "${messageType}"`));
  if (byType.size === 0) throw new TypeError("avro: schemas must have at least one message type");
  return {
    find: ({ messageType }) => byType.get(messageType),
    isWithout: ({ messageType }) => messageType !== undefined && !byType.has(messageType),
    all: [...byType.values()],
  };
}

/** A schema per message, chosen by a function. */
export function schemasBySelector(
  select: AvroSchemaSelector,
  settings: MessageSchemaSettings,
): MessageSchemas {
  const resolve = compileOnce((definition: AvroSchema | AvroMessageSchema) =>
    resolveMessageSchema(definition, settings, "the selected schema"),
  );
  return {
    all: [],
    isWithout: () => false,
    find(context) {
      const definition = select(context);
      return definition === undefined ? undefined : resolve(definition);
    },
  };
}

/** Only the schemas of message types' definitions. */
export const noSchemas: MessageSchemas = Object.freeze({
  find: () => undefined,
  isWithout: () => true,
  all: Object.freeze([]),
});

/** Lets the schemas of message types' definitions override a serializer's own. */
export function withDefinedSchemas(own: MessageSchemas, settings: MessageSchemaSettings): MessageSchemas {
  const defined = schemasBySelector(({ schema }) => schema as AvroSchema | AvroMessageSchema, settings);
  return {
    all: own.all,
    isWithout: (target) => target.schema === undefined && own.isWithout(target),
    find: (context) => (context.schema === undefined ? own.find(context) : defined.find(context)),
  };
}

/** The schema to write a message with; an `encodeFailure` when it has none. */
export function schemaToWrite(schemas: MessageSchemas, context: SerializerContext): ResolvedMessageSchema {
  const found = schemas.find(context);
  if (found === undefined)
    throw encodeFailure(`Avro has no schema for ${describeMessageType(context.messageType)}.`);
  return found;
}

/** Why no message of a type can be written; undefined if one can, or if only a message tells. */
export function whyUnwritable(schemas: MessageSchemas, target: WriteContext): string | undefined {
  if (!schemas.isWithout(target)) return undefined;
  return `Avro has no schema for ${describeMessageType(target.messageType)}`;
}

/**
 * The reader schema of a message. If the message type does not determine one, the fingerprint must belong to exactly one.
 * Undefined if no schema has the fingerprint.
 */
export function schemaByFingerprint(
  schemas: MessageSchemas,
  context: SerializerContext,
  low: number,
  high: number,
): ResolvedMessageSchema | undefined {
  const named = schemas.find(context);
  if (named !== undefined) return named;
  return theOnly(
    schemas.all.filter((candidate) => knownByFingerprint(candidate, low, high) !== undefined),
    context,
  );
}

/** The schema with the registry id of the body; the one of the message type if that determines one. */
export function schemaById(
  schemas: MessageSchemas,
  context: SerializerContext,
  id: string,
): ResolvedMessageSchema | undefined {
  const named = schemas.find(context);
  if (named !== undefined) return named;
  return theOnly(
    schemas.all.filter((candidate) => candidate.byId.has(id)),
    context,
  );
}

/** The reader schema for a fetched writer schema: the one of the message type, the only one, or the one of the same name. */
export function schemaForWriter(
  schemas: MessageSchemas,
  context: SerializerContext,
  writer: CompiledSchema,
): ResolvedMessageSchema {
  const candidates =
    schemas.all.length === 1
      ? schemas.all
      : schemas.all.filter(({ reader }) => namesOf(reader.type).includes(writer.type.name));
  const found = schemas.find(context) ?? theOnly(candidates, context);
  if (found === undefined)
    throw decodeFailure(
      "schema-unknown",
      `Avro has no reader schema for ${describeMessageType(context.messageType)}.`,
    );
  return found;
}

/** A message type as errors name it. */
export function describeMessageType(messageType: string | undefined): string {
  return messageType === undefined ? "a message without a type" : `the message type ${quoted(messageType)}`;
}

function theOnly(
  candidates: readonly ResolvedMessageSchema[],
  context: SerializerContext,
): ResolvedMessageSchema | undefined {
  if (candidates.length > 1)
    throw decodeFailure(
      "schema-unknown",
      `The Avro body's schema belongs to ${candidates.length} message types, and not to ${describeMessageType(context.messageType)}.`,
    );
  return candidates[0];
}

function namesOf(type: AvscType): readonly (string | undefined)[] {
  return type.name === undefined ? [] : [type.name, ...(type.aliases ?? [])];
}
