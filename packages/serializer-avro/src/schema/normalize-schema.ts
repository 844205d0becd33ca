import { builderName } from "../avsc/type-names.js";
import { applicableLogicalType, type LogicalTypeName, meaningOf } from "./logical-type-name.js";

/** An Avro schema: a name such as `"string"`, JSON text, a parsed JSON object, or an array for a union. */
export type AvroSchema =
  | string
  | readonly AvroSchema[]
  | { readonly type: unknown; readonly [attribute: string]: unknown };

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
const maxSchemaDepth = 128;
const orders: readonly unknown[] = ["ascending", "descending", "ignore"];

interface Scope {
  readonly defined: Set<string>;
  readonly raw: ReadonlySet<LogicalTypeName>;
  readonly namespace: string;
  readonly depth: number;
}

type Attributes = Readonly<Record<string, unknown>>;

/**
 * Copies a schema into the form that the builder needs: full names, known attributes only, logical types only if they apply and are not read raw;
 * `meaning` keeps the others. Throws a `TypeError` with the path of what Avro, or this package, does not allow. Source: Avro specification 1.12.
 */
export function normalizeSchema(schema: AvroSchema, raw: ReadonlySet<LogicalTypeName>): unknown {
  const scope = { defined: new Set<string>(), raw, namespace: "", depth: 0 };
  return normalize(parseSchemaText(schema), scope, "schema");
}

