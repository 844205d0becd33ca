import type { Ajv, FuncKeywordDefinition } from "ajv";
import { exactFormat, exactType } from "./compile-json-schema.js";

/** Keywords whose values are data, and those whose values are schemas by name. */
const dataKeywords: ReadonlySet<string> = new Set([
  "const",
  "enum",
  "default",
  "examples",
  "required",
  "dependentRequired",
]);
const namedSchemas: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "definitions",
  "$defs",
]);

const integerBits: Readonly<Record<string, number>> = Object.freeze({ int32: 32, int64: 64 });

type Check = (schema: unknown, data: unknown) => boolean;

const exactChecks: Readonly<Record<string, Check>> = {
  maximum: (limit, data) => !isNumeric(data) || data <= (limit as number),
  minimum: (limit, data) => !isNumeric(data) || data >= (limit as number),
  exclusiveMaximum: (limit, data) => !isNumeric(data) || data < (limit as number),
  exclusiveMinimum: (limit, data) => !isNumeric(data) || data > (limit as number),
  multipleOf: (divisor, data) => !isNumeric(data) || isMultiple(data, divisor as number),
  const: (expected, data) => isSame(expected, data),
  enum: (expected, data) => (expected as readonly unknown[]).some((each) => isSame(each, data)),
  [exactType]: (types, data) => [types].flat().some((type) => isOfType(type, data)),
  [exactFormat]: (format, data) =>
    typeof data !== "bigint" || BigInt.asIntN(integerBits[format as string] as number, data) === data,
};

/**
 * Replaces `uniqueItems` by one that takes linear time. Ajv's takes quadratic time for objects, with which a single body could cause hours of
 * work.
 */
export function addUniqueItems(ajv: Ajv): void {
  replaceKeyword(ajv, "uniqueItems", (isWanted, data) => isWanted !== true || areUnique(data));
}

/** Lets an ajv validate bigints as integers. It must compile schemas that {@link toExactSchema} returned. */
export function addExactKeywords(ajv: Ajv): void {
  for (const [keyword, check] of Object.entries(exactChecks)) replaceKeyword(ajv, keyword, check);
}

/**
 * A copy of a schema for an ajv with exact keywords: `type`, which ajv does not let us replace, gets another name, and so do the formats of integers.
 * Every other keyword keeps its position, so that references stay valid.
 */
export function toExactSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toExactSchema);
  if (!isContainer(schema)) return schema;
  const exact: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "type")
      exact[exactType] = "nullable" in schema && schema.nullable === true ? [value, "null"].flat() : value;
    else if (keyword === "nullable") continue;
    else if (dataKeywords.has(keyword)) exact[keyword] = value;
    else if (namedSchemas.has(keyword)) exact[keyword] = mapValues(value, toExactSchema);
    else exact[keyword] = toExactSchema(value);
    if (keyword === "format" && integerBits[value as string] !== undefined) exact[exactFormat] = value;
  }
  return exact;
}

function replaceKeyword(ajv: Ajv, keyword: string, validate: Check): void {
  if (ajv.getKeyword(keyword) !== false) ajv.removeKeyword(keyword);
  ajv.addKeyword({ keyword, validate, errors: false } satisfies FuncKeywordDefinition);
}

function mapValues(schemas: unknown, change: (schema: unknown) => unknown): unknown {
  if (!isContainer(schemas)) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]));
}

function isNumeric(data: unknown): data is number | bigint {
  return typeof data === "number" || typeof data === "bigint";
}

function isOfType(type: unknown, data: unknown): boolean {
  switch (type) {
    case "null":
      return data === null;
    case "array":
      return Array.isArray(data);
    case "object":
      return isContainer(data) && !Array.isArray(data);
    case "number":
      return typeof data === "bigint" || Number.isFinite(data);
    case "integer":
      return typeof data === "bigint" || Number.isInteger(data);
    default:
      return typeof data === type;
  }
}

/** A fraction in a schema is compared by its decimal digits. */
function isMultiple(data: number | bigint, divisor: number): boolean {
  if (typeof data === "number") return Number.isInteger(data / divisor);
  const [, digits = "", fraction = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(divisor)) ?? [];
  const shift = BigInt(fraction.length) - BigInt(exponent);
  const scale = 10n ** (shift < 0n ? -shift : shift);
  const numerator = BigInt(digits + fraction);
  return shift < 0n ? data % (numerator * scale) === 0n : (data * scale) % numerator === 0n;
}

/**
 * Equality of JSON values, in which a bigint equals a number of the same integer; and of dates, which bodies of other formats have.
 */
function isSame(one: unknown, other: unknown): boolean {
  if (isNumeric(one) && isNumeric(other)) return canonicalNumber(one) === canonicalNumber(other);
  return (
    one === other || (isContainer(one) && isContainer(other) && canonicalText(one) === canonicalText(other))
  );
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function get(value: object, key: string): unknown {
  return (value as Record<string, unknown>)[key];
}

function areUnique(data: unknown): boolean {
  if (!Array.isArray(data)) return true;
  const scalars = new Set<unknown>();
  const containers = new Set<string>();
  for (const item of data) {
    const seen: Set<unknown> = isContainer(item) ? containers : scalars;
    const key = isContainer(item) ? canonicalText(item) : canonicalNumber(item);
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

/** One text for all JSON values that are equal. */
function canonicalText(value: unknown): string {
  if (!isContainer(value)) return isNumeric(value) ? String(canonicalNumber(value)) : JSON.stringify(value);
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalText(get(value, key))}`).join()}}`;
}

/** Integers that numbers cannot hold exactly become bigints. */
function canonicalNumber(value: unknown): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value as number) : value;
}
