import { decodeFailure, validationFailure } from "@waybill/core/serializer";
import {
  type CompiledSchema,
  type CompileSettings,
  compileSchema,
  planRead,
  type ReadPlan,
} from "./compiled-schema.js";
import type { AvroSchema } from "./normalize-schema.js";

/** A schema with its id in a registry. */
export interface IdentifiedSchema {
  /** The Avro schema. */
  readonly schema: AvroSchema;
  /** A registry's id, as in `avro/binary+<id>` or, as a number, in Confluent's framing. */
  readonly schemaId?: string | number;
}

/** The schema of one message type: the one to write, and the reader schema. */
export interface AvroMessageSchema extends IdentifiedSchema {
  /**
   * Other writer schemas of bodies, older or newer; they are resolved to `schema`. A schema that cannot be resolved is refused when the serializer is
   * created.
   */
  readonly writerSchemas?: readonly (AvroSchema | IdentifiedSchema)[];
}

/** How message types' schemas are compiled. */
export interface MessageSchemaSettings extends CompileSettings {
  /** Whether bodies identify their writer schema only by a fingerprint. */
  readonly isKnownByFingerprint: boolean;
}

interface KnownWriter {
  readonly writer: CompiledSchema;
  /** Undefined for a fingerprint that schemas of different logical types share. */
  plan: ReadPlan | undefined;
}

/** A message type's reader schema with every writer schema that it is known to read. */
export interface ResolvedMessageSchema {
  readonly reader: CompiledSchema;
  /** The id that is written with raw and Confluent framing. */
  readonly schemaId: string | undefined;
  /** Plans by the low half of the fingerprint. */
  readonly byFingerprint: ReadonlyMap<number, readonly KnownWriter[]>;
  readonly byId: ReadonlyMap<string, ReadPlan>;
  /** Plans for the schemas that came from the schema source. */
  readonly fetchedPlans: WeakMap<CompiledSchema, ReadPlan>;
}

/** Compiles a message type's schemas. Throws a `TypeError` that starts with `where`. */
export function resolveMessageSchema(
  definition: AvroSchema | AvroMessageSchema,
  settings: MessageSchemaSettings,
  where: string,
): ResolvedMessageSchema {
  const {
    schema,
    schemaId,
    writerSchemas = [],
  } = isIdentified(definition) ? (definition as AvroMessageSchema) : { schema: definition };
  const reader = atPlace(where, () => compileSchema(schema, settings));
  const byFingerprint = new Map<number, KnownWriter[]>();
  const byId = new Map<string, ReadPlan>();
  const writers = [{ schema, schemaId }, ...writerSchemas.map(toIdentified)];
  for (const [index, known] of writers.entries()) {
    const place = index === 0 ? where : `${where}, writerSchemas[${index - 1}]`;
    const { plan } = atPlace(place, () => {
      const compiled = index === 0 ? reader : compileSchema(known.schema, settings);
      const knownWriter = { writer: compiled, plan: planRead(reader, compiled) };
      addByFingerprint(byFingerprint, knownWriter, settings);
      return knownWriter;
    });
    if (known.schemaId !== undefined) byId.set(String(known.schemaId), plan);
  }
  return {
    reader,
    schemaId: schemaId === undefined ? undefined : String(schemaId),
    byFingerprint,
    byId,
    fetchedPlans: new WeakMap(),
  };
}

function addByFingerprint(
  byFingerprint: Map<number, KnownWriter[]>,
  { writer, plan }: KnownWriter,
  { isKnownByFingerprint }: MessageSchemaSettings,
): void {
  const bucket = byFingerprint.get(writer.fingerprintLow) ?? [];
  byFingerprint.set(writer.fingerprintLow, bucket);
  const same = bucket.find((other) => other.writer.fingerprintHigh === writer.fingerprintHigh);
  if (same === undefined) bucket.push({ writer, plan });
  else if (same.writer.logicalForm !== writer.logicalForm) {
    if (isKnownByFingerprint)
      throw new TypeError(
        "another schema of this message type differs from it only in logical types, which the fingerprint of " +
          'single-object encoding ignores; use the framing "raw" or "confluent", which writes schema ids',
      );
    same.plan = undefined;
  }
}

/**
 * The plan for a body that carries this fingerprint, or undefined when the schema is not known. One that schemas of different logical types
 * share is a `decodeFailure`.
 */
export function planByFingerprint(
  messageSchema: ResolvedMessageSchema,
  low: number,
  high: number,
): ReadPlan | undefined {
  const known = knownByFingerprint(messageSchema, low, high);
  if (known === undefined || known.plan !== undefined) return known?.plan;
  throw decodeFailure(
    "schema-unknown",
    "The Avro body's fingerprint belongs to several schemas, which differ in logical types; only a schema id can distinguish them.",
  );
}

/** The writer's schema of this fingerprint, if it is known. */
export function knownByFingerprint(
  { byFingerprint }: ResolvedMessageSchema,
  low: number,
  high: number,
): KnownWriter | undefined {
  const bucket = byFingerprint.get(low);
  if (bucket === undefined) return undefined;
  for (const known of bucket) if (known.writer.fingerprintHigh === high) return known;
  return undefined;
}

/** The plan for a schema from the source. A schema that cannot be read as the reader's is a `validationFailure`. */
export function planFetched(messageSchema: ResolvedMessageSchema, writer: CompiledSchema): ReadPlan {
  const known = messageSchema.fetchedPlans.get(writer);
  if (known !== undefined) return known;
  try {
    const plan = planRead(messageSchema.reader, writer);
    messageSchema.fetchedPlans.set(writer, plan);
    return plan;
  } catch (error) {
    throw validationFailure(`The schema of the Avro body does not fit: ${(error as Error).message}.`, error);
  }
}

/** The failure of a body with an unknown schema; its fingerprint or id reveals nothing about the payload. */
export function schemaUnknown(name: string): Error {
  return decodeFailure(
    "schema-unknown",
    `The Avro body was written under ${name}, which is not among the known schemas.`,
  );
}

function toIdentified(schema: AvroSchema | IdentifiedSchema): IdentifiedSchema {
  return isIdentified(schema) ? schema : { schema };
}

/** Whether a definition has more than a schema; an Avro schema object has a `type`. */
export function isIdentified(definition: unknown): definition is IdentifiedSchema {
  return (
    typeof definition === "object" &&
    definition !== null &&
    !Array.isArray(definition) &&
    Object.hasOwn(definition, "schema") &&
    !Object.hasOwn(definition, "type")
  );
}

function atPlace<T>(where: string, build: () => T): T {
  try {
    return build();
  } catch (error) {
    throw new TypeError(`avro: ${where}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
