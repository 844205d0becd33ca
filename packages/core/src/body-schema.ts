import { WaybillError } from "./error.js";
import type { SerializerContext } from "./serializer.js";

/** A Standard Schema (zod, valibot, arktype …), used synchronously. Source: standardschema.dev, version 1. */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

/** What a Standard Schema answers: the value, perhaps transformed, or issues of which waybill reports the first one's path. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One complaint of a Standard Schema. Its message is never repeated, because it may quote the payload. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** Checks a body: returns it, or a transformed one; throws when it is not valid. Returning `undefined` keeps the body as it is. */
export type ValidateFunction = (value: unknown) => unknown;

/** How a serializer finds the schema of a message. */
export interface BodySchemaOptions<Schema> {
  /** The schema of every body that `schemas` does not cover. Without it, such bodies are not validated. */
  readonly schema?: Schema | undefined;
  /** Schemas by message type, or a function that picks one for a message; `undefined` from it means `schema`. */
  readonly schemas?:
    | Readonly<Record<string, Schema>>
    | ((context: SerializerContext) => Schema | undefined)
    | undefined;
}

/** The outcome of a check: the value to go on with, or where the body broke the schema, without payload. */
export type BodyCheckResult =
  | { readonly isValid: true; readonly value: unknown }
  | { readonly isValid: false; readonly text: string };

/** A compiled schema. */
export type BodyCheck = (value: unknown) => BodyCheckResult;

/**
 * Resolves the `schema` and `schemas` options of a serializer into a look-up by message, or `undefined` when neither is set.
 * Schemas given as values are compiled at once, those that a function picks when first seen; each is compiled once.
 */
export function resolveBodySchemas<Schema>(
  options: BodySchemaOptions<Schema>,
  compile: (schema: Schema) => BodyCheck,
): ((context: SerializerContext) => BodyCheck | undefined) | undefined {
  const { schema, schemas } = options;
  const compiled = new Map<Schema, BodyCheck>();
  const check = (given: Schema): BodyCheck => {
    let known = compiled.get(given);
    if (known === undefined) {
      known = compile(given);
      compiled.set(given, known);
    }
    return known;
  };

  const fallback = schema === undefined ? undefined : check(schema);
  if (schemas === undefined) return fallback && (() => fallback);
  if (typeof schemas === "function") {
    return (context) => {
      const picked = schemas(context);
      return picked === undefined ? fallback : check(picked);
    };
  }
  const byType = new Map(Object.entries(schemas).map(([type, each]) => [type, check(each)]));
  return ({ messageType }) => (messageType === undefined ? fallback : (byType.get(messageType) ?? fallback));
}

/** Compiles a Standard Schema or a validate function. Throws `TypeError` when it is neither. */
export function compileValidator(schema: StandardSchema | ValidateFunction): BodyCheck {
  if (isStandardSchema(schema)) return (value) => checkStandard(schema, value);
  if (typeof schema === "function") return (value) => checkFunction(schema, value);
  throw new TypeError("A schema must be a Standard Schema or a function that returns the value or throws.");
}

/** Whether a value is a Standard Schema. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return (
    (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema
  );
}

function checkStandard(schema: StandardSchema, value: unknown): BodyCheckResult {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) throw new TypeError("A schema must validate synchronously.");
  if (result.issues === undefined) return { isValid: true, value: result.value };
  return { isValid: false, text: `The body breaks its schema at ${pointer(result.issues[0])}.` };
}

function checkFunction(validate: ValidateFunction, value: unknown): BodyCheckResult {
  let returned: unknown;
  try {
    returned = validate(value);
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    return { isValid: false, text: "The validate function refused the body." };
  }
  if (returned instanceof Promise) throw new TypeError("A validate function must be synchronous.");
  return { isValid: true, value: returned === undefined ? value : returned };
}

function pointer(issue: StandardIssue | undefined): string {
  const path = (issue?.path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
  const text = path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return text === "" ? "its root" : text.length > 256 ? `${text.slice(0, 256)}…` : text;
}
