import type { BodyCheck, BodyCheckResult, StandardSchema, ValidateFunction } from "@waybill/core";
import { compileValidator, isStandardSchema, quotedPath } from "@waybill/core";
import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formatsPlugin from "ajv-formats";
import type { JsonBodySchema } from "./json-serializer.js";
import { withNumbers } from "./unsafe-integers.js";

/** A JSON Schema, draft 2020-12 unless `$schema` names draft-07. Source: json-schema.org. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** The part of an ajv instance that `json()` uses. */
export interface AjvLike {
  compile(schema: Record<string, unknown> | boolean): AjvValidate;
}

/** A validation function that ajv compiled; `errors` is overwritten by each call. */
export interface AjvValidate {
  (value: unknown): unknown;
  readonly errors?: readonly Pick<ErrorObject, "instancePath" | "keyword">[] | null;
  readonly $async?: unknown;
}

// Nothing that changes the value (no coercion, defaults, removal), and no more than the first error: a body with 200,000
// faults must not become 200,000 objects.
const ajvOptions: Options = Object.freeze({ ownProperties: true, allErrors: false, logger: false });

// The CommonJS default export of ajv-formats, as TypeScript sees it from ESM.
const addFormats = formatsPlugin as unknown as (ajv: Ajv) => void;

/** Compiles the schemas of one serializer. */
export interface SchemaCompiler {
  /** Throws `TypeError` for a schema that is not valid. */
  readonly compile: (schema: JsonBodySchema) => BodyCheck;
  /** Lets go of a schema; what was compiled of it goes on working. */
  readonly forget: (schema: JsonBodySchema) => void;
}

/**
 * Returns the compiler for the schemas of one serializer. It keeps one ajv per draft, made when first needed, so that schemas of two
 * serializers cannot clash by `$id`.
 */
export function schemaCompiler(ajv: AjvLike | undefined, extraKeywords: readonly string[]): SchemaCompiler {
  let draft7: Ajv | undefined;
  let draft2020: Ajv | undefined;
  return {
    compile(schema) {
      if (isValidator(schema)) return compileValidator(schema);
      if (ajv !== undefined) return compileWith(ajv, schema);
      if (isDraft7(schema)) {
        draft7 ??= equip(new Ajv(ajvOptions), extraKeywords);
        return compileWith(draft7, schema);
      }
      draft2020 ??= equip(new Ajv2020(ajvOptions), extraKeywords);
      return compileWith(draft2020, schema);
    },
    // Only what was made here: an ajv of the user's may have the schema from the user as well.
    forget(schema) {
      if (typeof schema !== "object" || isStandardSchema(schema)) return;
      (isDraft7(schema) ? draft7 : draft2020)?.removeSchema(schema);
    },
  };
}

function isValidator(schema: JsonBodySchema): schema is StandardSchema | ValidateFunction {
  return typeof schema === "function" || isStandardSchema(schema);
}

function isDraft7(schema: JsonSchema): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return typeof schema.$schema === "string" && schema.$schema.includes("draft-07");
}

function equip(ajv: Ajv, extraKeywords: readonly string[]): Ajv {
  addFormats(ajv);
  ajv.addVocabulary([...extraKeywords]);
  return ajv;
}

function compileWith(ajv: AjvLike, schema: JsonSchema): BodyCheck {
  let validate: AjvValidate;
  try {
    validate = ajv.compile(schema as Record<string, unknown> | boolean);
  } catch (error) {
    const text = error instanceof Error ? error.message : "unknown cause";
    throw new TypeError(`json: a schema does not compile: ${text}`, { cause: error });
  }
  if (validate.$async === true) throw new TypeError("json: a schema must validate synchronously.");
  return (value) => {
    try {
      if (validate(value) === true) return { isValid: true, value };
      const fault = faultOf(validate.errors?.[0]);
      // Integers that a number cannot hold are integers to JSON Schema all the same.
      const numbers = withNumbers(value);
      if (numbers === value) return fault;
      if (validate(numbers) === true) return { isValid: true, value };
    } catch (error) {
      // A recursive schema recurses with the value; everything else is a fault of a custom keyword.
      if (error instanceof RangeError)
        return { isValid: false, text: "The body is nested too deeply for its schema." };
      throw error;
    }
    return faultOf(validate.errors?.[0]);
  };
}

/** Names place and keyword of a fault. Ajv's own message is not used: with `const` and `enum` it would repeat the schema. */
function faultOf(error: Pick<ErrorObject, "instancePath" | "keyword"> | undefined): BodyCheckResult {
  if (error === undefined) return { isValid: false, text: "The body breaks its schema." };
  const path = stepsOf(error.instancePath);
  return {
    isValid: false,
    text: `The body breaks "${error.keyword}" of its schema at ${quotedPath(path)}.`,
    path,
  };
}

/** The steps of a JSON pointer. Source: RFC 6901, 4. */
function stepsOf(pointer: string): string[] {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}
