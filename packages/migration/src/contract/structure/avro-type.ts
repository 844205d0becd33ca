/** A type of an Avro schema; records refer to themselves if they are recursive. */
export type AvroType = AvroScalar | AvroArray | AvroMap | AvroUnion | AvroRecord | AvroEnum | AvroFixed;

/** A primitive type. */
export interface AvroScalar extends Logical {
  readonly kind: "null" | "boolean" | "int" | "long" | "float" | "double" | "bytes" | "string";
}

/** The attributes of a logical type; undefined where the specification requires to ignore it. */
interface Logical {
  readonly logicalType?: string | undefined;
  readonly precision?: number | undefined;
  readonly scale?: number | undefined;
}

/** A type with a name of its own. */
interface Named {
  /** With its namespace. */
  readonly name: string;
  readonly aliases: readonly string[];
}

export interface AvroArray {
  readonly kind: "array";
  readonly items: AvroType;
}

export interface AvroMap {
  readonly kind: "map";
  readonly values: AvroType;
}

export interface AvroUnion {
  readonly kind: "union";
  readonly branches: readonly AvroType[];
}

export interface AvroRecord extends Named {
  readonly kind: "record";
  readonly fields: readonly AvroField[];
}

export interface AvroField {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly type: AvroType;
  readonly hasDefault: boolean;
}

export interface AvroEnum extends Named {
  readonly kind: "enum";
  readonly symbols: readonly string[];
  readonly default?: string | undefined;
}

export interface AvroFixed extends Named, Logical {
  readonly kind: "fixed";
  readonly size: number;
}

type Attributes = Readonly<Record<string, unknown>>;

interface Scope {
  readonly known: Map<string, AvroType>;
  readonly namespace: string;
}

const primitives: ReadonlySet<unknown> = new Set([
  "null",
  "boolean",
  "int",
  "long",
  "float",
  "double",
  "bytes",
  "string",
]);

/** The types of a schema as a serializer accepted it. Throws `TypeError` for one that is not valid. Source: Avro specification 1.12. */
export function avroTypeOf(schema: unknown): AvroType {
  return parse(schema, { known: new Map(), namespace: "" });
}

function parse(schema: unknown, scope: Scope): AvroType {
  if (typeof schema === "string")
    return primitives.has(schema) ? scalar(schema, {}) : reference(schema, scope);
  if (Array.isArray(schema)) return { kind: "union", branches: schema.map((branch) => parse(branch, scope)) };
  if (typeof schema !== "object" || schema === null)
    throw new TypeError("An Avro schema is a name, an object or an array.");
  const attributes = schema as Attributes;
  const { type } = attributes;
  if (primitives.has(type)) return scalar(type as string, attributes);
  switch (type) {
    case "array":
      return { kind: "array", items: parse(attributes.items, scope) };
    case "map":
      return { kind: "map", values: parse(attributes.values, scope) };
    case "record":
      return parseRecord(attributes, scope);
    case "enum": {
      const { symbols, default: fallback } = attributes as { symbols: readonly string[]; default?: string };
      return define({ kind: "enum", ...naming(attributes, scope), symbols, default: fallback }, scope);
    }
    case "fixed":
      return define(
        {
          kind: "fixed",
          ...naming(attributes, scope),
          size: attributes.size as number,
          ...logical(attributes),
        },
        scope,
      );
    default:
      return parse(type, scope);
  }
}

function parseRecord(attributes: Attributes, scope: Scope): AvroType {
  const fields: AvroField[] = [];
  const named = naming(attributes, scope);
  // It is known before its fields, which may refer to it.
  const record = define({ kind: "record", ...named, fields }, scope);
  const inner = { ...scope, namespace: namespaceOf(named.name) };
  for (const field of attributes.fields as readonly Attributes[]) {
    fields.push({
      name: field.name as string,
      aliases: (field.aliases as readonly string[] | undefined) ?? [],
      type: parse(field.type, inner),
      hasDefault: field.default !== undefined,
    });
  }
  return record;
}

function define<Type extends AvroType & Named>(type: Type, { known }: Scope): Type {
  known.set(type.name, type);
  return type;
}

function reference(name: string, { known, namespace }: Scope): AvroType {
  const found = known.get(qualified(name, namespace));
  if (found === undefined) throw new TypeError(`The Avro type "${name}" is not defined.`);
  return found;
}

function naming({ name, namespace, aliases = [] }: Attributes, scope: Scope): Named {
  const full = qualified(name as string, (namespace as string | undefined) ?? scope.namespace);
  const own = namespaceOf(full);
  return { name: full, aliases: (aliases as readonly string[]).map((alias) => qualified(alias, own)) };
}

function qualified(name: string, namespace: string): string {
  return name.includes(".") || namespace === "" ? name.replace(/^\./, "") : `${namespace}.${name}`;
}

function namespaceOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf(".")));
}

function scalar(kind: string, attributes: Attributes): AvroScalar {
  return { kind: kind as AvroScalar["kind"], ...logical({ ...attributes, type: kind }) };
}

const underlying: Readonly<Record<string, (attributes: Attributes) => boolean>> = {
  date: ({ type }) => type === "int",
  "time-millis": ({ type }) => type === "int",
  "time-micros": ({ type }) => type === "long",
  "timestamp-millis": ({ type }) => type === "long",
  "timestamp-micros": ({ type }) => type === "long",
  "timestamp-nanos": ({ type }) => type === "long",
  "local-timestamp-millis": ({ type }) => type === "long",
  "local-timestamp-micros": ({ type }) => type === "long",
  "local-timestamp-nanos": ({ type }) => type === "long",
  decimal: ({ type, precision }) => (type === "bytes" || type === "fixed") && Number.isInteger(precision),
  uuid: ({ type, size }) => type === "string" || (type === "fixed" && size === 16),
  duration: ({ type, size }) => type === "fixed" && size === 12,
};

/** The specification requires to ignore a logical type that is unknown or does not fit its underlying type. */
function logical(attributes: Attributes): Logical {
  const { logicalType, precision, scale = 0 } = attributes as { logicalType?: string } & Logical;
  if (logicalType === undefined || underlying[logicalType]?.(attributes) !== true) return {};
  return logicalType === "decimal" ? { logicalType, precision, scale } : { logicalType };
}

/** The name without its namespace, which resolution ignores. */
export function simpleName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

/** What decides how bytes are read: equal for schemas of one fingerprint in single-object encoding. Source: specification, "Parsing Canonical Form". */
export function parsingForm(type: AvroType): string {
  return JSON.stringify(form(type, new Set()));
}

function form(type: AvroType, seen: Set<string>): unknown {
  if (type.kind === "array") return { array: form(type.items, seen) };
  if (type.kind === "map") return { map: form(type.values, seen) };
  if (type.kind === "union") return type.branches.map((branch) => form(branch, seen));
  if (!("name" in type)) return type.kind;
  if (seen.has(type.name)) return type.name;
  seen.add(type.name);
  if (type.kind === "enum") return { enum: type.name, symbols: type.symbols };
  if (type.kind === "fixed") return { fixed: type.name, size: type.size };
  return { record: type.name, fields: type.fields.map((field) => [field.name, form(field.type, seen)]) };
}
