import type { Keywords } from "./json-schema-document.js";

const all = ["null", "boolean", "string", "array", "object", "number"] as const;

/** The types that several schemas accept together. `integer` is its own type only where `number` is not accepted. */
export function typesOf(schemas: readonly Keywords[]): ReadonlySet<string> {
  let types = new Set<string>(all);
  for (const { type } of schemas) {
    if (type === undefined) continue;
    const wanted = new Set([type as string | readonly string[]].flat());
    const narrowed = new Set(
      [...types].filter((each) => wanted.has(each) || (each === "integer" && wanted.has("number"))),
    );
    if (types.has("number") && wanted.has("integer") && !wanted.has("number")) narrowed.add("integer");
    types = narrowed;
  }
  return types;
}
