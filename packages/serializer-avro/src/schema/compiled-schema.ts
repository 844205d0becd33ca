import type { AvscResolver, AvscType } from "../avsc/internals.js";
import { avroName } from "../avsc/type-names.js";
import type { ReadTap } from "../wire/read-tap.js";
import { buildType, type TypeSettings } from "./build-type.js";
import { crc64Avro } from "./fingerprint.js";
import type { LogicalTypeName } from "./logical-type-name.js";
import { type AvroSchema, normalizeSchema } from "./normalize-schema.js";

/** A schema ready for use. */
export interface CompiledSchema {
  readonly type: AvscType;
  /** CRC-64-AVRO of the parsing canonical form. */
  readonly fingerprint: bigint;
  /** The same as two 32-bit halves, as they are compared in bodies. */
  readonly fingerprintLow: number;
  readonly fingerprintHigh: number;
  /** Equal for schemas of one fingerprint whose logical types are equal too; the fingerprint ignores those. */
  readonly logicalForm: string;
}

/** What turns a schema into types. */
export interface CompileSettings extends TypeSettings {
  readonly rawLogicalTypes: ReadonlySet<LogicalTypeName>;
}

/** Reads a value: a type that reads its own bytes, or a resolver that reads those of an older or newer one. */
export interface ReadPlan {
  _read(tap: ReadTap): unknown;
  /** Skips a value of the writer. */
  _skip(tap: ReadTap): void;
}

/** Attributes that do not affect how bytes are read with their writer schema. */
const besideTheForm: ReadonlySet<string> = new Set(["aliases", "default", "order"]);

const plainSettings: CompileSettings = { longs: "auto", unions: "auto", rawLogicalTypes: new Set() };

/**
 * The CRC-64-AVRO fingerprint of a schema's parsing canonical form, as single-object encoding writes it, for schema stores and tools.
 * Throws a `TypeError` for an invalid schema. Source: Avro specification 1.12, "Single-object encoding".
 */
export function fingerprint(schema: AvroSchema): bigint {
  return compileSchema(schema, plainSettings).fingerprint;
}

/** Validates and builds a schema. Throws a `TypeError` with the problem and its path. */
export function compileSchema(schema: AvroSchema, settings: CompileSettings): CompiledSchema {
  const normalized = normalizeSchema(schema, settings.rawLogicalTypes);
  const type = build(normalized, settings);
  // avsc exports only attributes of the canonical form, and in its order.
  const form = type._attrs({ derefed: Object.create(null), exportAttrs: false, noDeref: false });
  const canonicalForm = JSON.stringify(form, (_, value) =>
    typeof value === "string" ? avroName(value) : value,
  );
  const crc = crc64Avro(Buffer.from(canonicalForm));
  return {
    type,
    fingerprint: crc,
    fingerprintLow: Number(crc & 0xffffffffn),
    fingerprintHigh: Number(crc >> 32n),
    logicalForm: JSON.stringify(normalized, (key, value) => (besideTheForm.has(key) ? undefined : value)),
  };
}

/** How to read what `writer` wrote as a value of `reader`. Throws a `TypeError` when the two cannot be resolved. */
export function planRead(reader: CompiledSchema, writer: CompiledSchema): ReadPlan {
  if (reader.fingerprint === writer.fingerprint && reader.logicalForm === writer.logicalForm)
    return reader.type;
  try {
    const registry = Object.create(null) as Record<string, AvscResolver>;
    const resolver = reader.type.createResolver(writer.type, { registry, ignoreNamespaces: true });
    return { _read: (tap) => resolver._read(tap), _skip: (tap) => writer.type._skip(tap) };
  } catch (error) {
    throw new TypeError(`the schema cannot be read as the reader schema: ${textOf(error)}`, { cause: error });
  }
}

function build(normalized: unknown, settings: CompileSettings): AvscType {
  try {
    return buildType(normalized, settings);
  } catch (error) {
    if (error instanceof TypeError) throw error;
    throw new TypeError(`schema: ${textOf(error)}`, { cause: error });
  }
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
