import type { BodyCheckResult } from "@waybill/core/serializer";
import type { Ajv, Options } from "ajv";
import type { AjvModules } from "./ajv-modules.js";
import {
  type AjvValidate,
  bounded,
  compileWith,
  type DraftName,
  type JsonBodyCheck,
  type JsonSchema,
  resultOf,
  type SchemaDraft,
} from "./compile-json-schema.js";
import { holdsBigInt } from "./exact-integers.js";
import { addExactKeywords, addUniqueItems, toExactSchema } from "./json-schema-keywords.js";

// Nothing that changes the value (no coercion, defaults, removal), and only the first error: a body with 200,000
// faults must not become 200,000 objects. Optimizing the generated code is half of the time to compile a schema, and no gain: V8 optimizes it too.
const ajvOptions: Options = Object.freeze({
  ownProperties: true,
  allErrors: false,
  logger: false,
  code: { optimize: false },
});

/**
 * The instances that validate schemas, one per draft. Compiling the schema of a draft takes longer than compiling most schemas, and each instance of ajv
 * would do it again.
 */
const schemaValidators = new WeakMap<AjvModules["Ajv"], Ajv>();

/** The schemas of one draft, with these modules. */
export function schemaDraft(
  modules: AjvModules,
  name: DraftName,
  extraKeywords: readonly string[],
): SchemaDraft {
  const make = () =>
    equip(new modules[name]({ ...ajvOptions, validateSchema: false }), modules, extraKeywords);
  return new AjvDraft(make, schemaValidatorOf(modules[name], modules.addFormats));
}

/**
 * The schemas of one draft, compiled by two instances of ajv: the second, created when a body first has a bigint, validates bigints as integers. It
 * is slower, because it calls functions where ajv compiles code.
 */
class AjvDraft implements SchemaDraft {
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
