/** What is known of the values at one place of JSON outputs. */
export interface Shape {
  readonly scalars: Set<"string" | "number" | "boolean" | "null">;
  items: Shape | undefined;
  fields: Map<string, { readonly shape: Shape; count: number }> | undefined;
  /** How many objects were seen: a field that fewer have is optional. */
  objects: number;
}

/** Nothing is known yet. */
export function newShape(): Shape {
  return { scalars: new Set(), items: undefined, fields: undefined, objects: 0 };
}

/** Names below which every key is a user's own: they are not part of the shape. */
const ownKeys: ReadonlySet<string> = new Set([
  "applicationProperties",
  "body",
  "state-value",
  "skipped",
  "counterexample",
  "value",
  "Properties",
]);

/** Adds a value to what is known. */
export function addValue(shape: Shape, value: unknown, name = ""): void {
  if (Array.isArray(value)) {
    shape.items ??= newShape();
    for (const item of value) addValue(shape.items, item);
  } else if (typeof value === "object" && value !== null) {
    shape.fields ??= new Map();
    shape.objects++;
    if (ownKeys.has(name)) return;
    for (const [key, field] of Object.entries(value)) {
      const known = shape.fields.get(key) ?? { shape: newShape(), count: 0 };
      known.count++;
      addValue(known.shape, field, key);
      shape.fields.set(key, known);
    }
  } else if (value === null) shape.scalars.add("null");
  else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    shape.scalars.add(typeof value as "string");
}

/** The shape as a type of TypeScript. */
export function shapeText({ scalars, items, fields, objects }: Shape, indentation = ""): string {
  const parts: string[] = [...scalars].sort();
  if (items !== undefined) {
    const item = shapeText(items, indentation);
    parts.push(`${item.includes(" | ") && !item.startsWith("{") ? `(${item})` : item}[]`);
  }
  if (fields !== undefined) {
    const inner = `${indentation}  `;
    const lines = [...fields].map(
      ([key, { shape, count }]) =>
        `${inner}${/^[\w$]+$/.test(key) ? key : JSON.stringify(key)}${count < objects ? "?" : ""}: ${shapeText(shape, inner)};`,
    );
    parts.push(lines.length === 0 ? "object" : `{\n${lines.join("\n")}\n${indentation}}`);
  }
  return parts.length === 0 ? "unknown" : parts.join(" | ");
}
