import type { BodyCheckResult } from "@waybill/core/serializer";
import { compileValidator, describePath, isStandardSchema } from "@waybill/core/serializer";
import type { ErrorObject } from "ajv";
import { withNumbers } from "./exact-integers.js";
import type { JsonBodySchema } from "./json-serializer.js";

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

/** A check of a value that was or will be JSON. */
export interface JsonBodyCheck {
  /** `"safe"` means that no integer in the value is a bigint; otherwise the value is searched for bigints. */
  (value: unknown, integers?: "safe"): BodyCheckResult;
  /** Whether it is a JSON Schema: it validates integers in any representation. */
  readonly isOfJson?: true;
}

/** The schemas of one draft. */
export interface SchemaDraft {
  /** Throws `TypeError` for a schema that is not valid. */
  compile(schema: JsonSchema): JsonBodyCheck;
  /** Removes a schema; functions that were compiled from it continue to work. */
  forget(schema: object): void;
}

/** Makes the schemas of a draft, with built-in instances of ajv. Throws `TypeError` if ajv cannot be loaded. */
export type MakeDraft = (name: DraftName, extraKeywords: readonly string[]) => SchemaDraft;

/** Keywords in the place of `type` and `format`, for instances of ajv that validate bigints as integers. */
export const exactType = "waybill:type";
export const exactFormat = "waybill:format";

/**
 * Returns the compiler for the schemas of one serializer. It keeps one ajv per draft, made when first needed, so that schemas of two
 * serializers cannot clash by `$id`.
 */
export function schemaCompiler(
  ajv: AjvLike | undefined,
  extraKeywords: readonly string[],
  makeDraft: MakeDraft,
) {
  const drafts: Partial<Record<DraftName, SchemaDraft>> = {};
  return {
    /** Throws `TypeError` for a schema that is not valid. */
    compile(schema: JsonBodySchema): JsonBodyCheck {
      if (typeof schema === "function" || isStandardSchema(schema)) return compileValidator(schema);
      if (ajv !== undefined) return roundingCheck(compileWith(ajv, schema));
      const name = draftOf(schema);
      drafts[name] ??= makeDraft(name, extraKeywords);
      return drafts[name].compile(schema);
    },
    /**
     * Removes a schema; functions that were compiled from it continue to work. Only from the built-in ajv: the user may have added the schema to
     * their own ajv.
     */
    forget(schema: JsonBodySchema): void {
      if (typeof schema !== "object" || isStandardSchema(schema)) return;
      drafts[draftOf(schema)]?.forget(schema);
    },
  };
}

/** The name of ajv's class for the draft of a schema. */
export type DraftName = "Ajv" | "Ajv2020";

function draftOf(schema: JsonSchema): DraftName {
  const id = typeof schema === "object" ? schema?.$schema : undefined;
  return typeof id === "string" && id.includes("draft-07") ? "Ajv" : "Ajv2020";
}

/** Compiles a schema; it is validated by `schemaValidator`, if there is one. */
export function compileWith(
  ajv: AjvLike,
  schema: JsonSchema,
  schemaValidator?: { validateSchema(schema: object, throwOrLogError: boolean): unknown },
): AjvValidate {
  let validate: AjvValidate;
  try {
    if (typeof schema === "object" && schema !== null) schemaValidator?.validateSchema(schema, true);
    validate = ajv.compile(schema as Record<string, unknown> | boolean);
  } catch (error) {
    const text = error instanceof Error ? error.message : "unknown cause";
    throw new TypeError(`json: a schema does not compile: ${text}`, { cause: error });
  }
  if (validate.$async === true) throw new TypeError("json: a schema must validate synchronously.");
  return validate;
}

/** Validates with the user's ajv, which does not know bigints: it gets the nearest numbers. */
function roundingCheck(validate: AjvValidate): JsonBodyCheck {
  const check = (value: unknown, integers?: "safe"): BodyCheckResult =>
    bounded(() => resultOf(validate, integers === "safe" ? value : withNumbers(value), value));
  return Object.assign(check, { isOfJson: true } as const);
}

/** The result of a compiled schema for a value, of which it sees a form that it understands. */
export function resultOf(validate: AjvValidate, seen: unknown, value: unknown): BodyCheckResult {
  if (validate(seen) === true) return { isValid: true, value };
  return faultOf(validate.errors?.[0]);
}

/** Runs a check; a value that is nested too deeply for its schema is not valid. */
export function bounded(check: () => BodyCheckResult): BodyCheckResult {
  try {
    return check();
  } catch (error) {
    // A recursive schema recurses with the value; any other error comes from a custom keyword.
    if (error instanceof RangeError)
      return { isValid: false, text: "The body is nested too deeply for its schema." };
    throw error;
  }
}

/** Names the path and keyword of a violation. Ajv's own message is not used: with `const` and `enum` it would repeat the schema. */
function faultOf(error: Pick<ErrorObject, "instancePath" | "keyword"> | undefined): BodyCheckResult {
  if (error === undefined) return { isValid: false, text: "The body breaks its schema." };
  const path = stepsOf(error.instancePath);
  return {
    isValid: false,
    text: `The body breaks "${plainKeyword(error.keyword)}" of its schema at ${describePath(path)}.`,
    path,
  };
}

/** The user's keyword for one of an exact schema. */
function plainKeyword(keyword: string): string {
  if (keyword === exactType) return "type";
  return keyword === exactFormat ? "format" : keyword;
}

/** The steps of a JSON pointer. Source: RFC 6901, 4. */
function stepsOf(pointer: string): string[] {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}
