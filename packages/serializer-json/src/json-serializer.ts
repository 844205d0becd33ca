import type { Serializer, StandardSchema } from "@waybill/core";
import {
  type BodySchemaOptions,
  describeBodySchema,
  type OptionNames,
  requireKnownOptions,
  requireOneOf,
  resolveBodySchemas,
  type ValidateFunction,
} from "@waybill/core/serializer";
import { requiredDraft } from "#required-draft";
import { type AjvLike, type JsonSchema, schemaCompiler } from "./compile-json-schema.js";
import { readJson } from "./read-json.js";
import { writeJson } from "./write-json.js";

/** A schema for JSON bodies: a JSON Schema, a Standard Schema (zod, valibot …) or a function that returns the value or throws. */
export type JsonBodySchema = JsonSchema | StandardSchema | ValidateFunction;

/** How `json()` reads, writes and validates. */
export interface JsonOptions extends BodySchemaOptions<JsonBodySchema> {
  /** What to do with a byte order mark before JSON. Default `"strip"`. */
  readonly byteOrderMark?: "strip" | "refuse" | undefined;
  /**
   * How an integer beyond ±(2^53 − 1) is read if its number would print other digits: as a `bigint` (default), as a `string` of digits, as the
   * nearest `number` like `JSON.parse`, or not at all.
   */
  readonly readUnsafeIntegers?: "bigint" | "string" | "number" | "refuse" | undefined;
  /** How a `bigint` is written: not at all (default, because many readers round it), as a JSON number, or as a string of digits. */
  readonly writeBigInts?: "refuse" | "number" | "string" | undefined;
  /** How a `Uint8Array` is written: not at all (default, because JSON has no bytes) or as a base64 string, which is read as a string. */
  readonly writeBytes?: "refuse" | "base64" | undefined;
  /**
   * Schema keywords outside the specification to ignore, such as `"x-owner"`. Others are refused when the schema is compiled. Default: none.
   */
  readonly extraKeywords?: readonly string[] | undefined;
  /**
   * Your own ajv instead of the built-in ones: with other formats, keywords, references or another RegExp engine. It keeps every
   * schema that it compiled, and gets integers beyond ±(2^53 − 1) as the nearest numbers. Default: the built-in ones.
   */
  readonly ajv?: AjvLike | undefined;
}

/** The options that decide how values are read and written, with all defaults filled in. */
export type ResolvedJsonOptions = {
  readonly [Name in "byteOrderMark" | "readUnsafeIntegers" | "writeBigInts" | "writeBytes"]: NonNullable<
    JsonOptions[Name]
  >;
};

/** What can be chosen for each, the default first. */
const choices: { readonly [Name in keyof ResolvedJsonOptions]: readonly ResolvedJsonOptions[Name][] } = {
  byteOrderMark: ["strip", "refuse"],
  readUnsafeIntegers: ["bigint", "string", "number", "refuse"],
  writeBigInts: ["refuse", "number", "string"],
  writeBytes: ["refuse", "base64"],
};

const optionNames: OptionNames<JsonOptions> = {
  ...choices,
  schema: true,
  schemas: true,
  extraKeywords: true,
  ajv: true,
};

/**
 * The JSON serializer: strict UTF-8, nothing silently lost or rounded, bounded depth, optionally validated when read and written.
 * Throws `TypeError` for unknown option values and schemas that do not compile. Source: RFC 8259, RFC 6839.
 */
export function json(options: JsonOptions = {}): Serializer {
  requireKnownOptions("json", options, optionNames);
  const resolved: ResolvedJsonOptions = {
    byteOrderMark: choose(options, "byteOrderMark"),
    readUnsafeIntegers: choose(options, "readUnsafeIntegers"),
    writeBigInts: choose(options, "writeBigInts"),
    writeBytes: choose(options, "writeBytes"),
  };
  const { compile, forget } = schemaCompiler(options.ajv, options.extraKeywords ?? [], requiredDraft);
  const schemas = resolveBodySchemas(options, compile, forget);
  return Object.freeze({
    name: "json",
    mediaTypes: Object.freeze([
      "application/json",
      "text/json",
      "application/x-json",
      "text/x-json",
      "+json",
    ]),
    detection: "structure",
    leadingBytes: Object.freeze([0x7b, 0x5b]),
    conforming: true,
    validation: options.schema === undefined && options.schemas === undefined ? undefined : "schema",
    compileSchema: schemas.compileSchema,
    checkFor: schemas.checkFor,
    contract: {
      options: resolved,
      schemaOf: (target) => describeBodySchema(options, target),
      rebuild: ({ options: others, schema }) =>
        json({ ...others, ...(schema === undefined ? {} : { schema: schema as JsonBodySchema }) }),
    },
    serialize: (value, context) => ({
      bytes: writeJson(value, context, resolved, schemas.checkFor(context)),
    }),
    deserialize: (bytes, context) => readJson(bytes, context, resolved, schemas.checkFor(context)),
  } satisfies Serializer);
}

function choose<Name extends keyof ResolvedJsonOptions>(
  options: JsonOptions,
  name: Name,
): ResolvedJsonOptions[Name] {
  const chosen: string | undefined = options[name] ?? choices[name][0];
  return requireOneOf(`json: ${name}`, chosen as string, choices[name]) as ResolvedJsonOptions[Name];
}
