import type { Keywords } from "./json-schema-document.js";
import { typesOf } from "./json-schema-types.js";

/** Keywords that are compared as a whole, together with those that change their meaning. */
export const opaqueKeywords: readonly (readonly string[])[] = [
  ["propertyNames"],
  ["dependentRequired"],
  ["dependentSchemas"],
  ["dependencies"],
  ["contains", "minContains", "maxContains"],
  ["if", "then", "else"],
];

/** Keywords whose meaning depends on all others around them. */
export const contextualKeywords: readonly string[] = [
  "unevaluatedProperties",
  "unevaluatedItems",
  "$dynamicRef",
];

/** Keywords by which it is known which values there are, not only which there are not. */
const transparent: ReadonlySet<string> = new Set([
  ...["$ref", "allOf", "anyOf", "oneOf", "enum", "const", "type"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "pattern", "format"],
  ...["minItems", "maxItems", "uniqueItems", "items", "prefixItems"],
  ...["properties", "patternProperties", "additionalProperties", "required"],
  ...["minProperties", "maxProperties"],
]);

const understood: ReadonlySet<string> = new Set([
  ...transparent,
  ...opaqueKeywords.flat(),
  ...contextualKeywords,
  "not",
]);

/** A keyword of a schema of which nothing is known; undefined if there is none. */
export function unknownKeyword(schema: Keywords): string | undefined {
  return Object.keys(schema).find((keyword) => !understood.has(keyword));
}

/** Whether schemas may refuse values that their other keywords accept, in a way that is not followed. */
export function mayRefuseMore(schemas: readonly Keywords[]): boolean {
  return schemas.some((each) => Object.keys(each).some((keyword) => !transparent.has(keyword)));
}

/** The only values that schemas accept together, if one lists them. */
export function listedValues(schemas: readonly Keywords[]): readonly unknown[] | undefined {
  const listed = schemas.find((each) => each.const !== undefined || each.enum !== undefined);
  if (listed === undefined) {
    const types = typesOf(schemas);
    if (types.size === 1 && types.has("null")) return [null];
    return types.size === 1 && types.has("boolean") ? [false, true] : undefined;
  }
  return listed.const === undefined ? (listed.enum as readonly unknown[]) : [listed.const];
}
