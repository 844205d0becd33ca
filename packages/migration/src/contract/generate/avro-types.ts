import { type AvroRecord, type AvroType, simpleName } from "../structure/avro-type.js";
import { type Declarations, listText, objectText, typeName, unionText } from "./type-text.js";

/** The options of `avro()` that decide the form of values. */
export interface AvroForm {
  readonly longs?: unknown;
  readonly unions?: unknown;
  readonly rawLogicalTypes?: unknown;
}

/** The TypeScript type of the values that `avro()` delivers for a schema. */
export function avroTypeText(type: AvroType, declarations: Declarations, form: AvroForm): string {
  const inner = (each: AvroType) => avroTypeText(each, declarations, form);
  const converted = logicalText(type, form);
  if (converted !== undefined) return converted;
  switch (type.kind) {
    case "null":
    case "boolean":
    case "string":
      return type.kind;
    case "int":
    case "float":
    case "double":
      return "number";
    case "long":
      return form.longs === "bigint" ? "bigint" : "number | bigint";
    case "bytes":
    case "fixed":
      return "Uint8Array";
    case "array":
      return listText(inner(type.items));
    case "map":
      return objectText([], inner(type.values));
    case "enum":
      return declarations.named(type, simpleName(type.name), () =>
        unionText(type.symbols.map((each) => JSON.stringify(each))),
      );
    case "record":
      return declarations.named(type, simpleName(type.name), () => recordText(type, inner));
    case "union":
      return isWrapped(type.branches, form)
        ? wrappedText(type.branches, inner)
        : unionText(type.branches.map(inner));
  }
}

function recordText({ fields }: AvroRecord, inner: (type: AvroType) => string): string {
  return objectText(fields.map(({ name, type }) => ({ name, type: inner(type) })));
}

const texts: Readonly<Record<string, string>> = {
  date: "Date",
  "timestamp-millis": "Date",
  "timestamp-micros": "Date",
  "local-timestamp-millis": "string",
  "local-timestamp-micros": "string",
  decimal: "string",
  uuid: "string",
  duration: "{ readonly months: number; readonly days: number; readonly milliseconds: number }",
};

function logicalText(type: AvroType, { rawLogicalTypes }: AvroForm): string | undefined {
  if (!("logicalType" in type) || type.logicalType === undefined) return undefined;
  const isRaw =
    rawLogicalTypes === "all" ||
    (Array.isArray(rawLogicalTypes) && rawLogicalTypes.includes(type.logicalType));
  return isRaw ? undefined : texts[type.logicalType];
}

/** Values of a union are wrapped where branches cannot be told apart by the kind of their values. */
function isWrapped(branches: readonly AvroType[], form: AvroForm): boolean {
  if (form.unions === "always") return true;
  const kinds = branches.map((branch) => kindOf(branch, form));
  return form.unions !== "never" && new Set(kinds).size < kinds.length;
}

function kindOf(type: AvroType, form: AvroForm): string {
  const converted = logicalText(type, form);
  if (converted !== undefined) return converted.startsWith("{") ? "object" : converted;
  switch (type.kind) {
    case "int":
    case "long":
    case "float":
    case "double":
      return "number";
    case "enum":
      return "string";
    case "fixed":
      return "bytes";
    case "map":
    case "record":
      return "object";
    default:
      return type.kind;
  }
}

function wrappedText(branches: readonly AvroType[], inner: (type: AvroType) => string): string {
  return unionText(
    branches.map((branch) => {
      if (branch.kind === "null") return "null";
      const name = "name" in branch ? branch.name : branch.kind;
      return `{ readonly ${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${inner(branch)} }`;
    }),
  );
}

/** The name for the type of a message. */
export function messageTypeName(messageType: string, version: number): string {
  return `${typeName(messageType)}V${version}`;
}
