import type { BodyCheckResult } from "@waybill/core/serializer";
import { compileValidator, describePath, isStandardSchema } from "@waybill/core/serializer";
import type { Ajv, ErrorObject, Options } from "ajv";
import type { AjvModules } from "./ajv-modules.js";
import { holdsBigInt, withNumbers } from "./exact-integers.js";
import { addExactKeywords, addUniqueItems, plainKeyword, toExactSchema } from "./json-schema-keywords.js";
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

// Nothing that changes the value (no coercion, defaults, removal), and only the first error: a body with 200,000
// faults must not become 200,000 objects.
const ajvOptions: Options = Object.freeze({ ownProperties: true, allErrors: false, logger: false });

/**
 * The instances that validate schemas, one per draft. Compiling the schema of a draft takes longer than compiling most schemas, and each instance of ajv
 * would do it again.
 */
const schemaValidators = new WeakMap<AjvModules["Ajv"], Ajv>();

/** A check of a value that was or will be JSON. */
export interface JsonBodyCheck {
  /** `"safe"` means that no integer in the value is a bigint; otherwise the value is searched for bigints. */
  (value: unknown, integers?: "safe"): BodyCheckResult;
  /** Whether it is a JSON Schema: it validates integers in any representation. */
  readonly isOfJson?: true;
}

/**
 * Returns the compiler for the schemas of one serializer. It keeps one ajv per draft, made when first needed, so that schemas of two
 * serializers cannot clash by `$id`; `load` is called for the first.
 */
export function schemaCompiler(
  ajv: AjvLike | undefined,
  extraKeywords: readonly string[],
  load: () => AjvModules,
) {
  const drafts: Partial<Record<DraftName, SchemaDraft>> = {};
  const makeDraft = (name: DraftName) => {
    const modules = load();
    const make = () =>
      equip(new modules[name]({ ...ajvOptions, validateSchema: false }), modules, extraKeywords);
    return new SchemaDraft(make, schemaValidatorOf(modules[name], modules.addFormats));
  };
  return {
    /** Throws `TypeError` for a schema that is not valid. */
    compile(schema: JsonBodySchema): JsonBodyCheck {
      if (typeof schema === "function" || isStandardSchema(schema)) return compileValidator(schema);
      if (ajv !== undefined) return roundingCheck(compileWith(ajv, schema));
      const name = draftOf(schema);
      drafts[name] ??= makeDraft(name);
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

/**
 * The schemas of one draft, compiled by two instances of ajv: the second, created when a body first has a bigint, validates bigints as integers. It
 * is slower, because it calls functions where ajv compiles code.
 */
class SchemaDraft {
  readonly #make: () => Ajv;
  readonly #plain: Ajv;
  readonly #schemaValidator: Ajv;
  readonly #schemas = new Set<object>();
  readonly #exactSchemas = new Map<object, Record<string, unknown>>();
  #exact: Ajv | undefined;

  constructor(make: () => Ajv, schemaValidator: Ajv) {
    this.#make = make;
    this.#plain = make();
    this.#schemaValidator = schemaValidator;
  }

  compile(schema: JsonSchema): JsonBodyCheck {
    const plain = compileWith(this.#plain, schema, this.#validatorOf(schema));
    if (typeof schema === "object") this.#schemas.add(schema);
    let exact: AjvValidate | undefined;
    const check = (value: unknown, integers?: "safe"): BodyCheckResult =>
      bounded(() => {
        if (integers === "safe" || !holdsBigInt(value)) return resultOf(plain, value, value);
        exact ??= this.#compileExact(schema);
        return resultOf(exact, value, value);
      });
    return Object.assign(check, { isOfJson: true } as const);
  }

  forget(schema: object): void {
    this.#schemas.delete(schema);
    this.#plain.removeSchema(schema);
    const exact = this.#exactSchemas.get(schema);
    this.#exactSchemas.delete(schema);
    if (exact !== undefined) this.#exact?.removeSchema(exact);
  }

  /** The schema of a schema may be one that was compiled before, which the shared instance does not have. */
  #validatorOf(schema: JsonSchema): Ajv {
    const id = typeof schema === "object" ? schema?.$schema : undefined;
    const isOwn = id !== undefined && [...this.#schemas].some((known) => "$id" in known && known.$id === id);
    return isOwn ? this.#plain : this.#schemaValidator;
  }

  /** The schema may refer to schemas compiled before, by their ids. */
  #compileExact(schema: JsonSchema): AjvValidate {
    if (this.#exact === undefined) {
      this.#exact = this.#make();
      addExactKeywords(this.#exact);
    }
    for (const known of this.#schemas) {
      if (this.#exactSchemas.has(known)) continue;
      const exact = toExactSchema(known) as Record<string, unknown>;
      this.#exactSchemas.set(known, exact);
      if (typeof exact.$id === "string") this.#exact.addSchema(exact);
    }
    const exact = typeof schema === "object" ? this.#exactSchemas.get(schema) : schema;
    return compileWith(this.#exact, (exact ?? toExactSchema(schema)) as JsonSchema);
  }
}

/** The name of ajv's class for the draft of a schema. */
type DraftName = "Ajv" | "Ajv2020";

function draftOf(schema: JsonSchema): DraftName {
  const id = typeof schema === "object" ? schema?.$schema : undefined;
  return typeof id === "string" && id.includes("draft-07") ? "Ajv" : "Ajv2020";
}

function schemaValidatorOf(Draft: AjvModules["Ajv"], addFormats: AjvModules["addFormats"]): Ajv {
  let validator = schemaValidators.get(Draft);
  if (validator === undefined) {
    validator = new Draft(ajvOptions);
    addFormats(validator);
    schemaValidators.set(Draft, validator);
  }
  return validator;
}

function equip(ajv: Ajv, { addFormats }: AjvModules, extraKeywords: readonly string[]): Ajv {
  addFormats(ajv);
  addUniqueItems(ajv);
  ajv.addVocabulary([...extraKeywords]);
  return ajv;
}

/** Compiles a schema; it is validated by `schemaValidator`, if there is one. */
function compileWith(ajv: AjvLike, schema: JsonSchema, schemaValidator?: Ajv): AjvValidate {
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

function resultOf(validate: AjvValidate, seen: unknown, value: unknown): BodyCheckResult {
  if (validate(seen) === true) return { isValid: true, value };
  return faultOf(validate.errors?.[0]);
}

function bounded(check: () => BodyCheckResult): BodyCheckResult {
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

/** The steps of a JSON pointer. Source: RFC 6901, 4. */
function stepsOf(pointer: string): string[] {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}
