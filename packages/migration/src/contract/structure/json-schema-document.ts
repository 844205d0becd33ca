import type { StandardSchema } from "@waybill/core";
import type { JsonSchema } from "@waybill/serializer-json";
import { jsonSchema } from "@waybill/serializer-json/json-schema";

/** A JSON Schema that is not a boolean. */
export type Keywords = Readonly<Record<string, unknown>>;

/** Says nothing about values. */
const annotations: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$defs",
  "$comment",
  "$anchor",
  "definitions",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
]);

const compiledSchemas = new WeakMap<object, StandardSchema>();

/** The check of a JSON Schema; one object is compiled once. Throws `TypeError` for one that is not valid. */
export function compiledJsonSchema(schema: JsonSchema): StandardSchema {
  if (typeof schema === "boolean") return jsonSchema(schema);
  const known = compiledSchemas.get(schema) ?? jsonSchema(schema);
  compiledSchemas.set(schema, known);
  return known;
}

/** A JSON Schema with its references. */
export class JsonSchemaDocument {
  readonly root: JsonSchema;
  readonly #isDraft7: boolean;
  /** Whether a schema inside has an id, so that references in it begin there. */
  readonly #hasIdsInside: boolean;
  /** Compiled schemas by their texts, the root under none; undefined for those that cannot be compiled alone. */
  readonly #compiled = new Map<string, StandardSchema | undefined>();
  /** The root as other schemas refer to it; made when first needed. */
  #rebasedRoot: unknown;

  constructor(root: JsonSchema) {
    this.root = root;
    this.#isDraft7 = typeof root === "object" && /draft-07/.test(String(root.$schema));
    this.#hasIdsInside = typeof root === "object" && Object.values(root).some(hasId);
  }

  /** What a `$ref` refers to; undefined for what is not in the document, or is not found by a JSON pointer. */
  resolve(reference: string): JsonSchema | undefined {
    if (this.#hasIdsInside || (reference !== "#" && !reference.startsWith("#/"))) return undefined;
    let found: unknown = this.root;
    for (const step of reference.split("/").slice(1)) {
      const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
      found = typeof found === "object" && found !== null ? (found as Keywords)[key] : undefined;
    }
    return typeof found === "boolean" || (typeof found === "object" && found !== null)
      ? (found as JsonSchema)
      : undefined;
  }

  /** The keywords of a schema that restrict values, in the form of draft 2020-12. */
  restrictions(schema: JsonSchema): Keywords {
    if (typeof schema === "boolean") return schema ? {} : { not: {} };
    const { $ref } = schema;
    if (this.#isDraft7 && $ref !== undefined) return { $ref };
    const entries = Object.entries(schema).filter(([keyword]) => !annotations.has(keyword));
    const keywords: Record<string, unknown> = Object.fromEntries(entries);
    if (keywords.nullable === true && keywords.type !== undefined)
      keywords.type = [keywords.type, "null"].flat();
    delete keywords.nullable;
    if (Array.isArray(keywords.items)) {
      keywords.prefixItems = keywords.items;
      delete keywords.items;
      if (keywords.additionalItems !== undefined) keywords.items = keywords.additionalItems;
    }
    delete keywords.additionalItems;
    return keywords;
  }

  /** Whether a schema of the document accepts a value; undefined if it cannot be compiled alone. */
  accepts(schema: JsonSchema, value: unknown): boolean | undefined {
    const compiled = this.#compile(schema);
    if (compiled === undefined) return undefined;
    const { issues } = compiled["~standard"].validate(value) as { readonly issues?: unknown };
    return issues === undefined;
  }

  #compile(schema: JsonSchema): StandardSchema | undefined {
    // The root is compiled for every value: its text would take longer than the value.
    const text = schema === this.root ? "" : JSON.stringify(schema);
    if (this.#compiled.has(text)) return this.#compiled.get(text);
    const compiled = this.#compileAlone(schema, text.includes('"$ref"'));
    this.#compiled.set(text, compiled);
    return compiled;
  }

  #compileAlone(schema: JsonSchema, hasReferences: boolean): StandardSchema | undefined {
    try {
      if (schema === this.root) return compiledJsonSchema(schema);
      const { $schema, $id: _, ...root } = this.root as Keywords;
      if (hasReferences) this.#rebasedRoot ??= rebased(root);
      return jsonSchema({
        ...($schema === undefined ? {} : { $schema }),
        ...(hasReferences ? { $defs: { root: this.#rebasedRoot } } : {}),
        allOf: [rebased(schema)],
      });
    } catch {
      return undefined;
    }
  }
}

function hasId(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return typeof (schema as Keywords).$id === "string" || Object.values(schema).some(hasId);
}

/** A schema whose references to its document are references to `#/$defs/root`. */
function rebased(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(rebased);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) =>
      keyword === "$ref" && typeof value === "string" && value.startsWith("#")
        ? [keyword, `#/$defs/root${value.slice(1)}`]
        : [keyword, rebased(value)],
    ),
  );
}
