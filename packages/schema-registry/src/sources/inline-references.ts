/**
 * An Avro schema with each schema that it refers to inlined at its first use, as one self-contained text. Throws `SyntaxError` for invalid
 * JSON.
 */
export function inlineReferences(schema: string, references: ReadonlyMap<string, string>): string {
  if (references.size === 0) return schema;
  const left = new Map([...references].map(([name, text]) => [name, JSON.parse(text) as unknown]));
  return JSON.stringify(inlined(JSON.parse(schema), left, undefined));
}

function inlined(schema: unknown, left: Map<string, unknown>, namespace: string | undefined): unknown {
  if (typeof schema === "string") return taken(schema, left, namespace);
  if (Array.isArray(schema)) return schema.map((branch) => inlined(branch, left, namespace));
  if (typeof schema !== "object" || schema === null) return schema;
  const object = schema as Readonly<Record<string, unknown>>;
  const inner = namespaceOf(object) ?? namespace;
  const copy: Record<string, unknown> = { ...object };
  for (const key of ["type", "items", "values"]) {
    if (key in copy && !(key === "type" && isKind(copy.type))) copy[key] = inlined(copy[key], left, inner);
  }
  if (Array.isArray(copy.fields)) {
    copy.fields = copy.fields.map((field: unknown) =>
      typeof field === "object" && field !== null
        ? { ...field, type: inlined((field as { readonly type?: unknown }).type, left, inner) }
        : field,
    );
  }
  return copy;
}

/** The schema of a name that was not inlined yet; otherwise the name. */
function taken(name: string, left: Map<string, unknown>, namespace: string | undefined): unknown {
  const full = left.has(name) ? name : `${namespace ?? ""}.${name}`;
  const found = left.get(full);
  if (found === undefined) return name;
  left.delete(full);
  return inlined(found, left, undefined);
}

function namespaceOf({ namespace, name }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof name === "string" && name.includes(".")) return name.slice(0, name.lastIndexOf("."));
  return typeof namespace === "string" ? namespace : undefined;
}

function isKind(type: unknown): boolean {
  return typeof type === "string" && ["record", "error", "enum", "fixed", "array", "map"].includes(type);
}