/** The schema of a JSON text; anything else as it is. Throws a `TypeError` for a text that is not valid JSON. */
export function parseSchemaText(schema: unknown): unknown {
  if (typeof schema !== "string" || !/^\s*[[{"]/.test(schema)) return schema;
  try {
    return JSON.parse(schema);
  } catch (error) {
    throw new TypeError("schema: the text is not valid JSON", { cause: error });
  }
}

function normalize(schema: unknown, scope: Scope, path: string): unknown {
  if (scope.depth > maxSchemaDepth) throw new TypeError(`${path}: nests deeper than ${maxSchemaDepth} types`);
  const inner = { ...scope, depth: scope.depth + 1 };
  if (typeof schema === "string") return normalizeReference(schema, scope, path);
  if (Array.isArray(schema)) return normalizeUnion(schema, inner, path);
  if (typeof schema !== "object" || schema === null)
    throw new TypeError(`${path}: must be a type name, an object or an array`);
  const attributes = schema as Attributes;
  const { type } = attributes;
  if (primitives.has(type)) return { type, ...logicalAttributes(attributes, scope) };
  switch (type) {
    case "array":
      return { type, items: normalize(attributes.items, inner, `${path}.items`) };
    case "map":
      return { type, values: normalize(attributes.values, inner, `${path}.values`) };
    case "enum":
      return normalizeEnum(attributes, scope, path);
    case "fixed":
      return normalizeFixed(attributes, scope, path);
    case "record":
      return normalizeRecord(attributes, inner, path);
    default:
      // {"type": {"type": "string"}} and {"type": "com.example.Name"} mean the type inside.
      return normalize(type, inner, `${path}.type`);
  }
}

function normalizeReference(name: string, scope: Scope, path: string): string {
  if (primitives.has(name)) return name;
  const fullName = qualify(name, scope.namespace, path);
  if (!scope.defined.has(fullName)) throw new TypeError(`${path}: the type "${fullName}" is not defined`);
  return absolute(fullName);
}

function normalizeUnion(branches: readonly unknown[], scope: Scope, path: string): unknown[] {
  if (branches.length === 0) throw new TypeError(`${path}: a union needs at least one branch`);
  return branches.map((branch, index) => {
    if (Array.isArray(branch)) throw new TypeError(`${path}[${index}]: a union cannot contain a union`);
    return normalize(branch, scope, `${path}[${index}]`);
  });
}

function normalizeEnum(attributes: Attributes, scope: Scope, path: string): unknown {
  const named = define(attributes, scope, path);
  const { symbols, default: fallback } = attributes;
  if (!Array.isArray(symbols) || symbols.length === 0)
    throw new TypeError(`${path}: an enum needs an array of symbols`);
  for (const symbol of symbols) checkName(symbol, `${path}.symbols`);
  if (new Set(symbols).size < symbols.length)
    throw new TypeError(`${path}.symbols: a symbol is listed twice`);
  if (fallback !== undefined && !symbols.includes(fallback))
    throw new TypeError(`${path}: the default of an enum must be one of its symbols`);
  return { type: "enum", ...named.attributes, symbols: [...symbols], ...optional("default", fallback) };
}

function normalizeFixed(attributes: Attributes, scope: Scope, path: string): unknown {
  const named = define(attributes, scope, path);
  const { size } = attributes;
  if (!Number.isInteger(size) || (size as number) < 0 || (size as number) > 0x7fffffff)
    throw new TypeError(`${path}: the size of a fixed must be an integer from 0 to 2^31 - 1`);
  return { type: "fixed", ...named.attributes, size, ...logicalAttributes(attributes, scope) };
}

function normalizeRecord(attributes: Attributes, scope: Scope, path: string): unknown {
  const named = define(attributes, scope, path);
  const { fields } = attributes;
  if (!Array.isArray(fields)) throw new TypeError(`${path}: a record needs an array of fields`);
  const inner = { ...scope, namespace: named.namespace };
  return {
    type: "record",
    ...named.attributes,
    fields: fields.map((field: unknown, index) => normalizeField(field, inner, `${path}.fields[${index}]`)),
  };
}

function normalizeField(field: unknown, scope: Scope, path: string): unknown {
  if (typeof field !== "object" || field === null) throw new TypeError(`${path}: must be an object`);
  const { name, type, default: fallback, order, aliases = [] } = field as Attributes;
  checkName(name, path);
  if (!Array.isArray(aliases)) throw new TypeError(`${path}: aliases must be an array`);
  for (const alias of aliases) checkName(alias, `${path}.aliases`);
  if (order !== undefined && !orders.includes(order)) throw new TypeError(`${path}: unknown order`);
  return {
    name,
    type: normalize(type, scope, `${path} "${name}"`),
    ...optional("default", structuredClone(fallback)),
    ...optional("order", order),
    aliases: [...aliases],
  };
}

/** Registers a named type and returns its full name in the form the builder takes. */
function define(
  { name, namespace, aliases = [] }: Attributes,
  scope: Scope,
  path: string,
): { readonly namespace: string; readonly attributes: object } {
  if (typeof name !== "string") throw new TypeError(`${path}: a record, enum or fixed needs a name`);
  if (namespace !== undefined && typeof namespace !== "string")
    throw new TypeError(`${path}: the namespace must be a string`);
  if (!Array.isArray(aliases)) throw new TypeError(`${path}: aliases must be an array`);
  const fullName = qualify(name, namespace ?? scope.namespace, path);
  if (primitives.has(fullName.slice(fullName.lastIndexOf(".") + 1)))
    throw new TypeError(`${path}: "${fullName}" is the name of a primitive type`);
  if (scope.defined.has(fullName)) throw new TypeError(`${path}: the type "${fullName}" is defined twice`);
  scope.defined.add(fullName);
  const own = fullName.slice(0, Math.max(0, fullName.lastIndexOf(".")));
  return {
    namespace: own,
    attributes: {
      name: builderName(fullName),
      namespace: own,
      aliases: aliases.map((alias) => absolute(qualify(alias, own, `${path}.aliases`))),
    },
  };
}

function qualify(name: unknown, namespace: string, path: string): string {
  if (typeof name !== "string") throw new TypeError(`${path}: a name must be a string`);
  const fullName = name.includes(".") || namespace === "" ? name.replace(/^\./, "") : `${namespace}.${name}`;
  for (const part of fullName.split(".")) checkName(part, path);
  return fullName;
}

// A leading dot means "no namespace" to the builder; without it, the enclosing namespace would be added.
function absolute(fullName: string): string {
  const name = builderName(fullName);
  return name.includes(".") ? name : `.${name}`;
}

/** Names become properties of plain objects and parts of compiled functions, here and inside the library. */
function checkName(name: unknown, path: string): void {
  if (typeof name !== "string" || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new TypeError(`${path}: ${JSON.stringify(name)} is not an Avro name`);
  if (name === "__proto__")
    throw new TypeError(
      `${path}: the name "__proto__" is not supported, it would change the prototype of objects`,
    );
}

function logicalAttributes(attributes: Attributes, { raw }: Scope): object {
  const logicalType = applicableLogicalType(attributes);
  if (logicalType === undefined || raw.has(logicalType)) return optional("meaning", meaningOf(attributes));
  if (logicalType !== "decimal") return { logicalType };
  const { precision, scale = 0 } = attributes;
  return { logicalType, precision, scale };
}

function optional(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: value };
}
