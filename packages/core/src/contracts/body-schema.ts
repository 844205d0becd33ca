import { compileOnce, describePath } from "@waybill/foundation";
import { WaybillError } from "../errors/error.js";
import type { DescribedSchema, SerializerContext, WriteContext } from "./serializer.js";

/** A Standard Schema (zod, valibot, arktype …), used synchronously. Source: standardschema.dev, version 1. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    /** The name of the schema library. */
    readonly vendor: string;
    /** Checks a value; a promise is refused with `TypeError`. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /**
     * JSON Schemas of what it takes and returns, from libraries that implement Standard JSON Schema; contracts compare bodies by them. They throw
     * for what JSON Schema cannot say.
     */
    readonly jsonSchema?:
      | {
          readonly input: (options: { readonly target: string }) => Record<string, unknown>;
          readonly output: (options: { readonly target: string }) => Record<string, unknown>;
        }
      | undefined;
    /** Only for types: the input and output types of the schema. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a Standard Schema returns: the value, perhaps transformed, or issues; waybill reports only the path of the first. */
export type StandardResult<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One issue of a Standard Schema. Its message is not reported, because it may quote the payload. */
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
  /**
   * Schemas by message type, or a function that returns one for a message, or `undefined` for `schema`. The function may create the schema
   * each time: a schema with the same JSON content is compiled only once. Default: none.
   */
  readonly schemas?:
    | Readonly<Record<string, Schema>>
    | ((context: SerializerContext) => Schema | undefined)
    | undefined;
}

/**
 * The result of a check: the value to use, or what in the body breaks the schema, as a text without payload and a path if there is one.
 */
export type BodyCheckResult =
  | { readonly isValid: true; readonly value: unknown }
  | { readonly isValid: false; readonly text: string; readonly path?: readonly PropertyKey[] | undefined };

/** A compiled schema. */
export type BodyCheck = (value: unknown) => BodyCheckResult;

/** The compiled schemas of one serializer. */
export interface BodySchemas {
  /**
   * The check for a message's body: by the schema of its message type's definition, else of the serializer's options; undefined without one, and for
   * an envelope around a body.
   */
  checkFor(context: SerializerContext): BodyCheck | undefined;
  /** A serializer's `compileSchema`: compiles a schema of a definition. Throws `TypeError` for a schema that is not valid. */
  compileSchema(schema: unknown, where: string): BodyCheck;
}

/**
 * Resolves the `schema` and `schemas` options of a serializer into a look-up by message. Schemas given as values are compiled at once,
 * those returned by a function when first seen. Each is compiled once by {@link compileOnce}, which calls `forget` with schemas it drops.
 * Throws what `compile` throws for a schema given as a value.
 */
export function resolveBodySchemas<Schema>(
  options: BodySchemaOptions<Schema>,
  compile: (schema: Schema) => BodyCheck,
  forget?: (schema: Schema) => void,
): BodySchemas {
  const check = compileOnce(compile, forget);
  const own = ownSchemas(options, check);
  return {
    checkFor(context) {
      if (context.isEnvelope === true) return undefined;
      if (context.schema !== undefined) return check(context.schema as Schema);
      return own?.(context);
    },
    compileSchema(schema, where) {
      try {
        return check(schema as Schema);
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        throw new TypeError(`The schema of ${where} does not compile: ${text}`, { cause: error });
      }
    },
  };
}

function ownSchemas<Schema>(
  { schema, schemas }: BodySchemaOptions<Schema>,
  check: (schema: Schema) => BodyCheck,
): ((context: SerializerContext) => BodyCheck | undefined) | undefined {
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

/**
 * Describes the schema that a serializer with these options has for a message type: that of the definition, else of the options. Undefined if it has
 * none; code if a function chooses it.
 */
export function describeBodySchema(
  { schema, schemas }: BodySchemaOptions<unknown>,
  { messageType, schema: defined }: WriteContext,
): DescribedSchema | undefined {
  if (defined !== undefined) return describeSchema(defined);
  if (typeof schemas === "function") return { language: "code" };
  const own = messageType === undefined ? undefined : schemas?.[messageType];
  const found = own ?? schema;
  return found === undefined ? undefined : describeSchema(found);
}

/** Describes a JSON Schema, or a Standard Schema by its own JSON Schema; one that has none, or a function, is code. */
export function describeSchema(schema: unknown): DescribedSchema {
  if (isStandardSchema(schema)) return describeStandard(schema);
  if (typeof schema === "function") return { language: "code" };
  return { language: "json-schema", schema };
}

function describeStandard(schema: StandardSchema): DescribedSchema {
  try {
    const described = schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
    if (described === undefined) return { language: "code" };
    // What libraries add to it for themselves.
    const { "~standard": _, ...plain } = described;
    return { language: "json-schema", schema: plain };
  } catch {
    // It has something that JSON Schema cannot say.
  }
  return { language: "code" };
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
  return describePath((issue?.path ?? []).map((step) => (typeof step === "object" ? step.key : step)));
}
