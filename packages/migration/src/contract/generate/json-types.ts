import type { JsonSchema } from "@waybill/serializer-json";
import { JsonSchemaDocument, type Keywords } from "../structure/json-schema-document.js";
import { typesOf } from "../structure/json-schema-types.js";
import { type Declarations, listText, objectText, unionText } from "./type-text.js";

/** The TypeScript type of the values of a JSON Schema, as a serializer with these options delivers them. */
export function jsonTypeText(
  schema: JsonSchema,
  declarations: Declarations,
  readUnsafeIntegers: unknown,
): string {
  const document = new JsonSchemaDocument(schema);
  return new JsonTypes(document, declarations, readUnsafeIntegers).of(schema);
}

class JsonTypes {
  readonly #document: JsonSchemaDocument;
  readonly #declarations: Declarations;
  readonly #readUnsafeIntegers: unknown;

  constructor(document: JsonSchemaDocument, declarations: Declarations, readUnsafeIntegers: unknown) {
    this.#document = document;
    this.#declarations = declarations;
    this.#readUnsafeIntegers = readUnsafeIntegers;
  }

  of(schema: JsonSchema): string {
    if (schema === false) return "never";
    const keywords = this.#document.restrictions(schema);
    const { $ref, allOf, anyOf, oneOf, enum: listed, const: only } = keywords;
    if ($ref !== undefined) return this.#reference(String($ref));
    if (only !== undefined) return literal(only);
    if (listed !== undefined) return unionText((listed as readonly unknown[]).map(literal));
    const choice = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
    const parts = [
      ...(choice === undefined ? [] : [unionText(choice.map((each) => this.of(each)))]),
      ...((allOf as readonly JsonSchema[] | undefined) ?? []).map((each) => this.of(each)),
      ...(keywords.type === undefined && keywords.properties === undefined ? [] : [this.#ofTypes(keywords)]),
    ].filter((part) => part !== "unknown");
    const several = [...new Set(parts)].map((part, _, all) =>
      all.length > 1 && part.includes(" | ") ? `(${part})` : part,
    );
    return several.length === 0 ? "unknown" : several.join(" & ");
  }

  #reference(reference: string): string {
    const target = this.#document.resolve(reference);
    if (target === undefined) return "unknown";
    const name = reference.split("/").at(-1) ?? "";
    return this.#declarations.named(target, name, () => this.of(target));
  }

  #ofTypes(keywords: Keywords): string {
    const types = keywords.type === undefined ? new Set(["object"]) : typesOf([keywords]);
    return unionText([...types].map((type) => this.#ofType(type, keywords)));
  }

  #ofType(type: string, keywords: Keywords): string {
    switch (type) {
      case "integer":
        return integerText(keywords, this.#readUnsafeIntegers);
      case "array":
        return this.#listText(keywords);
      case "object":
        return this.#objectText(keywords);
      default:
        return type;
    }
  }

  #listText({ prefixItems, items, minItems = 0 }: Keywords): string {
    if (prefixItems === undefined) return listText(this.of((items ?? true) as JsonSchema));
    const places = (prefixItems as readonly JsonSchema[]).map(
      (each, index) =>
        `${/[|&]/.test(this.of(each)) ? `(${this.of(each)})` : this.of(each)}${index < (minItems as number) ? "" : "?"}`,
    );
    if (items === false) return `readonly [${places.join(", ")}]`;
    const rest = items === undefined ? "unknown" : this.of(items as JsonSchema);
    return `readonly [${[...places, `...${/[|&]/.test(rest) ? `(${rest})` : rest}[]`].join(", ")}]`;
  }

  #objectText({ properties = {}, required = [], additionalProperties }: Keywords): string {
    const names = new Set(required as readonly string[]);
    const declared = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
    const members = declared.map(([name, schema]) => ({
      name,
      type: this.of(schema),
      isOptional: !names.has(name),
      doc:
        typeof schema === "object" && typeof schema.description === "string" ? schema.description : undefined,
    }));
    for (const name of names)
      if (!Object.hasOwn(properties as object, name))
        members.push({ name, type: "unknown", isOptional: false, doc: undefined });
    if (members.length > 0) return objectText(members);
    return objectText([], this.of((additionalProperties ?? true) as JsonSchema));
  }
}

/** An integer beyond 2^53 is read as the options say, if the schema allows one. */
function integerText({ minimum, maximum, format }: Keywords, readUnsafeIntegers: unknown): string {
  const isSafe = (limit: unknown) => Number.isSafeInteger(limit);
  if ((isSafe(minimum) && isSafe(maximum)) || format === "int32") return "number";
  if (readUnsafeIntegers === "bigint") return "number | bigint";
  return readUnsafeIntegers === "string" ? "number | string" : "number";
}

function literal(value: unknown): string {
  if (typeof value === "object" && value !== null)
    return Array.isArray(value)
      ? `readonly [${value.map(literal).join(", ")}]`
      : objectText(Object.entries(value).map(([name, each]) => ({ name, type: literal(each) })));
  return JSON.stringify(value);
}
