import { isObject } from "../options/is-object.js";

/** How many compiled schemas are cached by content; then the oldest is dropped. */
const keptLimit = 1_000;

/**
 * Wraps a schema compiler with a cache: each schema is compiled when it is first seen, and an object with the same JSON content, such as
 * one that a function creates for every message, gets the same result. Schemas with more than JSON, such as functions, are cached by
 * identity. Memory is bounded: beyond 1,000 contents the oldest is dropped, and `forget` is called with it.
 */
export function compileOnce<Schema, Compiled>(
  compile: (schema: Schema) => Compiled,
  forget: (schema: Schema) => void = () => {},
): (schema: Schema) => Compiled {
  const byObject = new WeakMap<object, { readonly compiled: Compiled }>();
  const byContent = new Map<unknown, { readonly schema: Schema; readonly compiled: Compiled }>();

  function compileContent(schema: Schema): { readonly compiled: Compiled } {
    const key = contentKey(schema);
    const known = byContent.get(key);
    if (known !== undefined) return known;
    const added = { schema, compiled: compile(schema) };
    byContent.set(key, added);
    if (byContent.size > keptLimit) forgetOldest();
    return added;
  }

  function forgetOldest(): void {
    const [oldest] = byContent;
    if (oldest === undefined) return;
    const [key, { schema }] = oldest;
    byContent.delete(key);
    forget(schema);
  }

  return (schema) => {
    if (!isObject(schema)) return compileContent(schema).compiled;
    let known = byObject.get(schema);
    if (known === undefined) {
      known = compileContent(schema);
      byObject.set(schema, known);
    }
    return known.compiled;
  };
}

/** Equal for schemas with the same content; the prefix distinguishes an object from a string with the same text. */
function contentKey(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const text = jsonText(schema);
  return text === undefined ? schema : `object ${text}`;
}

/** The JSON of a value that consists only of JSON types; undefined for others, because different values could have the same JSON. */
function jsonText(root: object): string | undefined {
  let isJson = true;
  function look(this: unknown, key: string, value: unknown): unknown {
    const member = (this as Record<string, unknown>)[key];
    isJson &&= isJsonMember(member) || (member === undefined && !Array.isArray(this));
    return value;
  }
  try {
    const text = JSON.stringify(root, look);
    return isJson ? text : undefined;
  } catch {
    // A cycle, or nesting too deep.
    return undefined;
  }
}

function isJsonMember(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (value === null || Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !("toJSON" in value);
}
