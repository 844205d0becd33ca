import type { StandardSchema } from "@waybill/core";
import { requireKnownOptions } from "@waybill/core/serializer";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formatsPlugin from "ajv-formats";
import type { AjvModules } from "./ajv-modules.js";
import { type AjvLike, type JsonSchema, type MakeDraft, schemaCompiler } from "./compile-json-schema.js";
import { schemaDraft } from "./schema-draft.js";

/** JSON Schemas for bodies of every format, with ajv: bundlers include it, and browsers have it. */

// The CommonJS default export of ajv-formats, as TypeScript sees it from ESM.
const addFormats = formatsPlugin as unknown as AjvModules["addFormats"];

/** Options of a JSON Schema. */
export interface JsonSchemaOptions {
  /** Schema keywords outside the specification to ignore, such as `"x-owner"`. Others are refused. Default: none. */
  readonly extraKeywords?: readonly string[] | undefined;
  /**
   * Your own ajv instead of the built-in one: with other formats, keywords, references or another RegExp engine. Default: the
   * built-in one.
   */
  readonly ajv?: AjvLike | undefined;
}

/**
 * A JSON Schema for bodies of every format: for the `schema` of a pipeline, of a message type's version or of another serializer. It validates the
 * decoded value, so a date of MessagePack or Avro is a `Date`, not a string. Throws `TypeError` for an invalid schema or an unknown option.
 */
export function jsonSchema(schema: JsonSchema, options: JsonSchemaOptions = {}): StandardSchema {
  requireKnownOptions("jsonSchema", options, { extraKeywords: true, ajv: true });
  const { extraKeywords = [], ajv } = options;
  const check = schemaCompiler(ajv, extraKeywords, includedDraft).compile(schema);
  return Object.freeze({
    "~standard": Object.freeze({
      version: 1,
      vendor: "waybill",
      jsonSchema: { input: () => described(schema), output: () => described(schema) },
      validate(value: unknown) {
        const result = check(value);
        if (result.isValid) return { value: result.value };
        return { issues: [{ message: result.text, path: result.path }] };
      },
    }),
  } satisfies StandardSchema);
}

/** The schemas of a draft, with the ajv that this module imports. */
const includedDraft: MakeDraft = (name, extraKeywords) =>
  schemaDraft({ Ajv, Ajv2020, addFormats }, name, extraKeywords);

/** The schema as Standard JSON Schema has it: always an object. */
function described(schema: JsonSchema): Record<string, unknown> {
  if (typeof schema === "boolean") return schema ? {} : { not: {} };
  return { ...schema };
}
